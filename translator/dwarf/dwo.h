/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with the debug information of one split unit; see split_units.c. */
#ifndef USTAP_DWO_H
#define USTAP_DWO_H

#include "dwarf.h"

struct dwp;
/* The first of the two files that is there; never NULL. */
struct dwp *dwp_open(const char *path, const char *other);
/* Close the files of P; NULL is allowed. */
void dwp_close(struct dwp *p);
const char *dwp_path(const struct dwp *p); /* NULL: not found */
/* A file in memory with the unit ID alone, as if
 * it were a .dwo; -1: it is not there, or damaged. */
int dwp_unit(struct dwp *p, uint64_t id);
/* The same from a .dwo or object file, which may have it in several sections. */
int dwo_file(const char *path);
/* "debug_info" of ".debug_info" and ".zdebug_info", whose contents are then inflated; NULL: not a
 * section of that kind. */
const char *dwo_section_name(Elf *elf, Elf_Scn *scn, size_t names);

#endif
