/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a process has mapped the modules of the script, for backtraces: the loader knows, and writes it to the process's
 * private memory.  Only for scripts that ask for it.
 */
#include "process.h"

#include <stdlib.h>
#include <string.h>

/* The number of the module that M maps; -1: none. */
static int module_of(const struct injector *in, const struct process *p, const struct mapping *m)
{
	uint32_t n = in->blob->made.nmodules;

	for (uint32_t i = 0; m->inode && i < n; i++)
		if (file_is(in->files[i], p->pid, m))
			return (int)i;
	return -1;
}

/* At most UST_MAPPED of them, in V; their number.  Maps are by address. */
static size_t list(const struct injector *in, const struct process *p, const struct maps *maps, struct ust_mapped *v)
{
	size_t n = 0;

	for (size_t i = 0; i < maps->n && n < UST_MAPPED; i++) {
		const struct mapping *m = &maps->v[i];
		int module = module_of(in, p, m);

		if (module >= 0)
			v[n++] = (struct ust_mapped){m->start, m->end, m->offset, (uint32_t)module, 0};
	}
	return n;
}

bool mapped_changed(const struct injector *in, const struct process *p, const struct maps *maps)
{
	struct ust_mapped v[UST_MAPPED];
	size_t n;

	if (!in->blob->made.walks)
		return false;
	n = list(in, p, maps, v);
	return n != p->nmapped || (n && memcmp(v, p->mapped, n * sizeof *v));
}

void mapped_write(const struct injector *in, struct process *p, struct tracee *t, const struct maps *maps)
{
	uint64_t at = in->blob->base + offsetof(struct ust_process, mapped);
	uint32_t n;

	if (!mapped_changed(in, p, maps))
		return;
	p->mapped = xrealloc(p->mapped, UST_MAPPED * sizeof *p->mapped);
	p->nmapped = list(in, p, maps, p->mapped);
	n = (uint32_t)p->nmapped;
	tracee_write(t, at, p->mapped, n * sizeof *p->mapped);
	tracee_write(t, in->blob->base + offsetof(struct ust_process, nmapped), &n, sizeof n);
}
