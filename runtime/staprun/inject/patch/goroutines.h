/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the code of a Go program where interrupted goroutines continue. */
#ifndef USTAP_INJECT_PATCH_GOROUTINES_H
#define USTAP_INJECT_PATCH_GOROUTINES_H

#include <stdbool.h>
#include <stdint.h>

struct addresses;
struct elf_file;
struct tracee;

/* True if F is a program of Go with symbols. */
bool goroutines_possible(const struct elf_file *f);
/* Add the run-time addresses where goroutines of T may continue, or all if these are too many to
 * look at; T is stopped. F is its program, loaded at BIAS. */
void goroutines_add(struct addresses *to, const struct tracee *t, const struct elf_file *f,
		    uint64_t bias);

#endif
