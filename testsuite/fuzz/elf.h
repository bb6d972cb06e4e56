/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fuzzers of ELF files: what they share. */
#ifndef FUZZ_ELF_H
#define FUZZ_ELF_H

#include <stddef.h>
#include <stdint.h>

/* Damage the ELF file DATA of SIZE bytes, which may grow up to MAX: bytes of one section, its
 * header, or another header, so that most of the file stays what it was.  The new size.  What is
 * done depends on *SEED, which it moves on. */
size_t elf_damage(uint8_t *data, size_t size, size_t max, uint64_t *seed);

/* Before anything is read; the index of names that is damaged is that of the program BASE, if not
 * NULL. */
void elf_start(const char *base);
/* Everything that is read of a program: listed, probed with all its variables, looked up as the
 * loader does.  DATA may be an index of names instead. */
void elf_read_all(const uint8_t *data, size_t size);
/* The undamaged index of names of BASE; its size, 0: none. */
size_t elf_first_index(uint8_t *data, size_t max);
/* Read file PATH with the script number N only; 0: there is no such script. */
int elf_compile(const char *path, unsigned n);

#endif
