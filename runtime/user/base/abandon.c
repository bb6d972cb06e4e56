/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks and cells that a handler held when the program left it by longjmp(). */
#include "user.h"
#include "arrays/arrays.h"

static void abandon(struct owned *l, u32 self)
{
	if (READ_ONCE(l->owner) != self)
		return;
	WRITE_ONCE(l->broken, 1);
	smp_store_release(&l->owner, 0);
}

static void abandon_cells(void *cells, u32 self)
{
	u32 i;

	for (i = 0; i < port_ncpus(); i++)
		abandon(port_percpu(cells, i), self);
}

void lock_abandon(u32 self)
{
	u32 i;

	for (i = 0; i < ust_program.ngvars; i++) {
		struct ust_gvar *g = ust_program.gvars[i];

		if (g->storage == UST_COUNTER)
			continue;
		if (g->storage == UST_AGG) {
			abandon_cells(g->impl, self);
			if (!stat_has_more(g))
				thread_stats_abandon(g->threads, self);
			continue;
		}
		abandon(&((struct port_glock *)g->impl)->lock, self);
		if (g->storage != UST_AGG_ARRAY)
			continue;
		abandon(&((struct map *)g->impl)->lock, self);
		abandon_cells(((struct map *)g->impl)->cells, self);
	}
}
