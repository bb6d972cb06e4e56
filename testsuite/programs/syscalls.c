/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls with arguments of each kind, none of which does anything; in `begin' and `end' of getpriority(). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALL(name, ...) syscall(SYS_##name, ##__VA_ARGS__)
#define NONE "/nowhere/file"

static void files(void)
{
	struct timespec times[2] = {{1000, 5}, {0, UTIME_OMIT}};
	struct timeval old[2] = {{1000, 7}, {2000, 8}};

	CALL(open, NONE, O_RDWR | O_NONBLOCK | O_DIRECTORY);
	CALL(open, NONE, O_WRONLY | O_CREAT | O_EXCL | O_SYNC, 0640);
	CALL(openat, AT_FDCWD, NONE "\n\"", O_RDONLY | O_CLOEXEC);
	CALL(openat, 77, NONE, O_RDWR | O_TMPFILE, 0600);
	CALL(creat, NONE, 0755);
	CALL(read, -1, NULL, 5);
	CALL(write, -1, "sold\n", 5);
	CALL(pwrite64, -1, "0123456789012345678901234567890123456789", 40, 1234);
	CALL(lseek, -1, -7, SEEK_END);
	CALL(access, NONE, R_OK | X_OK);
	CALL(faccessat, AT_FDCWD, NONE, F_OK);
	CALL(newfstatat, AT_FDCWD, NONE, NULL, AT_SYMLINK_NOFOLLOW);
	CALL(fcntl, -1, F_SETFD, 1);
	CALL(dup3, -1, -2, O_CLOEXEC);
	CALL(pipe2, NULL, O_NONBLOCK | O_CLOEXEC);
	CALL(mkdirat, AT_FDCWD, NONE, 0700);
	CALL(mknodat, AT_FDCWD, NONE, S_IFIFO | 0644, 0);
	CALL(unlinkat, AT_FDCWD, NONE, AT_REMOVEDIR);
	CALL(renameat2, AT_FDCWD, NONE, 3, "/b", 1);
	CALL(symlinkat, "/a", AT_FDCWD, NONE);
	CALL(readlinkat, AT_FDCWD, NONE, NULL, 20);
	CALL(fchownat, AT_FDCWD, NONE, 12, -1, AT_EMPTY_PATH);
	CALL(utimensat, AT_FDCWD, NONE, times, 0);
	CALL(utimes, NONE, old);
	CALL(setxattr, NONE, "user.x", "value", 5, 1);
	CALL(fallocate, -1, 3, 4096, 8192);
	CALL(mount, "/dev/none", NONE, "ext4", MS_RDONLY | MS_NOSUID | MS_REMOUNT, "data=x");
	CALL(umount2, NONE, MNT_DETACH);
	CALL(flock, -1, 6);
	CALL(splice, -1, NULL, -1, NULL, 10, 3);
}

