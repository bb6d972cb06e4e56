/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One traced process: injects the agent and patches the files that it maps. */
#include "arch/thread_id.h"
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/gate.h"
#include "inject/patch/patched_file.h"
#include "inject/patch/signals.h"
#include "inject/process/process.h"
#include "inject/process/watch.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "base/target_namespaces.h"
#include "base/time_namespace.h"
#include "report/report.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* MADV_WIPEONFORK and MADV_DONTDUMP of linux/mman.h */
enum { WIPE_ON_FORK = 18, DONT_DUMP = 16 };

/* -------------------------------------------------------------- the agent's */

/* Code and constants are mapped privately: kernels before 6.7 do not map a sealed file as
 * shared. */
static int map_agent(const struct blob *b, struct tracee *t, long code, long fd)
{
	int err = remote_map(t, b->base, b->private_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (err)
		return err;
	err = remote_map(t, b->text, b->text_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, code, 0);
	if (!err)
		err = remote_map(t, b->constants, b->constants_size, PROT_READ, MAP_PRIVATE, code,
				 b->text_size);
	if (!err)
		err = remote_map(t, b->data, b->data_size, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (!err)
		err = (int)-remote_syscall(t, SYS_madvise,
					   (long)(b->base + b->private_size - UST_PAGE), UST_PAGE,
					   WIPE_ON_FORK, 0, 0, 0);
	if (err) {
		/* unmapping a free range does no harm; EEXIST was caused by another mapping after
		 * it */
		remote_syscall(t, SYS_munmap, (long)b->base, (long)b->private_size, 0, 0, 0, 0);
		return err;
	}
	remote_syscall(t, SYS_madvise, (long)b->data, (long)b->data_size, DONT_DUMP, 0, 0, 0);
	return 0;
}

/* True if P has ended, as it may with --follow, or as a child that has executed a program. */
static bool may_end(const struct injector *in, const struct process *p, int err)
{
	return (in->starts || p->launching) && (err == ESRCH || pid_ends_soon(p->pid, p->pidfd));
}

/* True if the script's mappings would be more than the kernel permits. */
static bool has_most_mappings(pid_t pid)
{
	enum { SCRIPT_MAPPINGS = 8 };
	FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
	unsigned long most = 0;
	struct maps m;
	bool has;

	if (!f)
		return false;
	if (fscanf(f, "%lu", &most) != 1)
		most = 0;
	fclose(f);
	if (!most || !maps_read(&m, pid))
		return false;
	has = m.n + SCRIPT_MAPPINGS > most;
	maps_free(&m);
	return has;
}

static bool explain(const struct injector *in, const struct process *p, int err)
{
	if (may_end(in, p, err))
		return false;
	if (pid_ends_soon(p->pid, p->pidfd))
		return trace_permission_explain(p->pid, ESRCH);
	if (err == EEXIST) {
		say("process %d has a mapping at the address chosen for the script", (int)p->pid);
		return hint("try again: each run chooses a new address");
	}
	if (err == EMFILE) {
		say("process %d has as many files open as it may", (int)p->pid);
		return hint("raise its limit: prlimit --pid=%d --nofile=N; or try as root",
			    (int)p->pid);
	}
	if (err == ENOMEM && has_most_mappings(p->pid)) {
		say("process %d has as many mappings as a process may have", (int)p->pid);
		return hint("raise that: sudo sysctl vm.max_map_count=1048576");
	}
	if (err == ENOMEM || err == EAGAIN) {
		say("process %d has no address space or memory left for the script: %s",
		    (int)p->pid, strerror(err));
		return hint("see its limits: grep -e address -e locked /proc/%d/limits; or set a "
			    "smaller buffer size with -s",
			    (int)p->pid);
	}
	if (err == EACCES && proc_status(p->pid, "Seccomp", 10) <= 0) {
		say("process %d may not map executable memory", (int)p->pid);
		return hint("a security policy forbids it; see: ausearch -m avc");
	}
	return trace_permission_explain(p->pid, err);
}

/* ---------------------------------------------------------- its private memory */

/* Threads whose filters are asked while the process is stopped: a filter that the kernel permits
 * can take a millisecond. */
enum { MOST_ASKED = 1024 };

/* Flags of the sandbox of thread TID of P, whose mode, of seccomp(2), is MODE. Filters that staprun
 * does not have may be fatal; those of its own container apply to it as well. Strict seccomp
 * forbids to read the cycle counter, too. */
static uint32_t sandbox_flags(const struct process *p, pid_t tid, long long mode)
{
	enum { STRICT = 1 };

	if (mode == STRICT)
		return UST_PROCESS_NO_SYSCALLS | UST_PROCESS_NO_TICKS;
	return seccomp_is_harmless(tid) || seccomp_is_ours(p->pid, tid) ? 0
									: UST_PROCESS_NO_SYSCALLS;
}

/* Those of all threads: each can have a sandbox of its own. */
static uint32_t all_sandbox_flags(const struct process *p, const struct tracee *t)
{
	uint32_t flags = 0;
	size_t asked = 0;

	for (size_t i = 0; i < t->n; i++) {
		long long mode = t->v[i].gone ? 0 : proc_status(t->v[i].tid, "Seccomp", 10);

		if (mode > 0 && asked++ == MOST_ASKED)
			return flags | UST_PROCESS_NO_SYSCALLS;
		if (mode > 0)
			flags |= sandbox_flags(p, t->v[i].tid, mode);
	}
	return flags;
}

static uint64_t clock_of(pid_t pid)
{
	uint64_t offset = vdso_offset("__vdso_clock_gettime"),
		 vdso = auxv_value(pid, AT_SYSINFO_EHDR);

	if (!offset)
		offset = vdso_offset("__kernel_clock_gettime");
	return vdso && offset ? vdso + offset : 0;
}

/* 0 if P is in staprun's pid namespace; else a number for the namespace, see struct ust_process. */
static uint32_t pid_space(const struct process *p)
{
	enum { SPACES = 511 };
	struct stat theirs, ours;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)p->pid);
	if (stat(path, &theirs) || stat("/proc/self/ns/pid", &ours))
		return p->pid == p->pid_inside ? 0 : SPACES;
	return theirs.st_ino == ours.st_ino ? 0 : 1 + (uint32_t)(theirs.st_ino % SPACES);
}

