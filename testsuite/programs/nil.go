// SPDX-License-Identifier: GPL-2.0-or-later
// Accesses through nil pointers, which end a function by a panic that is recovered: for
// testsuite/ustap.user/nil_go.stp.
package main

import "fmt"

type pair struct{ a, b int }

//go:noinline
func (p *pair) second() int { return p.b }

//go:noinline
func (p *pair) add(n int) int {
	x := [4]int{n, n + 1}
	x[n&3] += n
	p.a += x[1]
	return p.a + x[n&3]
}

func try(f func() int) (result string) {
	defer func() {
		if e := recover(); e != nil {
			result = fmt.Sprint(e)
		}
	}()
	return fmt.Sprint(f())
}

func main() {
	var none *pair
	some := &pair{1, 2}
	for i := 0; i < 100; i++ {
		a := try(some.second) + try(none.second)
		b := try(func() int { return some.add(i) }) + try(func() int { return none.add(i) })
		if i%33 == 0 {
			fmt.Println(a)
			fmt.Println(b)
		}
	}
}
