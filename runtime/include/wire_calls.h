/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording of calls: what the runtime writes as output of a script that records calls, and
 * ustap-report reads.
 *
 * A recording is a sequence of chunks in the byte order of the machine. The traced process can
 * write any bytes into it, so a reader trusts no length, number or text.
 */
#ifndef USTAP_WIRE_CALLS_H
#define USTAP_WIRE_CALLS_H

#include <linux/types.h>

#define UST_CALLS_MAGIC 0x31736c6c61637375ull /* "uscalls1" */

enum ust_calls_type {
	UST_CALLS_SITES = 1,   /* struct ust_calls_site, each with its text */
	UST_CALLS_EVENTS = 2,  /* struct ust_calls_events, then its events */
	UST_CALLS_TRIGGER = 3, /* struct ust_calls_moment: the condition of --trigger was true */
	UST_CALLS_START = 4,   /* struct ust_calls_moment: the recording begins */
	UST_CALLS_VALUES = 5   /* struct ust_calls_values and its text */
};

/* The start of a chunk; LEN bytes, a multiple of 8, follow. */
struct ust_calls_head {
	__u64 magic;
	__u32 type; /* enum ust_calls_type */
	__u32 len;
};

/* A site by its number, or with UST_CALLS_MODULE a file by its number. LEN bytes of text follow,
 * and padding to a multiple of 8: the function and the probe point of a site, the path of a file,
 * each with its NUL. */
struct ust_calls_site {
	__u32 index, module;
	__u32 flags; /* enum ust_calls_flags */
	__u32 len;
	__u64 addr; /* in the file's own numbering */
};
enum ust_calls_flags {
	UST_CALLS_RETURN = 1, /* a function returns */
	UST_CALLS_MODULE = 2,
	UST_CALLS_WINDOW = 4, /* of struct ust_calls_events: the events before are not recorded */
};

/* Events of one thread, the oldest first. TICKS and NS are the processor's clock and
 * CLOCK_MONOTONIC at the same moment. Threads are numbered in the process's pid namespace, so
 * PID and TID can be those of two threads, one after the other or in two namespaces; SINCE, the
 * lower half of the ticks when the thread was first seen, differs. */
struct ust_calls_events {
	__u64 first; /* number of the first event among all of the thread, with dropped ones */
	__u64 ticks, ns;
	__u32 n, flags;
	__u32 pid, tid;
	__u32 since, pad;
};

/* A function was entered, or has returned. SLOT is the address of its return address on the stack,
 * divided by 8: the same for both events of a call. */
struct ust_call_event {
	__u64 ticks;
	__u32 site, slot;
};

/* Arguments of a call, or what it returned. LEN bytes of text follow, at most UST_CALLS_TEXT_MAX,
 * and padding to a multiple of 8. */
struct ust_calls_values {
	__u64 number; /* of the event among all of the thread, as in struct ust_calls_events */
	__u32 pid, tid;
	__u32 len, since; /* since: as in struct ust_calls_events */
};
#define UST_CALLS_TEXT_MAX 256u

/* The two clocks at one moment, and a thread. */
struct ust_calls_moment {
	__u64 ticks, ns;
	__u32 pid, tid;
};

#endif
