/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hosted port: a runtime for emitted C in an ordinary process. It runs begin probes, one made-up
 * hit of each site, timers on a clock that jumps to the next one, then end or error probes. Output
 * goes to standard output, errors and warnings to standard error, in the format of staprun. "User
 * memory" is this process's own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "wire_records.h"

static struct ctx context;
static bool busy, exiting;
static u64 errors, cpu_moves, cut_strings;
static ust_long virtual_ns;

static void die(const char *why)
{
	fflush(stdout);
	fprintf(stderr, "hosted port: %s\n", why);
	abort();
}

/* ------------------------------------------------------- locks, per-CPU */

void port_take(port_lock_t *l, bool taken)
{
	if (l->taken == taken)
		die(taken ? "lock taken twice" : "lock released twice");
	l->taken = taken;
}

struct percpu {
	size_t size;
};

void *port_percpu_alloc(size_t size)
{
	struct percpu *p = calloc(1, sizeof *p + size * PORT_CPUS);

	if (!p)
		return NULL;
	p->size = size;
	return p + 1;
}

void port_percpu_free(void *p)
{
	if (p)
		free((struct percpu *)p - 1);
}

void *port_percpu(void *p, u32 cpu)
{
	if (!port_cpu_exists(cpu))
		die("data of a missing CPU used");
	return (char *)p + ((struct percpu *)p - 1)->size * cpu;
}

void *port_percpu_here(void *p) { return port_percpu(p, cpu_moves++ & 1 ? 2 : 0); }

/* -------------------------------------------------------------- contexts */

u64 port_name_key(void) { return 0; }

void port_string_cut(void) { cut_strings++; }

void ust_gate_turn(struct ust_gate *g, _Bool on) { g->on = on; }

void ust_gates_open(struct ust_hit *hit) { (void)hit; }

static bool runs_alone(const struct ust_hit *hit)
{
	return hit->probe && hit->probe->kind <= UST_PROBE_ERROR;
}

u32 hosted_max_actions;
u64 hosted_cycles = 678;

struct ust_ctx *ust_enter(struct ust_hit *hit)
{
	if (busy)
		die("a handler entered twice");
	busy = true;
	ctx_reset(&context, hit);
	hosted_max_actions = ust_program.maxaction;
	if (runs_alone(hit))
		hosted_max_actions = ust_program.maxaction > UINT32_MAX / 20
					     ? UINT32_MAX / 2
					     : 10 * ust_program.maxaction;
	context.checkpoint = ctx_first_checkpoint(hosted_max_actions);
	return &context.pub;
}

void ust_lock(struct ust_ctx *c, const struct ust_lockset *ls)
{
	if (runs_alone(c->hit))
		die("a handler that runs alone takes locks");
	for (u32 i = 1; i < ls->n; i++)
		if (ls->v[i].g == ls->v[i - 1].g)
			die("a global locked twice");
}

void ust_leave(struct ust_ctx *c)
{
	ctx_flush(c, false);
	if (c->depth)
		die("a script function did not return");
	if (!c->failed && c->frame != context.frames &&
	    c->frame > context.frames + ust_program.frame_size)
		die("frames left");
	if (c->failed && !ctx_of(c)->now.aborted)
		ctx_report(&context);
	busy = false;
}

static bool context_init(void)
{
	if (!ctx_make(&context))
		return false;
	memset(context.frames, '?', ust_program.frame_size); /* frames are not zeroed */
	return true;
}

/* After errors as many as the script permits failed() ends it. */
void port_exit(enum failure why) { exiting |= why == FAILURE_NONE; }

u64 port_count_error(void) { return ++errors; }

/* Print output, errors and warnings; scripts that run commands or switch files need real
 * runtimes. */
bool port_write_lossless(struct ust_ctx *c, u32 type, const char *data, u32 len)
{
	port_write(type, data, len, c->hit->mode == PORT_ALONE);
	return false;
}

void port_write_output(struct ust_ctx *c, u32 type, const char *data, u32 len)
{
	port_write(type, data, len, c->hit->mode == PORT_ALONE);
}

void port_write(u32 type, const char *data, u32 len, bool may_wait)
{
	(void)may_wait;
	if (type == UST_REC_WARN || type == UST_REC_ERROR) {
		fflush(stdout);
		fprintf(stderr, "%s: %.*s\n", type == UST_REC_WARN ? "WARNING" : "ERROR", (int)len,
			data);
	} else if (type == UST_REC_OUT) {
		fwrite(data, 1, len, stdout);
	}
}

/* ----------------------------------------------------------------- memory */

static bool read_memory(void *dst, u64 addr, size_t size)
{
	struct iovec to = {dst, size}, from = {(void *)(uintptr_t)addr, size};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size;
}

ust_u64 ust_load(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	u64 v = 0;

	if (!read_memory(&v, addr, size))
		ctx_fail_addr(c, "read fault at ", addr);
	return v;
}

