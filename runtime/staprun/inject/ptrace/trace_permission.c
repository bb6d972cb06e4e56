/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Diagnosis of ptrace failures: why a process may not be traced, and the remedy. */
#include "inject/arch/regs.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "inject/user_runtime.h"

#include <stddef.h>
#include <stdbool.h>
#include <sys/types.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* capability.h, sched.h (PF_KTHREAD) of the kernel */
enum { CAP_SYS_PTRACE_BIT = 19, CAP_SYS_ADMIN_BIT = 21, KERNEL_THREAD = 0x00200000 };

/* proc_ns.h of the kernel: the inode of the first pid namespace */
#define FIRST_PID_NAMESPACE "pid:[4026531836]"

/* ------------------------------------------------------------ what /proc says */

static bool have_capability(int bit)
{
	return (unsigned long long)proc_status(getpid(), "CapEff", 16) >> bit & 1;
}

static void proc_name(pid_t pid, char *buf, size_t size)
{
	if (!proc_status_line(pid, "Name", buf, size))
		snprintf(buf, size, "?");
	buf[strcspn(buf, "\n")] = 0;
}

static unsigned long proc_flags(pid_t pid)
{
	struct proc_stat s;

	return proc_stat_read(&s, pid) ? proc_stat_number(&s, STAT_FLAGS) : 0;
}

/* ELF class of the running program: ELFCLASS32, ELFCLASS64, or 0 if unknown. */
static int proc_class(pid_t pid)
{
	unsigned char ident[EI_CLASS + 1] = {0};
	char name[40];
	ssize_t n;
	int fd;

	snprintf(name, sizeof name, "/proc/%d/exe", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, ident, sizeof ident);
	close(fd);
	return n == sizeof ident && !memcmp(ident, ELFMAG, SELFMAG) ? ident[EI_CLASS] : 0;
}

/* -1 if the kernel has no Yama. */
static int yama_scope(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = -1;

	if (f && fscanf(f, "%d", &scope) != 1)
		scope = -1;
	if (f)
		fclose(f);
	return scope;
}

/* --------------------------------------------------------------------- in words */

static void explain_gone(pid_t pid)
{
	char ns[64];
	ssize_t n = readlink("/proc/self/ns/pid", ns, sizeof ns - 1);

	if (kill(pid, 0) && errno == EPERM) {
		say("process %d belongs to another user, and /proc hides it (hidepid)", (int)pid);
		hint("try as root, or as its user");
		return;
	}
	say("process %d: no such process", (int)pid);
	ns[n > 0 ? n : 0] = 0;
	if (n > 0 && strcmp(ns, FIRST_PID_NAMESPACE))
		hint("process ids are those of this container (its pid namespace), not the host's");
}

static void explain_tracer(pid_t pid, pid_t tracer)
{
	char name[64];

	proc_name(tracer, name, sizeof name);
	say("process %d is already traced by process %d (%s)", (int)pid, (int)tracer, name);
	hint("a process can have only one tracer; detach %s first", name);
}

static void explain_seccomp(pid_t pid)
{
	say("process %d is in a seccomp sandbox, where system calls made for tracing could kill it",
	    (int)pid);
	if (proc_status(gettid(), "Seccomp", 10) > 0)
		hint("staprun is in one, too, and cannot suspend that of a process with filters of "
		     "its own; trace it from outside");
	else if (have_capability(CAP_SYS_ADMIN_BIT))
		hint("this kernel cannot suspend the sandbox (CONFIG_CHECKPOINT_RESTORE); use "
		     "--runtime=kernel");
	else
		hint("run as root (sudo): root may suspend the sandbox");
}

static bool has_shadow_stack(pid_t pid)
{
	char features[64] = "";

	return proc_status_line(pid, FEATURES_FIELD, features, sizeof features) &&
	       strstr(features, SHADOW_STACK_FEATURE);
}

static void explain_shadow_stack(pid_t pid)
{
	say("process %d has a shadow stack, which ends it at a return to a replaced address",
	    (int)pid);
	hint("use --runtime=kernel, or start it without " SHADOW_STACK_TUNABLE
	     " in GLIBC_TUNABLES");
}

static void explain_busy(pid_t pid)
{
	say("process %d did not stop or run in time", (int)pid);
	hint("its container is paused, or a thread is waiting for its vfork() child, a device or");
	hint("a network file system; try again when it continues");
}

