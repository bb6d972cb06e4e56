// SPDX-License-Identifier: GPL-2.0-or-later
// More goroutines than processors, which Go's runtime interrupts in a loop of short instructions:
// for testsuite/ustap.user/goroutines.stp. Ends when standard input does, after each has gone on.
package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
)

const number = 100

var rounds [number]int64

//go:noinline
func spin(n, m, k int) int {
	for n > 0 {
		n--
		m ^= n
		k += m
		m -= k
		k ^= n
	}
	return m + k
}

func all(least int64) bool {
	for i := range rounds {
		if atomic.LoadInt64(&rounds[i]) < least {
			return false
		}
	}
	return true
}

func main() {
	for i := 0; i < number; i++ {
		go func(i int) {
			for {
				spin(1000000, i, 2)
				atomic.AddInt64(&rounds[i], 1)
			}
		}(i)
	}
	fmt.Println("ready")
	for !all(1) {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("running")
	io.Copy(io.Discard, os.Stdin)
	for i := range rounds {
		atomic.StoreInt64(&rounds[i], 0)
	}
	for !all(2) {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("all went on")
	os.Exit(0)
}
