// SPDX-License-Identifier: GPL-2.0-or-later
// Values of Go; ustap.process/summaries_go.stp says what they are.
package main

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

func main() {
	texts("hello", []int{1, 2, 3}, []string{"a", "bc"})
	members(&who{"Ann", 19, []string{"t"}})
}