struct process_strings process_strings(pid_t pid)
{
	struct proc_stat s;

	if (!proc_stat_read(&s, proc_live_thread(pid)))
		return (struct process_strings){0};
	return (struct process_strings){.args = proc_stat_number(&s, STAT_ARG_START),
					.args_end = proc_stat_number(&s, STAT_ARG_END),
					.env = proc_stat_number(&s, STAT_ENV_START),
					.env_end = proc_stat_number(&s, STAT_ENV_END)};
}

static uint64_t local_of(const struct blob *b) { return b->base + b->private_size - UST_PAGE; }

/* The main thread's thread pointer; 0: not set up, or another thread has the same. */
static uint64_t thread_pointer(const struct process *p, const struct tracee *t)
{
	uint64_t pointer = 0;
	size_t same = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].tid == p->pid)
			pointer = regs_thread(&t->v[i].regs);
	for (size_t i = 0; i < t->n; i++)
		same += regs_thread(&t->v[i].regs) == pointer;
	return same == 1 ? pointer : 0;
}

/* Where the C library keeps the ids of threads, if the main thread's is at a usual place; else 0. A
 * process in a sandbox could not look for it. */
static uint32_t tid_offset(const struct process *p, const struct tracee *t)
{
	static const uint32_t offsets[] = THREAD_ID_OFFSETS;
	uint64_t pointer = thread_pointer(p, t);
	uint32_t tid;

	for (size_t i = 0; pointer && i < sizeof offsets / sizeof *offsets; i++)
		if (tracee_read(t, pointer + offsets[i], &tid, sizeof tid) &&
		    tid == (uint32_t)p->pid_inside)
			return offsets[i];
	return 0;
}

/* The members up to `mapped', on the heap: with the others, which are zero, it is larger than the
 * stack of some users. */
static struct ust_process *describe(const struct blob *b, const struct process *p,
				    const struct tracee *t)
{
	struct ust_process *head = xrealloc(NULL, sizeof *head);
	struct process_strings strings = process_strings(p->pid);

	memset(head, 0, offsetof(struct ust_process, mapped));
	head->clock_gettime = clock_of(p->pid);
	head->clock_ahead = time_namespace_offset(p->pid);
	head->flags = all_sandbox_flags(p, t);
	head->pid_space = pid_space(p);
	head->phdrs = auxv_value(p->pid, AT_PHDR);
	head->nphdrs = auxv_value(p->pid, AT_PHNUM);
	head->outside = !target_namespaces_own(p->pid);
	head->args = strings.args;
	head->args_end = strings.args_end;
	head->env = strings.env;
	head->env_end = strings.env_end;
	head->private_size = b->private_size;
	head->data_size = b->data_size;
	head->made = b->made;
	return head;
}

static bool write_private(const struct injector *in, const struct process *p, struct tracee *t)
{
	const struct blob *b = in->blob;
	struct ust_process *head = describe(b, p, t);
	struct ust_local local = {.pid = (uint32_t)p->pid_inside,
				  .tid_offset = tid_offset(p, t),
				  .host_pid = (uint32_t)p->pid,
				  .ns_pid = (uint32_t)target_namespaces_id(p->pid),
				  .unique = (uint64_t)p->pid,
				  .state = UST_LOCAL_WANTED,
				  .watched = p->launching};
	bool ok = tracee_write(t, b->base, head, offsetof(struct ust_process, mapped)) &&
		  tracee_write(t, local_of(b), &local, sizeof local);

	free(head);
	return ok;
}

