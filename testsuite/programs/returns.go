// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that return in many ways, on goroutines that move between threads; prints the results.
package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

type Pair struct {
	A int64
	B int16
}

type Wide struct{ V [3]int64 }

var sums [3]int64

//go:noinline
func leaf(a, b int) int { return a + b }

//go:noinline
func two(a, b int) (int, error) {
	if b == 0 {
		return -1, errors.New("division by zero")
	}
	return a / b, nil
}

//go:noinline
func named(s string, v []int) (text string, n int) {
	for _, x := range v {
		n += x
	}
	return s + "!", n
}

//go:noinline
func pair(a int64, b int16) Pair { return Pair{a, b} }

//go:noinline
func wide(a int64) (Wide, int) { return Wide{[3]int64{a, a + 1, a + 2}}, int(a) }

//go:noinline
func half(x float64) float64 { return x / 2 }

//go:noinline
func (p *Pair) Sum(k int) int64 { return p.A + int64(k) }

//go:noinline
func deep(n int) int {
	var pad [64]int
	pad[n%64] = n
	if n == 0 {
		return 0
	}
	return deep(n-1) + pad[n%64]
}

// The result is that of the deferred function.
//go:noinline
func saved(n int) (result int) {
	defer func() {
		if recover() != nil {
			result = -n
		}
	}()
	return failing(n)
}

// Go 1.24 describes result twice, and second is still the second.
//go:noinline
func caught(n int) (result int, second int) {
	defer func() {
		if recover() != nil {
			result = -n
		}
	}()
	second = n + 100
	return failing(n), n + 200
}

//go:noinline
func failing(n int) int {
	if n%2 == 1 {
		panic("odd")
	}
	return n
}

// Gives up its thread in the middle, and grows its stack.
//go:noinline
func moved(n int) int {
	runtime.Gosched()
	return deep(n%100) - n%100*(n%100+1)/2 + n
}

func work(from, to int, done *sync.WaitGroup) {
	for i := from; i < to; i++ {
		atomic.AddInt64(&sums[0], int64(moved(i)))
		atomic.AddInt64(&sums[1], int64(saved(i)))
		atomic.AddInt64(&sums[2], 1)
	}
	done.Done()
}

func main() {
	var done sync.WaitGroup
	fmt.Println("leaf", leaf(3, 4))
	for b := 2; b >= 0; b -= 2 {
		n, err := two(7, b)
		fmt.Println("two", n, err != nil)
	}
	text, n := named("hello", []int{1, 2, 3})
	fmt.Println("named", text, n)
	p := pair(-7, 5)
	fmt.Println("pair", p.A, p.B)
	w, k := wide(40)
	fmt.Println("wide", w.V[2], k)
	fmt.Println("half", half(3) == 1.5)
	fmt.Println("Sum", p.Sum(12))
	for i := 1; i < 3; i++ {
		n, k = caught(i)
		fmt.Println("caught", n, k)
	}
	for i := 0; i < 8; i++ {
		done.Add(1)
		go work(i*250, i*250+250, &done)
	}
	done.Wait()
	fmt.Println("moved", sums[2], sums[0])
	fmt.Println("saved", sums[2], sums[1])
}
