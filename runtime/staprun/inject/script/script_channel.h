/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The script process: a child of the tracer that runs begin, end, timer and event handlers. Both
 * ends of the two sockets between them are declared here.
 *
 *   script_channel.c the tracer's end: commands out, replies in
 *   script_process.c the process itself
 *   confine.c privileges that it drops before any traced process can reach it
 *
 * process/broker.c serves its requests for memory of the process that an event is about.
 *
 * Handlers follow pointers in shared memory, so a traced process can make this process execute
 * anything. The tracer takes from its messages only that a job or an event is done.
 */
#ifndef USTAP_SCRIPT_H
#define USTAP_SCRIPT_H

#include "inject/elf/elf.h"
#include "inject/script/script_process.h"
#include "wire_agent.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum script_order_kind {
	ORDER_BEGIN,
	ORDER_END,
	ORDER_VIEW,
	ORDER_INPUT,
	ORDER_EVENT,
	ORDER_NOTES,
	ORDER_WAKE
};
enum { ORDER_NOTES_MAX = 128 };

struct script_note {
	uint32_t site, flags;
}; /* enum ust_count_flags */

/* UST_CMD_VIEW: enum ust_view_flags, and the index of a probe. */
struct script_view {
	uint32_t flags;
	int64_t target;
};

struct script_order {
	uint32_t kind;
	uint32_t n; /* enum ust_event; for ORDER_NOTES, the number of notes; for
		     * ORDER_INPUT, of characters; for ORDER_END, the flags of UST_CMD_STOP */
	union {
		struct ust_subject subject;
		struct script_note notes[ORDER_NOTES_MAX];
		unsigned char input[UST_INPUT_CHARS];
		struct script_view view;
	};
};

enum script_reply_kind { REPLY_JOB, REPLY_EVENT };
struct script_reply {
	uint32_t kind;
	int32_t error;
};

/* ORDERS and MEMORY: ends of two sockets. EXPOSED: traced processes map the script's memory. */
void script_process(const struct blob *b, int orders, int memory, bool exposed)
	__attribute__((noreturn));

/* Drop everything that handlers do not need: user and group ids, capabilities, descriptors other
 * than KEEP, most system calls, most files. False with errno set if a required part could not be
 * dropped. */
bool confine(const int *keep, size_t nkeep);
/* Close descriptors other than KEEP; the standard ones become /dev/null. */
bool close_others(const int *keep, size_t nkeep);
/* confine() for a process that only reads FILE and other files received through SOCKET. */
bool confine_reader(int socket, int file);

#endif