ust_u64 ust_touch(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	u64 v = 0;

	(void)c;
	return read_memory(&v, addr, size) ? v : 0;
}

bool port_read(struct ust_ctx *c, u64 addr, u32 size, u64 *to)
{
	(void)c;
	*to = 0;
	return read_memory(to, addr, size);
}

void port_fault(struct ust_ctx *c, u64 addr) { ctx_fail_addr(c, "read fault at 0x", addr); }

bool port_killed(struct ust_ctx *c)
{
	(void)c;
	return false;
}

void ust_touch_string(struct ust_ctx *c, ust_u64 addr)
{
	(void)c;
	(void)addr;
}

bool port_read_string(struct ust_ctx *c, char *dst, u64 addr, u32 max, u32 *len)
{
	u32 n = 0;

	(void)c;
	while (n < max && read_memory(dst + n, addr + n, 1) && dst[n])
		n++;
	*len = n;
	if (n < max && dst[n])
		return false;
	dst[n] = 0;
	return true;
}

/* --------------------------------------------------------------- builtins */

#define LONG_BUILTIN(name, value)         \
	ust_long name(struct ust_ctx *c)  \
	{                                 \
		(void)c;                  \
		return (ust_long)(value); \
	}
void ust_raise(struct ust_ctx *c, ust_long signal) { (void)c, (void)signal; }

ust_long ust_task(struct ust_ctx *c, ust_long id, ust_long field)
{
	(void)c, (void)id, (void)field;
	return 0;
}

const char *ust_task_name(struct ust_ctx *c, char *dst, ust_long id)
{
	(void)c, (void)dst, (void)id;
	return "";
}

ust_long ust_task_of_id(struct ust_ctx *c, ust_long id) { return ust_task(c, id, 0); }
ust_long ust_task_at(struct ust_ctx *c, ust_long task, ust_long field)
{
	return ust_task(c, task, field);
}
const char *ust_task_name_at(struct ust_ctx *c, char *dst, ust_long task)
{
	return ust_task_name(c, dst, task);
}
LONG_BUILTIN(ust_task_current, getpid())

LONG_BUILTIN(ust_pgrp, getpgrp())
LONG_BUILTIN(ust_sid, getsid(0))
LONG_BUILTIN(ust_stp_pid, getpid())
LONG_BUILTIN(ust_pid, getpid())
LONG_BUILTIN(ust_tid, getpid())
LONG_BUILTIN(ust_ppid, getppid())
LONG_BUILTIN(ust_uid, getuid())
LONG_BUILTIN(ust_euid, geteuid())
LONG_BUILTIN(ust_gid, getgid())
LONG_BUILTIN(ust_egid, getegid())
LONG_BUILTIN(ust_cpu, 0)
LONG_BUILTIN(ust_target, 0)
LONG_BUILTIN(ust_is_return, 0)
LONG_BUILTIN(ust_user_mode, 0)
LONG_BUILTIN(ust_uaddr, 0)

ust_long ust_gettimeofday_ns(struct ust_ctx *c)
{
	struct timespec t;

	(void)c;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec + virtual_ns;
}

ust_long ust_gettimeofday_us(struct ust_ctx *c) { return ust_gettimeofday_ns(c) / 1000; }
ust_long ust_gettimeofday_ms(struct ust_ctx *c) { return ust_gettimeofday_ns(c) / 1000000; }
ust_long ust_gettimeofday_s(struct ust_ctx *c) { return ust_gettimeofday_ns(c) / 1000000000; }

static const char *copy(char *dst, const char *s)
{
	ust_strcpy(dst, s);
	return dst;
}

const char *ust_execname(struct ust_ctx *c, char *dst)
{
	(void)c;
	return copy(dst, program_invocation_short_name);
}

const char *ust_pexecname(struct ust_ctx *c, char *dst)
{
	(void)c;
	return copy(dst, "parent");
}

struct port_mapping hosted_mapping;

bool port_find_mapping(struct ust_ctx *c, u64 addr, struct port_mapping *to)
{
	(void)c;
	*to = hosted_mapping;
	return addr - to->start < to->end - to->start;
}

u64 port_file_start(struct ust_ctx *c, u64 addr)
{
	(void)c, (void)addr;
	return 0;
}

const char *port_mapping_path(struct ust_ctx *c, u64 addr)
{
	(void)c, (void)addr;
	return NULL;
}

u64 port_program_address(struct ust_ctx *c, u64 pc)
{
	(void)c;
	return pc;
}

u64 port_unwind_table(struct ust_ctx *c, u64 pc)
{
	(void)c, (void)pc;
	return 0;
}

bool port_find_module(struct ust_ctx *c, u32 module, u64 offset, u64 *addr)
{
	(void)c, (void)module, (void)offset, (void)addr;
	return false;
}