void process_note_start(struct injector *in, struct process *p, const struct tracee *t)
{
	uint32_t watched = 0;

	in->ran = true;
	p->launching = false;
	tracee_write(t, local_of(in->blob) + offsetof(struct ust_local, watched), &watched,
		     sizeof watched);
}

static int inject(const struct injector *in, const struct process *p, struct tracee *t)
{
	const struct blob *b = in->blob;
	long code = remote_send_fd(t, b->code), fd = code < 0 ? code : remote_send_fd(t, b->memfd);
	int err = fd < 0 ? (int)-fd : map_agent(b, t, code, fd);

	if (fd >= 0)
		remote_syscall(t, SYS_close, fd, 0, 0, 0, 0, 0);
	if (code >= 0)
		remote_syscall(t, SYS_close, code, 0, 0, 0, 0, 0);
	if (fd < 0)
		return err;
	if (err || write_private(in, p, t))
		return err;
	remote_syscall(t, SYS_munmap, (long)b->base, (long)(b->data + b->data_size - b->base), 0, 0,
		       0, 0);
	return EIO;
}

/* True if all of its address range is free. Segments may have unused pages between them. */
static bool is_free(const struct blob *b, const struct maps *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].start < b->data + b->data_size && m->v[i].end > b->base)
			return false;
	return true;
}

static bool has_sharer(struct process *p)
{
	pid_t other = sharer_of(p);

	if (!other)
		return false;
	warning("process %d is not traced: it shares its memory with process %d, which is not one "
		"of its threads and may run while code is changed",
		(int)p->pid, (int)other);
	hint("trace it from its start, by -c, or use --runtime=kernel");
	return true;
}

bool process_inject(struct injector *in, struct process *p, struct tracee *t)
{
	struct maps m;
	int err;

	err = leftovers_remove(t);
	if (!err && !maps_read(&m, p->pid))
		err = errno;
	if (err)
		return may_end(in, p, err) ? false : trace_permission_explain(p->pid, err);
	p->injected = process_has_agent(in->blob, &m);
	if (!p->injected && ((!p->launching && has_sharer(p)) || !admission_check(in, p))) {
		maps_free(&m);
		return false;
	}
	err = p->injected ? 0 : is_free(in->blob, &m) ? inject(in, p, t) : EEXIST;
	maps_free(&m);
	if (err)
		return explain(in, p, err);
	p->injected = true;
	translated_warn(in, p);
	return true;
}

/* ------------------------------------------------------------ what is mapped */

/* The file's own sites in M, if they are armed. Only signal hooks may have been, for sites of
 * another file. */
static const struct loaded *loaded_at(const struct process *p, const struct mapping *m)
{
	for (size_t i = 0; i < p->nloaded; i++)
		if (p->loaded[i].start < m->end && p->loaded[i].end > m->start &&
		    !p->loaded[i].file->watches_signals)
			return &p->loaded[i];
	return NULL;
}

static bool is_candidate(const struct mapping *m) { return m->exec && m->inode && *m->path; }

/* Addresses of its dynamic linker, if it has one, and of its program. */
struct program {
	uint64_t linker, entry;
};

static struct program program_of(const struct process *p)
{
	return (struct program){auxv_value(p->pid, AT_BASE), auxv_value(p->pid, AT_ENTRY)};
}

/* The file mapped by M if it needs patching and is not patched yet. */
static struct file *wants_arming(struct injector *in, const struct process *p,
				 const struct program *program, const struct maps *maps,
				 const struct mapping *m)
{
	struct file *f;
	bool hooks;

	if (!is_candidate(m) || loaded_at(p, m))
		return NULL;
	hooks = hooks_in(maps, m, program->linker, program->entry);
	f = file_of(in, p->pid, m);
	if (f)
		f->mapped = true;
	/* one that is there for its hooks only may be it, too */
	if (!f || !f->probed)
		file_note_replaced(in, p->pid, m);
	if (!f && hooks)
		f = file_add(in, p->pid, m);
	if (f && hooks && !f->hooked)
		hooks_add(in, f);
	return f && f->n ? f : NULL;
}

static void drop_loaded(struct process *p, size_t i)
{
	patches_put(p->loaded[i].patches);
	p->loaded[i] = p->loaded[--p->nloaded];
}

