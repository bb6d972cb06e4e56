/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A probe function attached to a kernel tracepoint; tracepoint.c. */
#ifndef USTAP_WATCH_H
#define USTAP_WATCH_H

struct watch {
	const char *name;
	void *fn;
	struct tracepoint *tp;
	bool registered;
};

int watch_start(struct watch *w);
/* Detach the N probes V and wait for those that are running. */
void watch_stop(struct watch *v, u32 n);

#endif
