/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the code of a Go program where interrupted goroutines continue. */
#ifndef USTAP_INJECT_PATCH_GOROUTINES_H
#define USTAP_INJECT_PATCH_GOROUTINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct tracee;

struct addresses {
	uint64_t *v; /* to be freed */
	size_t n;
};
/* True if F is a program of Go with symbols. */
bool goroutines_possible(const struct elf_file *f);
/* The run-time addresses in [LO, HI) where goroutines of T may continue; T is stopped. F is its
 * program, loaded at BIAS. Sorted. */
struct addresses goroutines_inside(const struct tracee *t, const struct elf_file *f, uint64_t bias,
				   uint64_t lo, uint64_t hi);

#endif
