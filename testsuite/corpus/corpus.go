// SPDX-License-Identifier: GPL-2.0-or-later
// As corpus.c: functions of Go that print what they were given.
package main

import (
	"fmt"
	"math"
	"os"
)

type Pair struct {
	A int64
	B int16
}

type Big struct {
	V    [8]int32
	Name string
}

type Shape interface{ Area(k int) int }

// probe: main.ints d $a
// probe: main.ints d $b
// probe: main.ints d $c
// probe: main.ints d $d
// probe: main.ints d $e
// probe: main.ints d $f
// probe: main.ints d $g
// probe: main.ints d $h
//go:noinline
func ints(a int8, b uint8, c int16, d uint16, e int32, f uint32, g int64, h bool) int64 {
	n := 0
	if h {
		n = 1
	}
	fmt.Printf("main.ints $a %d\nmain.ints $b %d\nmain.ints $c %d\nmain.ints $d %d\n",
		a, b, c, d)
	fmt.Printf("main.ints $e %d\nmain.ints $f %d\nmain.ints $g %d\nmain.ints $h %d\n",
		e, f, g, n)
	return g
}

// probe: main.many d $a
// probe: main.many d $i
// probe: main.many d $j
// probe: main.many d $k
// probe: main.many d $l
//go:noinline
func many(a, b, c, d, e, f, g, h, i, j, k int, l int16) int {
	fmt.Printf("main.many $a %d\nmain.many $i %d\nmain.many $j %d\nmain.many $k %d\n"+
		"main.many $l %d\n",
		a, i, j, k, l)
	return b + c + d + e + f + g + h
}

// probe: main.floats x $a
// probe: main.floats x $b
// probe: main.floats d $n
//go:noinline
func floats(a float64, b float32, n uint) float64 {
	fmt.Printf("main.floats $a %x\nmain.floats $b %x\nmain.floats $n %d\n",
		math.Float64bits(a), math.Float64bits(float64(b)), n)
	return a
}

// probe: main.text n $s->str $s->len
// probe: main.text d $v->len
// probe: main.text d $v->array[1]
//go:noinline
func text(s string, v []int32) int {
	fmt.Printf("main.text $s->str,$s->len %s\nmain.text $v->len %d\n"+
		"main.text $v->array[1] %d\n",
		s, len(v), v[1])
	return len(s)
}

// probe: main.structs d $p->A
// probe: main.structs d $p->B
// probe: main.structs d $big->V[3]
// probe: main.structs n $big->Name->str $big->Name->len
// probe: main.structs d $last
//go:noinline
func structs(p Pair, big *Big, last int32) int64 {
	fmt.Printf("main.structs $p->A %d\nmain.structs $p->B %d\nmain.structs $big->V[3] %d\n",
		p.A, p.B, big.V[3])
	fmt.Printf("main.structs $big->Name->str,$big->Name->len %s\nmain.structs $last %d\n",
		big.Name, last)
	return p.A
}

// probe: main.(*Pair).Sum d $p->A
// probe: main.(*Pair).Sum d $k
//go:noinline
func (p *Pair) Sum(k int8) int64 {
	fmt.Printf("main.(*Pair).Sum $p->A %d\nmain.(*Pair).Sum $k %d\n", p.A, k)
	return p.A
}

// probe: main.Big.Area d $b->V[2]
// probe: main.Big.Area d $k
//go:noinline
func (b Big) Area(k int) int {
	fmt.Printf("main.Big.Area $b->V[2] %d\nmain.Big.Area $k %d\n", b.V[2], k)
	return k
}

// probe: main.freeHand d $a
// probe: main.freeHand d $b
func freeHand(a, b int) int {
	fmt.Printf("main.freeHand $a %d\nmain.freeHand $b %d\n", a, b)
	return a * b
}

func main() {
	n := len(os.Args)
	p := Pair{-9000000000, -7}
	big := Big{[8]int32{int32(n), 2, -3, 4}, "big one"}
	sum := ints(-128, 200, -30000, 60000, int32(n-2000000000), 4000000000, -5000000000, true)
	sum += int64(many(n, 2, 3, 4, 5, 6, 7, 8, -9, -10, n-12, -12))
	sum += int64(floats(1.5, -2.25, 7)) + int64(text("some text", []int32{int32(n), -22, 3}))
	sum += structs(p, &big, int32(n)+41) + p.Sum(int8(n-5)) + int64(big.Area(n+8)) +
		int64(freeHand(n+20, n+21))
	if sum == 0 {
		os.Exit(1)
	}
}