ust_u64 ust_thread_pointer(struct ust_ctx *c)
{
	(void)c;
	return 0;
}

u64 port_real_return(struct ust_ctx *c, u64 slot, u64 ra)
{
	(void)c, (void)slot;
	return ra;
}

/* No process is probed. */
bool port_process_strings(struct ust_ctx *c, bool environment, u64 *start, u64 *end)
{
	(void)c, (void)environment;
	*start = *end = 0;
	return false;
}

const char *ust_pp(struct ust_ctx *c, char *dst)
{
	return copy(dst, c->hit->site ? c->hit->site->pp : c->hit->probe->pp);
}

const char *ust_ppfunc(struct ust_ctx *c, char *dst)
{
	return copy(dst, c->hit->site ? c->hit->site->func : "");
}

const char *ust_probefunc(struct ust_ctx *c, char *dst) { return ust_ppfunc(c, dst); }

/* ------------------------------------------------------------------- runs */

static void run(const struct ust_probe *p)
{
	struct ust_hit hit = {.probe = p};

	p->handler(&hit);
}

/* The probe of KIND that comes after LAST in order of its value, or NULL. */
static const struct ust_probe *after(unsigned kind, const struct ust_probe *last)
{
	const struct ust_probe *best = NULL;

	for (u32 i = 0; i < ust_program.nprobes; i++) {
		const struct ust_probe *p = &ust_program.probes[i];

		if (p->kind == kind && (!best || p->life.priority < best->life.priority) &&
		    (!last || p->life.priority > last->life.priority ||
		     (p->life.priority == last->life.priority && p > last)))
			best = p;
	}
	return best;
}

static bool failed(void) { return errors > ust_program.maxerrors; }

static void run_all(unsigned kind, bool stop)
{
	for (const struct ust_probe *p = after(kind, NULL); p; p = after(kind, p)) {
		run(p);
		if (stop && (exiting || failed()))
			return;
	}
}

/* The hit of a site; test_emit.c relies on these values. `di` points to memory, `si` is invalid,
 * and the module is mapped at 0x1000. */
static const struct {
	int i;
	unsigned short us;
	signed char sc;
	unsigned char uc;
	const void *self;
	u64 big;
	int array[4];
	char text[8];
} memory = {-7, 65000, -3, 200, &memory, 0x8000000000000001, {10, -20, 30, -40}, "abc"};

static void run_sites(void)
{
	struct ust_regs regs = {
		.ax = -5ul, .dx = 0x123456789abcdef0, .cx = 3, .di = (uintptr_t)&memory};

	for (u32 i = 0; i < ust_program.nsites && !exiting && !failed(); i++) {
		const struct ust_site *site = &ust_program.sites[i];
		struct ust_hit hit = {.regs = &regs, .site = site, .addr = site->addr + 0x1000};

		site->handler(&hit);
	}
}

static ust_long period(const struct ust_probe *p)
{
	const ust_long tick = 4000000;

	if (p->kind == UST_PROBE_TIMER_NS)
		return p->timer.period;
	if (p->kind == UST_PROBE_TIMER_JIFFIES)
		return p->timer.period > INT64_MAX / 2 / tick ? INT64_MAX / 2
							      : p->timer.period * tick;
	return tick;
}

static bool is_timer(const struct ust_probe *p) { return p->kind >= UST_PROBE_TIMER_NS; }

/* Timers by the time of their next expiry. */
static void run_timers(void)
{
	ust_long *due = calloc(ust_program.nprobes + 1, sizeof *due);
	u32 next;

	for (u32 i = 0; i < ust_program.nprobes; i++)
		due[i] = period(&ust_program.probes[i]);
	while (!exiting && !failed()) {
		next = ust_program.nprobes;
		for (u32 i = 0; i < ust_program.nprobes; i++)
			if (is_timer(&ust_program.probes[i]) &&
			    (next == ust_program.nprobes || due[i] < due[next]))
				next = i;
		if (next == ust_program.nprobes)
			break;
		virtual_ns = due[next];
		due[next] += period(&ust_program.probes[next]);
		run(&ust_program.probes[next]);
	}
	free(due);
}

int main(void)
{
	if (!globals_init(&ust_program) || !context_init())
		die("no memory");
	run_all(UST_PROBE_BEGIN, true);
	run_sites();
	run_timers();
	run_all(failed() ? UST_PROBE_ERROR : UST_PROBE_END, false);
	fflush(stdout);
	if (errors)
		fprintf(stderr, "WARNING: Number of errors: %llu, skipped probes: 0\n",
			(unsigned long long)errors);
	if (cut_strings)
		fprintf(stderr, "WARNING: %llu string%s cut at %u bytes: see -D MAXSTRINGLEN=\n",
			(unsigned long long)cut_strings, cut_strings == 1 ? " was" : "s were",
			ust_program.maxstringlen - 1);
	globals_free(&ust_program);
	return errors > 0;
}
