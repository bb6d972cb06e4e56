/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracepoint.c: one of the kernel's tracepoints. */
#ifndef USTAP_WATCH_H
#define USTAP_WATCH_H

struct watch {
	const char *name;
	void *fn;
	struct tracepoint *tp;
	bool registered;
};

int watch_start(struct watch *w);
/* N of them; and wait for those who are inside. */
void watch_stop(struct watch *v, u32 n);

#endif