static void memory(void)
{
	CALL(mmap, NULL, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CALL(mmap, NULL, 0, PROT_NONE, MAP_SHARED | MAP_NORESERVE, 5, 8192);
	CALL(mprotect, 1, 4096, PROT_READ | PROT_WRITE);
	CALL(madvise, 1, 4096, MADV_DONTNEED);
	CALL(mremap, 1, 4096, 8192, MREMAP_MAYMOVE, 0);
	CALL(msync, 1, 4096, MS_SYNC);
	CALL(mlockall, 0);
	CALL(mq_open, NONE, O_RDONLY, 0600, NULL);
	CALL(mq_open, NONE, O_RDWR | O_CREAT, 0600, NULL);
	CALL(memfd_create, NULL, 1);
	CALL(shmget, 7777, 0, 0600);
	CALL(shmctl, -1, IPC_RMID, NULL);
	CALL(semget, IPC_PRIVATE, -1, IPC_CREAT | IPC_EXCL | 0644);
	CALL(munmap, 1, 4096);
}

static void processes(void)
{
	struct rlimit64 limit = {100, RLIM64_INFINITY};
	struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t runtime, deadline, period; }
		attr = {48, SCHED_DEADLINE, 1, 0, 0, 1000, 2000, 3000};
	char *argv[] = {"one", "two words", NULL}, *envp[] = {"A=B", "C=D", "E=F", NULL};

	CALL(execve, NONE, argv, envp);
	CALL(wait4, -99999, NULL, WNOHANG | WUNTRACED, NULL);
	CALL(waitid, P_PID, 99999999, NULL, WEXITED | WNOHANG, NULL);
	CALL(clone, CLONE_THREAD | CLONE_FS | SIGCHLD, NULL, NULL, NULL, 0);
	CALL(unshare, CLONE_VM | CLONE_NEWNS | 1);
	CALL(prlimit64, 99999999, RLIMIT_NOFILE, &limit, NULL);
	CALL(getrusage, RUSAGE_SELF, NULL);
	CALL(setpriority, PRIO_USER, -5, 40);
	CALL(prctl, 99999, 1, 2, 3, 4);
	CALL(futex, NULL, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
	CALL(sched_setscheduler, -1, SCHED_FIFO, NULL);
	CALL(ptrace, 16, 99999999, NULL, NULL);
	CALL(ioprio_set, 1, 99999999, 2 << 13 | 4);
	CALL(sched_setattr, -1, &attr, 0);
	CALL(quotactl, 0x80000700, NULL, 1000, NULL);
}

static void times(void)
{
	struct timespec ts = {0, 1234567}, bad = {3, 1999999999};
	struct timeval tv = {5, 2000000};
	struct itimerspec its = {{0, 1999999999}, {5, 0}};
	uint64_t set = 1 << (SIGUSR1 - 1) | 1 << (SIGTERM - 1), most = ~0ull;
	struct { void (*handler)(int); unsigned long flags; void *restorer; uint64_t mask; } act = {SIG_IGN, SA_RESTART | SA_SIGINFO, NULL, set};
	stack_t stack = {.ss_sp = (void *)4096, .ss_size = 100, .ss_flags = 0};

	CALL(nanosleep, &ts, NULL);
	CALL(clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &bad, NULL);
	CALL(clock_gettime, CLOCK_BOOTTIME, 1);
	CALL(setitimer, ITIMER_PROF, 1, NULL);
	CALL(timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK | 1);
	CALL(timerfd_settime, -1, TFD_TIMER_ABSTIME, &its, NULL);
	CALL(select, -1, NULL, NULL, NULL, &tv);
	CALL(epoll_ctl, -1, EPOLL_CTL_MOD, 5, NULL);
	CALL(eventfd2, 5, EFD_CLOEXEC | EFD_NONBLOCK | 4);
	CALL(kill, 99999999, SIGUSR1);
	CALL(tgkill, 99999999, 99999998, 0);
	CALL(rt_sigaction, SIGTERM, &act, NULL, 1);
	CALL(rt_sigprocmask, SIG_BLOCK, &set, NULL, 1);
	CALL(rt_sigprocmask, SIG_SETMASK, &most, NULL, 1);
	CALL(sigaltstack, &stack, NULL);
}

static void network(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(8080), .sin_addr.s_addr = htonl(0x7f000001)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(443), .sin6_addr.s6_addr = {[0] = 0x20, [15] = 1}};
	struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "/run/none"};

	CALL(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 9999);
	CALL(socket, AF_INET6, SOCK_DGRAM | 0x100000, IPPROTO_UDP);
	CALL(bind, -1, &in, sizeof in);
	CALL(connect, -1, &in6, sizeof in6);
	CALL(connect, -1, &un, sizeof un);
	CALL(sendto, -1, "hello", 5, MSG_DONTWAIT | MSG_NOSIGNAL, &in, sizeof in);
	CALL(accept4, -1, NULL, NULL, SOCK_NONBLOCK);
	CALL(setsockopt, -1, SOL_SOCKET, SO_REUSEADDR, NULL, 4);
	CALL(setsockopt, -1, 6, 1, NULL, 4);
	CALL(shutdown, -1, SHUT_WR);
	CALL(listen, -1, 128);
	CALL(getrandom, NULL, 1, 2);
}

int main(void)
{
	static const char *volatile touched = NONE;

	CALL(getpriority, 7777, *touched == '?');
	files();
	memory();
	processes();
	times();
	network();
	CALL(getpriority, 7777, 1);
	CALL(umask, 022);
	return 0;
}
