/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Confinement of two processes: the script process, which a traced process can take over, and the
 * process that reads symbol tables of untrusted files.
 *
 * The process keeps no descriptor of staprun except its two sockets, no environment, no capability
 * and, if staprun runs as root, a user id that no other process has. A seccomp filter permits only
 * the system calls of the runtime; if the kernel has Landlock, only files of /proc can be opened.
 */
#include "inject/script/script_channel.h"
#include "base/privilege.h"
#include "inject/arch/regs.h"

#include <stdbool.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ------------------------------------------------------------- descriptors */

static bool is_kept(int fd, const int *keep, size_t nkeep)
{
	for (size_t i = 0; i < nkeep; i++)
		if (fd == keep[i])
			return true;
	return false;
}

bool close_others(const int *keep, size_t nkeep)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *de;
	bool ok = dir && null >= 0;

	for (int fd = STDIN_FILENO; ok && fd <= STDERR_FILENO; fd++)
		ok = dup2(null, fd) == fd;
	while (dir && (de = readdir(dir))) {
		int fd = atoi(de->d_name);

		if (fd > STDERR_FILENO && fd != dirfd(dir) && !is_kept(fd, keep, nkeep))
			close(fd);
	}
	if (dir)
		closedir(dir);
	return ok;
}

static void wipe_environment(void)
{
	for (char **e = environ; e && *e; e++)
		explicit_bzero(*e, strlen(*e));
}

static void limit_resources(void)
{
	static const int which[] = {RLIMIT_CORE, RLIMIT_FSIZE, RLIMIT_NPROC, RLIMIT_MEMLOCK,
				    RLIMIT_MSGQUEUE};
	const struct rlimit none = {0, 0};

	for (size_t i = 0; i < sizeof which / sizeof *which; i++)
		setrlimit(which[i], &none);
}

/* ---------------------------------------------------------------- landlock */

/* From linux/landlock.h, which older headers lack. */
struct landlock_ruleset {
	uint64_t files;
};
struct landlock_path {
	uint64_t files;
	int32_t dir;
} __attribute__((packed));
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446, LANDLOCK_BENEATH = 1 };
enum { FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3, FS_ALL = (1 << 13) - 1 };

/* Without Landlock, user ids and file modes protect files. */
static void limit_files(void)
{
	const struct landlock_ruleset all = {FS_ALL};
	struct landlock_path proc = {FS_READ_FILE | FS_READ_DIR, open("/proc", O_PATH | O_CLOEXEC)};
	int set = (int)syscall(LANDLOCK_CREATE, &all, sizeof all, 0);

	if (set >= 0 && proc.dir >= 0 && !syscall(LANDLOCK_ADD, set, LANDLOCK_BENEATH, &proc, 0))
		syscall(LANDLOCK_RESTRICT, set, 0);
	if (set >= 0)
		close(set);
	if (proc.dir >= 0)
		close(proc.dir);
}

/* ----------------------------------------------------------------- seccomp */

#define ARGUMENT(i)  (offsetof(struct seccomp_data, args) + (i) * sizeof(uint64_t))
#define LOAD(at)     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define ALLOW(nr)    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), RETURN(SECCOMP_RET_ALLOW)
/* Permit the call if none of BITS is set in the lower half of argument I. */
#define ALLOW_WITHOUT(nr, i, bits)                                          \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 4), LOAD(ARGUMENT(i)), \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1),         \
		RETURN(SECCOMP_RET_ERRNO | EPERM), RETURN(SECCOMP_RET_ALLOW)
#define EVERY_BIT 0xffffffffu
/* Permit the call if the lower half of argument I is VALUE. */
#define ALLOW_WITH(nr, i, value)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 4), LOAD(ARGUMENT(i)), \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0),         \
		RETURN(SECCOMP_RET_ERRNO | EPERM), RETURN(SECCOMP_RET_ALLOW)
enum { PATH_BITS = O_ACCMODE | O_CREAT | O_TRUNC };

#define LENGTH(v) (sizeof(v) / sizeof *(v))
#define OF_THIS_MACHINE                                                                    \
	LOAD(offsetof(struct seccomp_data, arch)),                                         \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SECCOMP_ARCH, 1, 0),                   \
		RETURN(SECCOMP_RET_KILL_PROCESS), LOAD(offsetof(struct seccomp_data, nr)), \
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_CALLS, 0, 1),                  \
		RETURN(SECCOMP_RET_KILL_PROCESS)

