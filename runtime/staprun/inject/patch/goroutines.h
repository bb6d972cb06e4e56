/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the code of a Go program where interrupted goroutines continue. */
#ifndef USTAP_INJECT_PATCH_GOROUTINES_H
#define USTAP_INJECT_PATCH_GOROUTINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct tracee;

/* A set of addresses of code, one bit for each byte in [LO, HI); BITS NULL: it is empty. */
struct addresses {
	uint64_t lo, hi;
	uint8_t *bits; /* to be freed */
};
/* True if an address in [LO, HI) is in S. */
bool addresses_in(const struct addresses *s, uint64_t lo, uint64_t hi);
/* True if F is a program of Go with symbols. */
bool goroutines_possible(const struct elf_file *f);
/* The run-time addresses in [LO, HI) where goroutines of T may continue, or all if these are too
 * many to look at; T is stopped. F is its program, loaded at BIAS. */
struct addresses goroutines_inside(const struct tracee *t, const struct elf_file *f, uint64_t bias,
				   uint64_t lo, uint64_t hi);

#endif