static void hint_yama(int scope)
{
	switch (scope) {
	case 1:
		hint("kernel.yama.ptrace_scope is 1: only a parent process may trace; start the "
		     "program with -c,");
		hint("or use sudo, or allow it: sudo sysctl kernel.yama.ptrace_scope=0");
		break;
	case 2:
		hint("kernel.yama.ptrace_scope is 2: only root may trace; use sudo,");
		hint("or allow it: sudo sysctl kernel.yama.ptrace_scope=0");
		break;
	case 3:
		hint("kernel.yama.ptrace_scope is 3: no process may trace until the next reboot;");
		hint("it is set in /etc/sysctl.conf or /etc/sysctl.d");
		break;
	}
}

struct ids {
	long real, effective, saved;
};

static bool read_ids(pid_t pid, const char *field, struct ids *ids)
{
	char line[256];

	return proc_status_line(pid, field, line, sizeof line) &&
	       sscanf(line, "%ld %ld %ld", &ids->real, &ids->effective, &ids->saved) == 3;
}

static bool same(const struct ids *ids, long id)
{
	return ids->real == id && ids->effective == id && ids->saved == id;
}

static const char *user_name(long uid)
{
	const struct passwd *pw = getpwuid((uid_t)uid);

	return pw ? pw->pw_name : "another user";
}

/* The kernel makes root the owner of /proc/PID if the process is not dumpable. */
static bool dumpable(pid_t pid, long uid)
{
	char name[40];
	struct stat st;

	snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
	return stat(name, &st) < 0 || st.st_uid == (uid_t)uid;
}

/* Without CAP_SYS_PTRACE: the rules of __ptrace_may_access() in kernel/ptrace.c, in their order. */
static void hint_unprivileged(pid_t pid)
{
	struct ids u, g;

	if (!read_ids(pid, "Uid", &u) || !read_ids(pid, "Gid", &g))
		return;
	if (u.real != (long)getuid() && u.real == u.effective)
		hint("it belongs to %s; use sudo", user_name(u.real));
	else if (!same(&u, (long)getuid()) || !same(&g, (long)getgid()))
		hint("it runs a setuid or setgid program, or has changed its user; use sudo");
	else if (!dumpable(pid, u.effective))
		hint("it has made itself untraceable (prctl PR_SET_DUMPABLE) or gained privileges; "
		     "use sudo");
	else if (yama_scope() > 0)
		hint_yama(yama_scope());
	else
		hint("it has capabilities that staprun lacks, or a security policy forbids it; use "
		     "sudo");
}

static void explain_permission(pid_t pid)
{
	char name[64];

	proc_name(pid, name, sizeof name);
	say("process %d (%s) may not be traced", (int)pid, name);
	if (!have_capability(CAP_SYS_PTRACE_BIT) && geteuid() == 0 && getuid() == 0) {
		hint("root lacks CAP_SYS_PTRACE here, as in most containers;");
		hint("start the container with --cap-add=SYS_PTRACE, or trace from the host");
	} else if (!have_capability(CAP_SYS_PTRACE_BIT)) {
		hint_unprivileged(pid);
	} else if (yama_scope() == 3) {
		hint_yama(3);
	} else {
		hint("it is in another user namespace, or a security policy forbids it;");
		hint("see: dmesg, ausearch -m avc");
	}
}

bool trace_permission_explain(pid_t pid, int err)
{
	long long tracer = proc_status(pid, "TracerPid", 10);
	char state[16] = "";

	proc_status_line(pid, "State", state, sizeof state);
	if (!*state)
		explain_gone(pid);
	else if (proc_flags(pid) & KERNEL_THREAD)
		say("process %d is a kernel thread; the user runtime traces only programs",
		    (int)pid);
	else if (err == ENOEXEC)
		say("process %d runs a 32-bit program; the user runtime traces only 64-bit "
		    "programs",
		    (int)pid);
	else if (err == EACCES && proc_status(pid, "Seccomp", 10) > 0)
		explain_seccomp(pid);
	else if (err == ETIMEDOUT)
		explain_busy(pid);
	else if (tracer > 0 && tracer != gettid())
		explain_tracer(pid, (pid_t)tracer);
	else if (err == ESRCH || *state == 'Z' || *state == 'X')
		say("process %d has ended%s", (int)pid,
		    *state == 'Z' ? " (a zombie: its parent has not waited for it)" : "");
	else if (err == EPERM || err == EACCES)
		explain_permission(pid);
	else
		say("cannot trace process %d: %s", (int)pid, strerror(err));
	return false;
}

