// SPDX-License-Identifier: GPL-2.0-or-later
// Server that answers each request and prints a line for it; testsuite/real/run counts both.
package main

import (
	"fmt"
	"net/http"
	"os"
)

//go:noinline
func handle(w http.ResponseWriter, r *http.Request) {
	fmt.Printf("GET %s\n", r.URL.Path)
	fmt.Fprintln(w, "hello")
}

func main() {
	http.HandleFunc("/", handle)
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
