/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites on data, grouped by the bytes that they watch: a debug register serves a group. */
#include "inject/injector.h"
#include "inject/patch/watched.h"
#include "inject/script/script_process.h"
#include "base/message.h"
#include "wire_agent.h"
#include "wire_records.h"

#include <stdlib.h>

static bool same(const struct watched *a, const struct watched *b)
{
	return a->module == b->module && a->addr == b->addr && a->length == b->length &&
	       a->reads == b->reads && a->absolute == b->absolute;
}

/* Find the group of NEW, or add NEW as a group. */
static struct watched *group_of(struct injector *in, const struct watched *new)
{
	for (size_t i = 0; i < in->nwatches; i++)
		if (same(&in->watches[i], new))
			return &in->watches[i];
	in->watches = xrealloc(in->watches, (in->nwatches + 1) * sizeof *in->watches);
	in->watches[in->nwatches] = *new;
	return &in->watches[in->nwatches++];
}

void watch_add(struct injector *in, uint32_t site, const struct ust_site_info *info)
{
	const struct watched new = {.module = info->module,
				    .addr = info->addr,
				    .length = info->length,
				    .pp = info->pp,
				    .reads = info->flags & UST_SITE_INFO_WATCH_READS,
				    .absolute = info->flags & UST_SITE_INFO_ABSOLUTE};
	struct watched *w = group_of(in, &new);

	w->sites = xrealloc(w->sites, (w->nsites + 1) * sizeof *w->sites);
	w->sites[w->nsites++] = site;
}

void watched_note(const struct injector *in)
{
	if (in->watches_missed)
		warning("%u accesses of watched data were missed: the thread's stack was full, or "
			"it "
			"ran 32-bit code",
			in->watches_missed);
	for (size_t i = 0; i < in->nwatches; i++) {
		const struct watched *w = &in->watches[i];
		uint32_t flags = w->seen   ? UST_COUNT_PLACED | UST_COUNT_MAPPED
				 : w->told ? UST_COUNT_FAILED | UST_COUNT_MAPPED
					   : 0;

		if (w->refused > 1)
			warning("probe %s was not armed in %u threads", w->pp, w->refused);
		for (size_t k = 0; k < w->nsites; k++)
			script_note(in->script, w->sites[k], flags);
	}
}

void watched_free(struct injector *in)
{
	for (size_t i = 0; i < in->nwatches; i++)
		free(in->watches[i].sites);
	free(in->watches);
	in->watches = NULL;
	in->nwatches = 0;
}
