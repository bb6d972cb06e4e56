/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions of the user runtime: shared memory, and the tracer process. Traced processes may have
 * written to shared memory: its data is copied once and bounded.
 */
#include "inject/elf/elf.h"
#include "inject/ptrace/ptrace.h"
#include "inject/tracer.h"
#include "base/exit_status.h"
#include "base/message.h"
#include "base/privilege.h"
#include "base/signal.h"
#include "inject/user_runtime.h"
#include "options.h"
#include "output/stream.h"
#include "session/session_ops.h"
#include "wire.h"
#include "wire_agent.h"
#include "wire_records.h"

#include <stddef.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct user_session {
	struct blob blob;
	struct tracer tracer;
	int watch; /* pidfd of the tracer; -1 */
	struct ring *rings;
	unsigned nrings;
	int64_t target;      /* as given with START */
	atomic_bool told;    /* the end of the tracer was reported */
	atomic_bool damaged; /* an impossible status was reported */
};

/* ------------------------------------------------------------------- status */

static bool tracer_lives(const struct user_session *u)
{
	struct pollfd p = {.fd = u->watch, .events = POLLIN};

	return u->tracer.pid && (u->watch < 0 || poll(&p, 1, 0) <= 0);
}

static uint64_t load(const __u64 *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }

enum { STRING_MAX = 4095 }; /* of the largest MAXSTRINGLEN */

/* An impossible count is set to 0. */
static void bound_count(__u64 *count, bool *damaged)
{
	if (*count >> 48) {
		*damaged = true;
		*count = 0;
	}
}

static bool bound_counts(struct ust_status *st)
{
	__u64 *const counts[] = {&st->errors,         &st->skipped_context, &st->skipped_stack,
				 &st->skipped_nested, &st->lost_records,    &st->lost_bytes,
				 &st->missed_returns, &st->missed_lookups,  &st->unplaced,
				 &st->cut_strings,    &st->made_callers,    &st->copied_stacks};
	bool damaged = false;

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		bound_count(counts[i], &damaged);
	return damaged;
}

/* Returns true if a traced process must have written to it. */
static bool bound(struct ust_status *st, const struct user_session *u)
{
	bool damaged = st->version != UST_WIRE_VERSION || st->state > UST_STOPPED;

	st->version = UST_WIRE_VERSION;
	if (st->state > UST_STOPPED)
		st->state = UST_RUNNING;
	st->exit_requested = !!st->exit_requested;
	st->failed = !!st->failed;
	st->ncpu = u->nrings;
	st->target = u->target;
	for (unsigned i = 0; i < u->nrings; i++) {
		st->lost_records += load(&u->rings[i].shared->lost_records);
		st->lost_bytes += load(&u->rings[i].shared->lost_bytes);
	}
	if (st->string_max > STRING_MAX)
		damaged = true, st->string_max = STRING_MAX;
	return damaged | bound_counts(st);
}

static bool user_status(const struct session *s, struct ust_status *st)
{
	struct user_session *u = s->user;
	uint64_t count;

	/* drained before the status is read: later changes are signalled again */
	if (s->ctl >= 0 && read(s->ctl, &count, sizeof count) < 0 && errno != EAGAIN)
		return false;
	if (u->tracer.pid)
		deaths_take(u->tracer.deaths);
	memcpy(st, &u->blob.shared->status, sizeof *st);
	if (bound(st, u) && !atomic_exchange(&u->damaged, true))
		say("a traced process has written over the script's memory; counts and output may "
		    "be wrong");
	if (tracer_lives(u))
		return true;
	errno = ECHILD;
	return false;
}

