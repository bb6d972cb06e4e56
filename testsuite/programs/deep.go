// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks that grow in the middle of calls, for testsuite/ustap.process/go.stp.
package main

import (
	"os"
	"runtime"
)

//go:noinline
func deep(n int, pad [64]byte) int {
	if n == 0 {
		return int(pad[0])
	}
	pad[n%64]++
	return deep(n-1, pad) + 1
}

//go:noinline
func leaf(n int) int { return n + 1 }

func main() {
	done := make(chan int)
	for i := 0; i < 4; i++ {
		go func() { done <- deep(1000, [64]byte{}) }()
	}
	sum := 0
	for i := 0; i < 4; i++ {
		sum += <-done
	}
	for i := 0; i < 4; i++ {
		sum = leaf(sum)
	}
	if sum < 4004 {
		os.Exit(1)
	}
	// goroutines end after they have sent: without this the program can end before them
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched()
	}
}
