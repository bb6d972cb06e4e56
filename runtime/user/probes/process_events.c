/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process events: their handlers run in the script process, and are about a subject instead of the
 * process that runs them. Values known only to the kernel are read from /proc.
 */
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/fcntl.h>

#include "user.h"

PRIVATE u32 event_memory;
enum { MSG_NOSIGNAL = 0x4000 };

/* -------------------------------------------------------------- the probes */

static inline u32 kind_of(u32 event) { return UST_PROBE_PROCESS_BEGIN + event; }

u32 events_probed(void)
{
	u32 found = 0, i;

	for (i = 0; i < ust_program.nprobes; i++)
		if (ust_program.probes[i].kind - UST_PROBE_PROCESS_BEGIN < UST_EVENTS)
			found |= 1u << (ust_program.probes[i].kind - UST_PROBE_PROCESS_BEGIN);
	return found;
}

static bool fits(const struct ust_probe *p, u32 event, u32 module, u32 pid)
{
	if (p->kind != kind_of(event))
		return false;
	return p->program ? p->program - 1 == module
			  : !p->process.pid || p->process.pid == (ust_long)pid;
}

void event_probe(u32 i, struct ust_event_probe *to)
{
	const struct ust_probe *p = &ust_program.probes[i];
	u32 event = p->kind - UST_PROBE_PROCESS_BEGIN;

	to->event = event < UST_EVENTS ? event : UST_EVENTS;
	to->module = p->program ? p->program - 1 : UST_NO_MODULE;
	to->pid = p->program ? 0 : p->process.pid;
}

void event_run(u32 event, const struct ust_subject *s)
{
	const struct ust_probe *p = ust_program.probes, *end = p + ust_program.nprobes;
	struct ust_hit hit = {.mode = MODE_EVENT, .subject = s};

	event_memory = s->host_tid;
	for (; p < end && is_armed(); p++) {
		if (!fits(p, event, s->module, s->host_pid))
			continue;
		hit.regs = s->has_regs ? (struct ust_regs *)s->regs : NULL;
		hit.addr = hit.regs ? *regs_pc(hit.regs) : 0;
		hit.probe = p;
		p->handler(&hit);
	}
	event_memory = 0;
}

/* -------------------------------------------------------------- the tracer */

/* The script process may not access the subject: the tracer reads and writes for it. */
static bool ask_tracer(struct ust_memory_request *r, u32 size)
{
	const u32 head = sizeof *r - sizeof r->bytes;
	long n;

	if (!process.broker ||
	    system_call(__NR_sendto, process.broker, (long)r, head + size, MSG_NOSIGNAL, 0, 0) < 0)
		return false;
	do
		n = system_call(__NR_recvfrom, process.broker, (long)r, sizeof *r, 0, 0, 0);
	while (n == -EINTR);
	return n >= (long)head && !r->result && n == (long)(head + r->size);
}

/* Handlers of events run one at a time. */
static PRIVATE struct ust_memory_request request;

u32 event_file(ust_long id, const char *name, char *to, u32 size)
{
	u32 len = strlen(name) + 1, i = 0, n;

	while (i < UST_SUBJECT_FILES && memcmp(name, ust_subject_files[i], len))
		i++;
	if (!event_memory || id != event_memory || i == UST_SUBJECT_FILES)
		return 0;
	request = (struct ust_memory_request){.kind = UST_MEMORY_FILE, .addr = i};
	if (!ask_tracer(&request, 0))
		return 0;
	n = request.size < size ? request.size : size - 1;
	memcpy(to, request.bytes, n);
	to[n] = 0;
	return n;
}

/* ---------------------------------------------------------- the subject */

/* Read the file NAME of the thread in /proc; returns the number of bytes, followed by a NUL; 0 if
 * it cannot be read. */
static u32 read_file(const struct ust_subject *s, const char *name, char *to, u32 size)
{
	char path[64] = "/proc/";
	u32 n = 6;
	long fd, got;

	n += fmt_decimal(path + n, s->host_pid);
	memcpy(path + n, "/task/", 6);
	n += 6;
	n += fmt_decimal(path + n, s->host_tid);
	memcpy(path + n, name, strlen(name) + 1);
	fd = system_call(__NR_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return event_file(s->host_tid, name, to, size);
	got = system_call(__NR_read, fd, (long)to, size - 1, 0, 0, 0);
	system_call(__NR_close, fd, 0, 0, 0, 0, 0);
	to[got > 0 ? got : 0] = 0;
	return got > 0 ? got : 0;
}

static const char *number(const char *p, u64 *v)
{
	*v = 0;
	while (*p == ' ' || *p == '\t')
		p++;
	for (; *p >= '0' && *p <= '9'; p++)
		*v = 10 * *v + (*p - '0');
	return p;
}

ust_long event_status(const struct ust_subject *s, const char *field, u32 n)
{
	static PRIVATE char text[4096 + 16]; /* handlers of events run one at a time */
	u32 len = strlen(field);
	const char *p = text;
	u64 v = 0;

	if (!read_file(s, "/status", text, sizeof text - 16))
		return -1;
	while (*p && memcmp(p, field, len)) {
		while (*p && *p != '\n')
			p++;
		p += *p == '\n';
	}
	if (!*p)
		return -1;
	for (p += len; n + 1; n--)
		p = number(p, &v);
	return v;
}

void event_name(const struct ust_subject *s, char *dst, u32 size)
{
	u32 n = read_file(s, "/comm", dst, size), i;

	for (i = 0; i < n; i++)
		if (dst[i] == '\n')
			dst[i] = 0;
}

bool event_read(void *to, u64 addr, u32 size)
{
	if (size > sizeof request.bytes)
		return false;
	request = (struct ust_memory_request){.kind = UST_MEMORY_READ, .size = size, .addr = addr};
	if (!ask_tracer(&request, 0) || request.size != size)
		return false;
	memcpy(to, request.bytes, size);
	return true;
}

bool event_write(u64 addr, const void *from, u32 size)
{
	if (size > sizeof request.bytes)
		return false;
	request.kind = UST_MEMORY_WRITE;
	request.size = size;
	request.addr = addr;
	memcpy(request.bytes, from, size);
	return ask_tracer(&request, size);
}

static bool ask_strings(u64 v[4])
{
	request = (struct ust_memory_request){.kind = UST_MEMORY_STRINGS};
	if (!ask_tracer(&request, 0) || request.size != 4 * sizeof *v)
		return false;
	memcpy(v, request.bytes, 4 * sizeof *v);
	return true;
}

/* Fields 48 to 51 of /proc/PID/stat, proc(5); the second, in parentheses, may contain any bytes.
 * They are 0 for a reader without permission. */
bool event_strings(const struct ust_subject *s, bool environment, u64 *start, u64 *end)
{
	enum { AFTER_NAME = 2, ARGUMENTS = 48, ENVIRONMENT = 50 };
	static PRIVATE char text[2048];
	u32 n = read_file(s, "/stat", text, sizeof text), field,
	    first = environment ? ENVIRONMENT : ARGUMENTS;
	const char *p = text + n;
	u64 asked[4];

	while (p > text && *p != ')')
		p--;
	for (field = AFTER_NAME; p < text + n && field < first; field++)
		for (p++; *p && *p != ' '; p++)
			;
	p = number(p, start);
	number(p, end);
	if (!*start && ask_strings(asked)) {
		*start = asked[environment ? 2 : 0];
		*end = asked[environment ? 3 : 1];
	}
	return *start < *end;
}