/* Opening its memory requires the same permission as tracing it. */
static int may_open(pid_t pid)
{
	char name[40];
	int fd;

	snprintf(name, sizeof name, "/proc/%d/mem", (int)pid);
	fd = open(name, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* A leader that has exited while other threads live has no program any more, but can be traced. */
static bool has_threads(pid_t pid) { return proc_status(pid, "Threads", 10) > 1; }

bool trace_permission_wait(pid_t pid)
{
	enum { TRIES = 1000, STEP_NS = 5000000 };
	const struct timespec step = {0, STEP_NS};
	char name[64];

	for (int i = 0; i < TRIES; i++) {
		long long tracer = proc_status(pid, "TracerPid", 10);

		if (tracer <= 0 || tracer == gettid())
			return true;
		proc_name((pid_t)tracer, name, sizeof name);
		if (strcmp(name, TRACER_NAME))
			return false;
		nanosleep(&step, NULL);
	}
	return false;
}

bool trace_permission_check(pid_t pid)
{
	bool traced = !trace_permission_wait(pid);
	char state[16] = "";
	int err;

	if (!proc_status_line(pid, "State", state, sizeof state) ||
	    proc_flags(pid) & KERNEL_THREAD || traced)
		return trace_permission_explain(pid, EPERM);
	if (*state == 'Z' && has_threads(pid))
		return true;
	if (*state == 'Z' || *state == 'X')
		return trace_permission_explain(pid, ESRCH);
	err = may_open(pid);
	if (err)
		return trace_permission_explain(pid, err == EACCES ? EPERM : err);
	if (proc_class(pid) == ELFCLASS32)
		return trace_permission_explain(pid, ENOEXEC);
	if (proc_status(pid, "Seccomp", 10) > 0 && !have_capability(CAP_SYS_ADMIN_BIT) &&
	    !seccomp_is_ours(pid, pid))
		return trace_permission_explain(pid, EACCES);
	if (!has_shadow_stack(pid))
		return true;
	explain_shadow_stack(pid);
	return false;
}

/* ---------------------------------------------------------------------- exec */

/* Open PATH as process PID would. */
static int open_as(pid_t pid, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	char name[40];
	int dir, fd;

	snprintf(name, sizeof name, "/proc/%d/%s", (int)pid, *path == '/' ? "root" : "cwd");
	dir = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	if (*path == '/')
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
	else
		fd = openat(dir, path, O_PATH | O_CLOEXEC);
	if (fd < 0 && errno == ENOSYS)
		fd = openat(dir, path + strspn(path, "/"), O_PATH | O_CLOEXEC);
	close(dir);
	return fd;
}

/* File capabilities, by /proc/self/fd as O_PATH descriptors have no fgetxattr(). */
static bool has_file_caps(int fd)
{
	char name[40];

	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	return getxattr(name, "security.capability", NULL, 0) > 0;
}

static bool changes_ids(pid_t pid, const struct stat *st)
{
	long long uid, gid;
	struct ids u, g;

	if (!read_ids(pid, "Uid", &u) || !read_ids(pid, "Gid", &g))
		return true;
	uid = st->st_mode & S_ISUID ? (long long)st->st_uid : u.effective;
	gid = (st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) ? (long long)st->st_gid
									 : g.effective;
	return uid != u.effective || gid != g.effective;
}

/* True if exec of the program that FD, an O_PATH descriptor, refers to would give privileges to
 * process PID, and tracing prevents that. */
static bool loses_privilege(pid_t pid, int fd)
{
	struct statvfs vfs;
	struct stat st;

	/* a tracer with this capability does not prevent it: kernel/ptrace.c, ptracer_capable() */
	return !fstat(fd, &st) && (changes_ids(pid, &st) || has_file_caps(fd)) &&
	       !(!fstatvfs(fd, &vfs) && vfs.f_flag & ST_NOSUID) &&
	       proc_status(pid, "NoNewPrivs", 10) <= 0 && !have_capability(CAP_SYS_PTRACE_BIT);
}

bool exec_gains_privilege(pid_t pid, const char *path)
{
	int fd = open_as(pid, path);
	bool gains;

	if (fd < 0)
		return false; /* it cannot be executed either */
	gains = loses_privilege(pid, fd);
	close(fd);
	return gains;
}

bool lacks_privilege(pid_t pid)
{
	char name[40];
	bool lacks;
	int fd;

	snprintf(name, sizeof name, "/proc/%d/exe", (int)pid);
	fd = open(name, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return false;
	lacks = loses_privilege(pid, fd);
	close(fd);
	return lacks;
}

void warn_lacks_privilege(const char *program)
{
	warning("\"%s\" runs without the privileges of its set-user-ID bit or capabilities, "
		"because it is traced",
		program);
	hint("root can trace it with them: sudo staprun");
}
