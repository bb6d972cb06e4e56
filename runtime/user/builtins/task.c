/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins on the task, the time, and the probe that fired. Values known only to the kernel need a
 * system call. In begin, end and timer probes the task is staprun, as with the kernel runtime,
 * though they run in the script process.
 */
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>

#include "user.h"
#include "arch/vector.h"
#include "common.h"

/* -------------------------------------------------------------- the task */

enum { NAME_SIZE = 16 }; /* TASK_COMM_LEN */

static struct {
	ust_long pid, ppid, pgrp, sid, uid, euid, gid, egid;
	char name[NAME_SIZE + 1];
} staprun;

/* Returns -1 if the call fails. */
static ust_long ask(long nr)
{
	if (process.flags & UST_PROCESS_NO_SYSCALLS)
		return -1;
	return system_call(nr, 0, 0, 0, 0, 0, 0);
}

static void ask_name(char name[NAME_SIZE + 1])
{
	name[0] = name[NAME_SIZE] = 0;
	if (!(process.flags & UST_PROCESS_NO_SYSCALLS))
		system_call(__NR_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
}

void task_init(void)
{
	staprun.pid = ask(__NR_getpid);
	staprun.ppid = ask(__NR_getppid);
	staprun.pgrp = ask(__NR_getpgid);
	staprun.sid = ask(__NR_getsid);
	staprun.uid = ask(__NR_getuid);
	staprun.euid = ask(__NR_geteuid);
	staprun.gid = ask(__NR_getgid);
	staprun.egid = ask(__NR_getegid);
	ask_name(staprun.name);
}

static inline bool is_probed(const struct ust_ctx *c) { return c->hit->mode == MODE_PROBE; }

/* A value of the probed process, by its own system call; of the process that an event is about,
 * from /proc. */
static ust_long of_task(const struct ust_ctx *c, long nr, const char *field, u32 n)
{
	const struct ust_subject *s = event_subject(c);

	return s ? event_status(s, field, n) : ask(nr);
}

ust_long ust_pid(struct ust_ctx *c)
{
	const struct ust_subject *s = event_subject(c);

	return is_probed(c) ? identity_pid() : s ? s->pid : staprun.pid;
}

ust_long ust_tid(struct ust_ctx *c)
{
	const struct ust_subject *s = event_subject(c);

	return is_probed(c) ? identity_tid() : s ? s->tid : staprun.pid;
}

static inline bool is_staprun(const struct ust_ctx *c)
{
	return !is_probed(c) && !event_subject(c);
}

ust_long ust_ppid(struct ust_ctx *c)
{
	return is_staprun(c) ? staprun.ppid : of_task(c, __NR_getppid, "PPid:", 0);
}
ust_long ust_cpu(struct ust_ctx *c)
{
	(void)c;
	return arch_cpu();
}
ust_long ust_target(struct ust_ctx *c)
{
	(void)c;
	return shared.status.target;
}
ust_long ust_uid(struct ust_ctx *c)
{
	return is_staprun(c) ? staprun.uid : of_task(c, __NR_getuid, "Uid:", 0);
}
ust_long ust_euid(struct ust_ctx *c)
{
	return is_staprun(c) ? staprun.euid : of_task(c, __NR_geteuid, "Uid:", 1);
}
ust_long ust_gid(struct ust_ctx *c)
{
	return is_staprun(c) ? staprun.gid : of_task(c, __NR_getgid, "Gid:", 0);
}
ust_long ust_egid(struct ust_ctx *c)
{
	return is_staprun(c) ? staprun.egid : of_task(c, __NR_getegid, "Gid:", 1);
}

ust_long ust_stp_pid(struct ust_ctx *c)
{
	(void)c;
	return staprun.pid;
}

ust_long ust_pgrp(struct ust_ctx *c)
{
	return is_staprun(c) ? staprun.pgrp : of_task(c, __NR_getpgid, "NSpgid:", 0);
}
ust_long ust_sid(struct ust_ctx *c)
{
	return is_staprun(c) ? staprun.sid : of_task(c, __NR_getsid, "NSsid:", 0);
}

/* Read "/proc/PID/comm", which ends with a newline. */
static void name_of(ust_long pid, char name[NAME_SIZE + 1])
{
	char path[32] = "/proc/";
	u32 n = 6;
	long fd, got;

	n += fmt_decimal(path + n, (u64)pid);
	memcpy(path + n, "/comm", 6);
	name[0] = 0;
	fd = system_call(__NR_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return;
	got = system_call(__NR_read, fd, (long)name, NAME_SIZE, 0, 0, 0);
	system_call(__NR_close, fd, 0, 0, 0, 0, 0);
	name[got > 0 ? got - 1 : 0] = 0;
}

const char *ust_pexecname(struct ust_ctx *c, char *dst)
{
	char name[NAME_SIZE + 1] = "";
	ust_long parent = ust_ppid(c);

	if (parent > 0 && !(process.flags & UST_PROCESS_NO_SYSCALLS))
		name_of(parent, name);
	ust_strcpy(dst, name);
	return dst;
}

bool port_process_strings(struct ust_ctx *c, bool environment, u64 *start, u64 *end)
{
	const struct ust_subject *s = event_subject(c);

	if (s)
		return event_strings(s, environment, start, end);
	*start = environment ? process.env : process.args;
	*end = environment ? process.env_end : process.args_end;
	return is_probed(c);
}

static const struct ust_mapped *find_mapped(struct ust_ctx *c, u64 addr)
{
	u32 lo = 0, hi = process.nmapped <= UST_MAPPED ? process.nmapped : 0;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;
		const struct ust_mapped *m = &process.mapped[mid];

		if (addr >= m->end) {
			lo = mid + 1;
		} else if (addr < m->start) {
			hi = mid;
		} else {
			return is_probed(c) ? m : NULL;
		}
	}
	return NULL;
}

bool port_find_mapping(struct ust_ctx *c, u64 addr, struct port_mapping *to)
{
	const struct ust_mapped *m = find_mapped(c, addr);

	if (m)
		*to = (struct port_mapping){m->start, m->end, m->offset,
					    m->module < ust_program.nmodules ? m->module
									     : PORT_NO_MODULE};
	return m;
}

u64 port_file_start(struct ust_ctx *c, u64 addr)
{
	const struct ust_mapped *m = find_mapped(c, addr);

	return m ? m->file : 0;
}

const char *port_mapping_path(struct ust_ctx *c, u64 addr)
{
	const struct ust_mapped *m = find_mapped(c, addr);

	return m && m->path && m->path < UST_PATHS ? process.paths + m->path : NULL;
}

u64 port_unwind_table(struct ust_ctx *c, u64 pc)
{
	const struct ust_area *a = area_at(pc);

	(void)c;
	return a ? a->start + a->eh_frame_hdr : 0;
}

/* True for a trampoline: that of the point at AT begins with a call through the table at the start
 * of its area. */
static bool is_point(const struct ust_area *a, u64 at)
{
	enum { RED_ZONE = 5, CALL = 6, TABLE_END = 4096 };
	static const unsigned char red_zone[] = {0x48, 0x8d, 0x64, 0x24, 0x80};
	const unsigned char *code = (const unsigned char *)at + sizeof(struct ust_point);
	s32 disp;

	if (!memcmp(code, red_zone, RED_ZONE))
		code += RED_ZONE;
	memcpy(&disp, code + 2, sizeof disp);
	return code[0] == 0xff && code[1] == 0x15 &&
	       (u64)code + CALL + (u64)(s64)disp - a->start < TABLE_END;
}

/* A signal can arrive between any two instructions, also in a trampoline. */
u64 port_program_address(struct ust_ctx *c, u64 pc)
{
	enum { ALIGN = 16, MOST = 512 };
	const struct ust_area *a = area_at(pc);
	u64 at = (pc - sizeof(struct ust_point)) & ~(u64)(ALIGN - 1);

	(void)c;
	for (; a && at > a->start && pc - at < MOST; at -= ALIGN)
		if (is_point(a, at))
			return ((const struct ust_point *)at)->addr;
	return pc;
}

bool port_find_module(struct ust_ctx *c, u32 module, u64 offset, u64 *addr)
{
	u32 n = process.nmapped <= UST_MAPPED && is_probed(c) ? process.nmapped : 0, i;

	for (i = 0; i < n; i++) {
		const struct ust_mapped *m = &process.mapped[i];

		if (m->module == module && offset >= m->offset &&
		    offset - m->offset < m->end - m->start) {
			*addr = m->start + (offset - m->offset);
			return true;
		}
	}
	return false;
}

/* Vector registers are unchanged since the hit: neither trampolines nor the runtime use any. */
ust_u64 ust_vector(ust_u32 n)
{
	u64 v[2];

	vector_read(n / 2, v);
	return v[n & 1];
}

ust_u64 ust_thread_pointer(struct ust_ctx *c) { return is_probed(c) ? arch_thread_pointer() : 0; }

const char *ust_execname(struct ust_ctx *c, char *dst)
{
	const struct ust_subject *s = event_subject(c);
	char name[NAME_SIZE + 1];

	if (is_probed(c))
		ask_name(name);
	else if (s)
		event_name(s, name, sizeof name);
	ust_strcpy(dst, is_staprun(c) ? staprun.name : name);
	return dst;
}

/* -------------------------------------------------------------- the time */

ust_long ust_gettimeofday_s(struct ust_ctx *c)
{
	(void)c;
	return clock_realtime() / 1000000000;
}
ust_long ust_gettimeofday_ms(struct ust_ctx *c)
{
	(void)c;
	return clock_realtime() / 1000000;
}
ust_long ust_gettimeofday_us(struct ust_ctx *c)
{
	(void)c;
	return clock_realtime() / 1000;
}
ust_long ust_gettimeofday_ns(struct ust_ctx *c)
{
	(void)c;
	return clock_realtime();
}

/* ------------------------------------------------------------- the probe */

ust_long ust_is_return(struct ust_ctx *c)
{
	return c->hit->site && c->hit->site->flags & UST_SITE_RETURN;
}

ust_long ust_user_mode(struct ust_ctx *c) { return c->hit->regs != NULL; }

/* Only programs of this machine's own architecture are traced. */
ust_long ust_probing_32bit_app(struct ust_ctx *c)
{
	(void)c;
	return 0;
}

ust_long ust_uaddr(struct ust_ctx *c) { return c->hit->regs ? *regs_pc(c->hit->regs) : 0; }

ust_long ust_addr(struct ust_ctx *c) { return ust_uaddr(c); }

const char *ust_pp(struct ust_ctx *c, char *dst)
{
	(void)dst;
	return c->hit->site ? c->hit->site->pp : c->hit->probe ? c->hit->probe->pp : "";
}

const char *ust_ppfunc(struct ust_ctx *c, char *dst)
{
	(void)dst;
	return c->hit->site && c->hit->site->func ? c->hit->site->func : "";
}

const char *ust_probefunc(struct ust_ctx *c, char *dst) { return ust_ppfunc(c, dst); }
