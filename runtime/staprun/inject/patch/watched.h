/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites on data: what the debug registers of processes are to watch (process/watch.c sets them). */
#ifndef USTAP_INJECT_PATCH_WATCHED_H
#define USTAP_INJECT_PATCH_WATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct injector;
struct ust_site_info;

/* Bytes that one or more sites of the script watch. */
struct watched {
	uint32_t *sites, module; /* numbers of the sites, and of their module */
	size_t nsites;
	uint64_t addr;
	unsigned length;
	const char *pp; /* probe point of the first site */
	bool reads, absolute;
	bool seen, told;  /* watched in some thread; a failure was reported */
	unsigned refused; /* threads in which it could not be watched */
};

/* Add site number SITE of the script, which INFO describes. */
void watch_add(struct injector *in, uint32_t site, const struct ust_site_info *info);
/* Pass the state of the sites to the script, and report what was missed. */
void watched_note(const struct injector *in);

/* Free all of them. */
void watched_free(struct injector *in);

#endif