/* Say why the tracer PID has ended; false if it has done so itself. */
static bool explain_end(pid_t pid)
{
	siginfo_t end = {0};

	if (waitid(P_PID, (id_t)pid, &end, WEXITED | WNOHANG | WNOWAIT))
		end.si_pid = 0;
	if (end.si_pid && end.si_code == CLD_EXITED && end.si_status == EXIT_LOAD)
		return false;
	if (end.si_pid && end.si_code != CLD_EXITED && sigabbrev_np(end.si_status))
		say("the tracer was killed by SIG%s%s", sigabbrev_np(end.si_status),
		    end.si_status == SIGKILL ? ", as by the kernel if memory is short" : "");
	else
		say("the tracer has ended unexpectedly; this is a bug");
	return true;
}

/* No other process is left that could disarm the probes. */
static void user_gone(const struct session *s)
{
	struct user_session *u = s->user;

	blob_disarm(&u->blob);
	if (atomic_exchange(&u->told, true) || !explain_end(u->tracer.pid))
		return;
	hint("the traced processes continue; their probes no longer run handlers");
}

/* ------------------------------------------------------------------- orders */

static int user_command(const struct session *s, const struct ust_cmd *cmd)
{
	struct user_session *u = s->user;
	int err;

	if (cmd->op == UST_CMD_START)
		u->target = cmd->target;
	err = tracer_lives(u) ? tracer_command(&u->tracer, cmd) : ECHILD;
	if (err && !tracer_lives(u)) {
		user_gone(s);
		return ECANCELED;
	}
	return err;
}

static int user_set(const struct session *s, const char *name, const char *value, int64_t number,
		    bool is_number)
{
	return -s->user->blob.agent.set(name, value, number, is_number);
}

static int user_merge(const struct session *s, unsigned op, char *line, const char **why)
{
	return s->user->blob.agent.merge(op, line, why);
}

/* --globals, --merge */
static bool merge_set_up(struct session *s, const struct options *o)
{
	const char *why;

	if (o->reload)
		return reload_set_up(s, o);
	if (!o->globals && !o->nmerge)
		return true;
	if ((o->globals && user_merge(s, UST_MERGE_SEND, NULL, &why)) ||
	    (o->nmerge && user_merge(s, UST_MERGE_OPEN, NULL, &why))) {
		say("%s: the script was built without --merge", o->module);
		return hint("build it with: ustap --merge -p4 SCRIPT");
	}
	return !o->nmerge || merge_files(s, o);
}

static void user_connect(const struct session *s, struct stream *stream)
{
	if (stream->cpu < s->user->nrings)
		stream_ring(stream, &s->user->rings[stream->cpu]);
}

static bool user_remove(struct session *s)
{
	struct user_session *u = s->user;

	if (!u)
		return true;
	if (u->blob.shared)
		__atomic_store_n(&u->blob.shared->reader, 0, __ATOMIC_SEQ_CST);
	if (u->tracer.pid > 0)
		tracer_stop(&u->tracer);
	if (u->watch >= 0)
		close(u->watch);
	if (u->blob.shared) {
		note("%s removed", s->name);
		blob_unload(&u->blob);
	}
	free(u->rings);
	free(u);
	s->user = NULL;
	return true;
}

const struct session_kind session_user = {
	.status = user_status,
	.command = user_command,
	.connect = user_connect,
	.gone = user_gone,
	.set = user_set,
	.merge = user_merge,
	.remove = user_remove,
};

/* ----------------------------------------------------------------- starting */

static bool open_rings(struct user_session *u)
{
	const struct blob *b = &u->blob;
	struct ust_ring *ring = (struct ust_ring *)b->made.rings;

	u->nrings = b->made.nrings;
	u->rings = xrealloc(NULL, u->nrings * sizeof *u->rings);
	for (unsigned i = 0; i < u->nrings; i++)
		if (!ring_open(&u->rings[i], &ring[i], b->data, b->data + b->data_size))
			return fail("%s: the script's buffers lie outside its memory", b->name);
	return true;
}

