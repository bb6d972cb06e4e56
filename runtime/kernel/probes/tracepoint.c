/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel tracepoints, looked up by name. */
#include <linux/tracepoint.h>

#include "rt.h"
#include "probes/tracepoint.h"
#include "wire_records.h"

static void find_tracepoint(struct tracepoint *tp, void *arg)
{
	struct tracepoint_hook *w = arg;

	if (!strcmp(tp->name, w->name))
		w->tp = tp;
}

int tracepoint_hook_add(struct tracepoint_hook *w)
{
	int err;

	for_each_kernel_tracepoint(find_tracepoint, w);
	if (!w->tp) {
		relay_message(UST_REC_ERROR, "this kernel has no tracepoint %s", w->name);
		return -EOPNOTSUPP;
	}
	err = tracepoint_probe_register(w->tp, w->fn, w->data);
	w->registered = !err;
	return err;
}

void tracepoint_hooks_remove(struct tracepoint_hook *v, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (v[i].registered)
			tracepoint_probe_unregister(v[i].tp, v[i].fn, v[i].data);
	tracepoint_synchronize_unregister();
	for (i = 0; i < n; i++)
		v[i].registered = false;
}
