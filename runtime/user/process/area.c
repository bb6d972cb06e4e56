/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Areas of trampolines in this process, of which the loader keeps a list. */
#include "user.h"

const struct ust_area *area_at(u64 pc)
{
	u32 n = process.nareas < UST_AREAS ? process.nareas : UST_AREAS, i;

	for (i = 0; i < n; i++)
		if (process.areas[i].start && pc - process.areas[i].start < process.areas[i].size)
			return &process.areas[i];
	return NULL;
}

/* ------------------------------------------------- instructions in trampolines */

static u32 extents(void) { return process.nextents < UST_EXTENTS ? process.nextents : UST_EXTENTS; }

/* Areas that unwinders need no rules for are not in the list above. */
static bool is_in_extent(u64 pc)
{
	u32 n = extents(), i;

	for (i = 0; i < n; i++)
		if (pc - process.extents[i].start < process.extents[i].size)
			return true;
	return false;
}

/* The record of the trampoline that PC is in, or NULL: the nearest one before it. */
static const struct ust_record *record_at(u64 pc)
{
	const struct ust_record *found = NULL;
	u32 n = extents(), i, k;

	for (i = 0; i < n; i++) {
		const struct ust_record *r = (const struct ust_record *)process.extents[i].records;

		for (k = 0; k < process.extents[i].nrecords; k++)
			if (pc - r[k].stub < UST_STUB_MAX && (!found || r[k].stub > found->stub))
				found = &r[k];
	}
	return found;
}

u64 area_origin(u64 pc)
{
	const struct ust_record *r = is_in_extent(pc) ? record_at(pc) : NULL;
	u64 origin = r ? r->addr : pc;
	u32 i, to = 0;

	for (i = 0; r && i < r->nmap && i < sizeof r->map / sizeof *r->map; i++)
		if (r->map[i].to >= to && r->map[i].to <= pc - r->stub) {
			to = r->map[i].to;
			origin = r->addr + r->map[i].from;
		}
	return origin;
}
