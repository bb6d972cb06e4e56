/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Four threads call step() always, with memory that was not read before. After a moment all get a
 * seccomp filter at once (SECCOMP_FILTER_FLAG_TSYNC), which kills the process for the calls of
 * others. They go on for another moment. Says `right' at the end.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, PAGE = 4096, PAGES = 1 << 16 };

__attribute__((noipa)) char step(const char *s) { return *s; }

static int running;

static void *run(void *text)
{
	__atomic_fetch_add(&running, 1, __ATOMIC_SEQ_CST);
	for (unsigned i = 0;; i = (i + 1) % PAGES)
		step((const char *)text + (size_t)i * PAGE);
	return NULL;
}

static void pass(long milliseconds)
{
	const struct timespec t = {0, milliseconds * 1000000};

	nanosleep(&t, NULL);
}

int main(void)
{
#define ALLOW(nr)                                   \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_write),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_clock_nanosleep),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_fprog program = {sizeof code / sizeof *code, code};
	pthread_t thread;
	char *text = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, run, text);
	/* a thread that begins makes calls of its own */
	while (__atomic_load_n(&running, __ATOMIC_SEQ_CST) < THREADS)
		pass(1);
	pass(100);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
		return 1;
	pass(100);
	if (write(STDOUT_FILENO, "right\n", 6) < 0)
		return 1;
	_exit(0);
}
