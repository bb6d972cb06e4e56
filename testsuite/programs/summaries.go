// SPDX-License-Identifier: GPL-2.0-or-later
// Values of Go; ustap.process/summaries_go.stp says what they are.
package main

import (
	"errors"
	"os"
)

type who struct {
	Name string
	Age  int
	Tags []string
}

var sink int

//go:noinline
func texts(a string, b []int, c []string) {
	sink = len(a) + len(b) + len(c)
}

//go:noinline
func members(w *who) {
	count(w.Age)
	sink += len(w.Name)
}

//go:noinline
func count(n int) {
	sink += n
}

//go:noinline
func maps(m map[string]int, w map[int8]who, grown map[int]int, none map[int]int) {
	sink = len(m) + len(w) + len(grown) + len(none)
}

type box struct {
	Any interface{}
	Err error
}

//go:noinline
func dynamic(a, b, c, d interface{}, f error, g error, x *box) {
	sink++
}

func interfaces() {
	_, err := os.Open("/nonexistent/file")
	dynamic(5, "text", who{"Ann", 19, nil}, &who{"Bo", 4, nil}, errors.New("bad"), nil,
		&box{[]int{1, 2}, err})
	dynamic(2.5, map[string]int{"k": 1}, nil, int8(-3), nil, nil, &box{})
}

func main() {
	interfaces()
	texts("hello", []int{1, 2, 3}, []string{"a", "bc"})
	grown := map[int]int{}
	for i := 0; i < 53; i++ { // the last one makes the map grow
		grown[i] = i
	}
	maps(map[string]int{"b": 2, "a": 1}, map[int8]who{-7: {"Bo", 3, nil}}, grown, nil)
	large := map[int]int{}
	for i := 0; i < 20000; i++ {
		large[i] = i
	}
	maps(nil, nil, large, nil)
	members(&who{"Ann", 19, []string{"t"}})
}
