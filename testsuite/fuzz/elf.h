/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface of the ELF fuzzers. */
#ifndef FUZZ_ELF_H
#define FUZZ_ELF_H

#include <stddef.h>
#include <stdint.h>

/* Damage the ELF file DATA of SIZE bytes, which may grow up to MAX: bytes of one section, its
 * header, or another header, so that most of the file is intact. Returns the new size. The damage
 * depends on *SEED, which advances. */
size_t elf_damage(uint8_t *data, size_t size, size_t max, uint64_t *seed);

/* To be called first; if BASE is not NULL, the name index of that program is damaged. */
void elf_start(const char *base);
/* Remove the files that elf_start() and elf_read_all() have made. */
void elf_end(void);
/* Read a program completely: list it, probe it with all its variables, look it up as the loader
 * does. DATA may be a name index instead. */
void elf_read_all(const uint8_t *data, size_t size);
/* Get the undamaged name index of BASE; returns its size, 0 if there is no index. */
size_t elf_first_index(uint8_t *data, size_t max);
/* Compile script number N for file PATH; returns 0 if N is too large. */
int elf_compile(const char *path, unsigned n);

#endif
