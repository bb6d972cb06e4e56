/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conversion of a kernel's BTF to an ELF file with DWARF. */
#ifndef USTAP_BTF_H
#define USTAP_BTF_H

#include "base/util.h"

/* Functions of that name are tracepoints: their parameters are what probes are given. */
#define BTF_TRACE "__traceiter_"

/* Read PATH, an ELF file with BTF or BTF alone (that of a kernel module counts on from BASE_PATH,
 * which else is NULL); OUT gets the file. False: no readable BTF found. */
bool btf_to_elf(const char *path, const char *base_path, struct strbuf *out);
/* The same of functions of which nothing is known but their NAMES. */
bool names_to_elf(const name_vec *names, struct strbuf *out);

/* btf_reach.c: of each type that a module with types from FIRST on needs, if it is written out or
 * only declared; to be freed, as there are thousands of modules. */
enum { BTF_UNUSED, BTF_BRIEF, BTF_WHOLE };
struct btf;
/* FIRST: number of the module's first type, 1 for vmlinux. Returns one byte for each type of BTF,
 * BTF_UNUSED, BTF_BRIEF or BTF_WHOLE, from calloc(). */
unsigned char *btf_reach(const struct btf *btf, uint32_t first);

#endif
