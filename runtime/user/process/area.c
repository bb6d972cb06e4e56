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