/* A script with probe sites needs target processes, all of which the caller may trace. */
static bool targets_fit(const struct user_session *u, const struct options *o)
{
	if ((!blob_is_injected(&u->blob) && !u->blob.made.events) || o->nmerge)
		return true;
	if (o->follow && access(o->follow, F_OK))
		return fail("--follow %s: %s", o->follow, strerror(errno));
	if (!o->command && !o->npids && !o->follow) {
		say("the user runtime needs a process to trace: use -c, -x or --follow");
		return hint("to trace all processes: ustap --runtime=kernel");
	}
	for (size_t i = 0; i < o->npids; i++)
		if (!trace_permission_check(o->pids[i]))
			return false;
	return true;
}

static bool start_tracer(struct session *s, const struct options *o)
{
	const struct trace_targets targets = {o->pids, o->npids, o->follow};
	struct user_session *u = s->user;

	if (!tracer_start(&u->tracer, &u->blob, &targets)) {
		u->tracer.pid = 0;
		return false;
	}
	u->watch = (int)syscall(SYS_pidfd_open, u->tracer.pid, 0);
	/* session_close() closes it */
	s->ctl = u->tracer.event;
	return blob_retire(&u->blob);
}

bool session_load(struct session *s, const struct options *o)
{
	struct user_session *u = xrealloc(NULL, sizeof *u);

	*u = (struct user_session){.watch = -1, .blob = {.memfd = -1, .code = -1}};
	s->user = u;
	if (!blob_load(&u->blob, o->module, o->buffer_mb))
		return false;
	memcpy(s->name, u->blob.name, sizeof s->name);
	note("%s loaded at %#llx", s->name, (unsigned long long)u->blob.base);
	if (!open_rings(u) || !targets_fit(u, o) || !module_params_set(s, o) || !merge_set_up(s, o))
		return false;
	__atomic_store_n(&u->blob.shared->reader, 1, __ATOMIC_SEQ_CST);
	return start_tracer(s, o);
}

/* Warn if the program loses privileges: the kernel ignores set-user-ID and file capabilities if the
 * tracer could not trace the result. */
void session_warn_privilege(const struct session *s, pid_t pid, const char *program)
{
	const struct user_session *u = s->user;

	if ((blob_is_injected(&u->blob) || u->blob.made.events) &&
	    exec_gains_privilege(pid, program))
		warn_lacks_privilege(program);
}

bool session_has_sites(const struct session *s) { return s->user->blob.made.nsites; }

unsigned session_refused(const struct session *s, const struct options *o)
{
	uint32_t uses = s->user->blob.made.uses;

	return (uses & UST_USES_SYSTEM ? 0 : 1u << UST_REC_SYSTEM) |
	       (uses & UST_USES_SWITCH ? 0 : 1u << UST_REC_SWITCH) | 1u << UST_REC_DEATH |
	       1u << UST_REC_UNTRACED |
	       (o->globals || o->reload ? 0 : 1u << UST_REC_GLOBALS | 1u << UST_REC_GLOBALS_END);
}

/* The owner of all targets; false if they have several owners, or root is one. */
static bool find_owner(const struct options *o, struct runner *to)
{
	for (size_t i = 0; i < o->npids; i++) {
		long long uid = proc_status(o->pids[i], "Uid", 10),
			  gid = proc_status(o->pids[i], "Gid", 10);

		if (uid <= 0 || gid < 0 ||
		    (i && (to->uid != (unsigned)uid || to->gid != (unsigned)gid)))
			return false;
		to->uid = (unsigned)uid;
		to->gid = (unsigned)gid;
	}
	return o->npids;
}

/* A traced process that maps the script's memory can write a command's text: root does not run
 * that. */
struct runner session_runner(const struct session *s, const struct options *o)
{
	struct runner as = {0};

	as.other = geteuid() == 0 && blob_is_injected(&s->user->blob);
	if (as.other && !find_owner(o, &as))
		as.uid = as.gid = OVERFLOW_ID;
	return as;
}

pid_t session_tracer(const struct session *s) { return s->user ? s->user->tracer.pid : 0; }