/* A program can move its code to other memory at the same address, with the jumps in it. */
static bool is_gone(const struct process *p, const struct maps *m, const struct tracee *t,
		    const struct loaded *l)
{
	return (!process_maps(p, m, l) || text_is_original(t, l->patches)) &&
	       !text_holds_any(t, l->patches);
}

/* Drop files that were unmapped, or mapped anew at the same address. */
static void drop_gone(const struct injector *in, struct process *p, const struct maps *m,
		      struct tracee *t)
{
	for (size_t i = 0; i < p->nloaded;) {
		const struct loaded *l = &p->loaded[i];

		if (!is_gone(p, m, t, l)) {
			i++;
			continue;
		}
		traps_forget(in, t, l->patches);
		areas_drop(in, p, t, l->start);
		drop_loaded(p, i);
	}
}

static void arm_files(struct injector *in, struct process *p, struct tracee *t, struct maps *m)
{
	const struct program program = program_of(p);

	for (size_t i = 0; i < m->n; i++) {
		struct file *f = wants_arming(in, p, &program, m, &m->v[i]);

		/* a shared mapping of code is the file itself */
		if (f && !m->v[i].shared)
			arm_file(in, p, t, m, &m->v[i], f);
		else if (f && !t->running)
			warning("cannot probe %s in process %d: it is mapped as shared", f->path,
				(int)p->pid);
	}
}

static void watch_traps(struct injector *in, struct process *p, struct tracee *t, struct maps *m)
{
	const char *why;

	if (!p->trapping && !p->no_traps && (plans_trap(p) || watch_wants(in, p->pid)))
		traps_ready(in, p, t, m, &why);
	else if (p->trapping && !p->unwatched && !traps_watch(in, p, t, m)) {
		p->unwatched = true;
		note("process %d: not all calls that block signals can be hooked", (int)p->pid);
	}
}

static void arm_new(struct injector *in, struct process *p, struct tracee *t, struct maps *m)
{
	/* before the new files' own sites, which could take the bytes of a hook */
	faults_watch(in, p, t, m);
	watch_traps(in, p, t, m);
	arm_files(in, p, t, m);
	for (size_t i = 0; i < p->nloaded; i++)
		semaphores_raise(in, p, t, m, &p->loaded[i]);
}

static bool read_mappings(const struct injector *in, pid_t pid, struct maps *m)
{
	if (!maps_read(m, pid))
		return false;
	moved_text_name(in, pid, m);
	return true;
}

bool process_needs_update(struct injector *in, const struct process *p)
{
	const struct program program = program_of(p);
	bool changed = false;
	struct maps m;

	if (!read_mappings(in, p->pid, &m))
		return true;
	for (size_t i = 0; i < p->nloaded && !changed; i++)
		changed = !process_maps(p, &m, &p->loaded[i]);
	changed |= module_map_changed(in, p, &m);
	for (size_t i = 0; i < m.n && !changed; i++)
		changed = wants_arming(in, p, &program, &m, &m.v[i]) && !m.v[i].shared;
	maps_free(&m);
	return changed;
}

/* In the order of arm_new(). A breakpoint needs further hooks, which are written first. */
static void plan_new(struct injector *in, struct process *p, struct tracee *t, struct maps *m)
{
	if (!p->faults_unseen)
		signal_hooks_add(in, p, t, m, CALLS_ACTION);
	arm_files(in, p, t, m);
	if (p->trapping || p->no_traps || !(plans_trap(p) || watch_wants(in, p->pid)))
		return;
	plans_drop_files(p);
	p->trapping = true; /* the hooks may be breakpoints themselves */
	signal_hooks_add(in, p, t, m, CALLS_MASK);
	p->trapping = false;
	arm_files(in, p, t, m);
}

void process_plan(struct injector *in, struct process *p)
{
	const struct blob *b = in->blob;
	struct tracee t;
	struct maps m;

	plans_free(p);
	if (!p->injected && !p->launching)
		sharers_look(p);
	if (!tracee_open_running(&t, p->pid))
		return;
	if (read_mappings(in, p->pid, &m)) {
		if (!p->injected)
			maps_add(&m, b->base, b->data + b->data_size - b->base);
		plan_new(in, p, &t, &m);
		maps_free(&m);
	}
	close(t.mem);
}

bool process_update(struct injector *in, struct process *p, struct tracee *t)
{
	struct maps m;

	if (!read_mappings(in, p->pid, &m)) {
		int err = errno;

		return may_end(in, p, err) ? false : trace_permission_explain(p->pid, err);
	}
	drop_gone(in, p, &m, t);
	plans_enter(p, &m);
	arm_new(in, p, t, &m);
	plans_retire(p);
	module_map_write(in, p, t, &m);
	faults_catch(in, p, t, &m);
	if (p->looks_up)
		faults_look_up(in, t);
	maps_free(&m);
	in->ran |= !p->launching;
	return true;
}
