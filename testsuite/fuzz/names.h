/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface of the name fuzzer. */
#ifndef FUZZ_NAMES_H
#define FUZZ_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Overwrite names in the debug information, symbol tables, SDT notes and BTF of the ELF file DATA,
 * keeping their length. SEED alone determines which names, and the new ones. HOSTILE: with bytes
 * that have a meaning in C; else with the letters that names_letter() returns for these bytes.
 * Returns the number of changed names. */
size_t names_change(uint8_t *data, size_t size, uint64_t seed, bool hostile);
/* Change one name of N bytes. */
void names_change_one(char *name, size_t n, uint64_t seed, bool hostile);
/* The letter for byte CH in harmless names; other bytes are not changed. */
char names_letter(char ch);
/* True if A and B have the same tokens. Comments are ignored, and bytes of string literals are
 * compared by their letters. Otherwise WHY describes the difference. */
bool names_same_tokens(const char *a, const char *b, char *why, size_t max);

#endif