static bool set_filter(const struct sock_filter *filter, size_t n)
{
	const struct sock_fprog program = {(unsigned short)n, (struct sock_filter *)filter};

	/* on a kernel without seccomp the user id is the protection */
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) || errno == EINVAL ||
	       errno == ENOSYS;
}

static bool limit_calls(void)
{
	/* clang-format off: one line for each purpose */
	static const struct sock_filter filter[] = {
		OF_THIS_MACHINE,
		ALLOW(SYS_sendto),
		ALLOW(SYS_recvfrom),
		ALLOW(SYS_ppoll),
		ALLOW(SYS_futex),
		ALLOW(SYS_clock_gettime),
		ALLOW(SYS_gettimeofday),
		ALLOW(SYS_nanosleep),
		ALLOW(SYS_clock_nanosleep),
		ALLOW(SYS_sched_yield),
		ALLOW(SYS_restart_syscall),
		ALLOW(SYS_getcpu),
		ALLOW(SYS_getrandom),
		ALLOW(SYS_read),
		ALLOW(SYS_close),
		ALLOW(SYS_getdents64),
		ALLOW(SYS_lseek),
		ALLOW(SYS_sysinfo),
		ALLOW(SYS_getpid),
		ALLOW(SYS_gettid),
		ALLOW(SYS_getppid),
		ALLOW(SYS_getpgid),
		ALLOW(SYS_getsid),
		ALLOW(SYS_getuid),
		ALLOW(SYS_geteuid),
		ALLOW(SYS_getgid),
		ALLOW(SYS_getegid),
		ALLOW(SYS_process_vm_readv),
		ALLOW(SYS_rt_sigprocmask),
		ALLOW(SYS_rt_sigaction),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ALLOW_WITHOUT(SYS_openat, 2, PATH_BITS),
		ALLOW_WITHOUT(SYS_kill, 1, EVERY_BIT),
		ALLOW_WITHOUT(SYS_tkill, 1, EVERY_BIT),
		ALLOW_WITHOUT(SYS_tgkill, 2, EVERY_BIT),
		/* no new limits: the pointer's lower half suffices, because nothing is mapped below
		 * 4 GiB */
		ALLOW_WITHOUT(SYS_prlimit64, 2, EVERY_BIT),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
	};
	/* clang-format on */

	return set_filter(filter, LENGTH(filter));
}

/* Permits its own memory, open files and the socket; no file can be opened, no memory made
 * executable. */
static bool limit_reader_calls(void)
{
	const struct sock_filter filter[] = {
		OF_THIS_MACHINE,
		ALLOW(SYS_recvmsg),
		ALLOW(SYS_sendto),
		ALLOW(SYS_fstat),
		ALLOW(SYS_fstatfs),
		ALLOW(SYS_newfstatat),
		ALLOW(SYS_close),
		ALLOW(SYS_munmap),
		ALLOW(SYS_mremap),
		ALLOW(SYS_brk),
		ALLOW(SYS_madvise),
		ALLOW(SYS_futex),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_getpid),
		ALLOW_WITH(SYS_process_vm_readv, 0, (unsigned)getpid()),
		ALLOW_WITHOUT(SYS_mmap, 2, PROT_EXEC),
		ALLOW_WITHOUT(SYS_mprotect, 2, PROT_EXEC),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
	};

	return set_filter(filter, LENGTH(filter));
}

static bool give_up(const int *keep, size_t nkeep, bool (*limit_calls_of)(void))
{
	if (!close_others(keep, nkeep))
		return false;
	wipe_environment();
	limit_files();
	if (!privilege_leave(ANONYMOUS_ID, ANONYMOUS_ID))
		return false;
	/* after the change of ids, which resets it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit_resources();
	prctl(PR_SET_DUMPABLE, 0);
	return limit_calls_of();
}

bool confine(const int *keep, size_t nkeep) { return give_up(keep, nkeep, limit_calls); }

bool confine_reader(int socket, int file)
{
	const int keep[] = {socket, file};

	return give_up(keep, 2, limit_reader_calls);
}
