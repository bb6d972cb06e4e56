/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fuzzer of names: what its files share. */
#ifndef FUZZ_NAMES_H
#define FUZZ_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write other names over those that the ELF file DATA has in its debug information, symbol tables,
 * SDT notes and BTF, at their length.  Which, and with what, depends on SEED alone.  HOSTILE: with
 * bytes that mean something in C; else with the letters that names_letter() gives for these bytes.
 * The number of names that were changed. */
size_t names_change(uint8_t *data, size_t size, uint64_t seed, bool hostile);
/* The same of one name of N bytes. */
void names_change_one(char *name, size_t n, uint64_t seed, bool hostile);
/* The letter that stands for the byte CH in harmless names; other bytes are themselves. */
char names_letter(char ch);
/* Have A and B the same tokens?  Comments do not count, and bytes of string literals are compared
 * by their letters. If not, WHY says where. */
bool names_same_tokens(const char *a, const char *b, char *why, size_t max);

#endif
