/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of all families of probe points, from the list that the build makes of them. */
#include "probe.h"

#define FAMILY(name) extern const struct probe_kind name[];
#include "translator/probe/families.inc"
#undef FAMILY

#define FAMILY(name) name,
const struct probe_kind *const probe_families[] = {
#include "translator/probe/families.inc"
	NULL,
};
