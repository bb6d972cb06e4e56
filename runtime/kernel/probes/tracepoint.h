/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A probe function attached to a kernel tracepoint; tracepoint.c. */
#ifndef USTAP_TRACEPOINT_H
#define USTAP_TRACEPOINT_H

struct tracepoint_hook {
	const char *name;
	void *fn;
	void *data;            /* first argument of fn */
	struct tracepoint *tp; /* private, as what follows */
	bool registered;
};

/* Register w->fn at the tracepoint w->name. -EOPNOTSUPP after a message if the kernel has no such
 * tracepoint. May sleep. */
int tracepoint_hook_add(struct tracepoint_hook *w);
/* Detach the N probes V and wait for those that are running. */
void tracepoint_hooks_remove(struct tracepoint_hook *v, u32 n);

#endif
