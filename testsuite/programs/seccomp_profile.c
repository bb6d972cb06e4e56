/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes of a container, which have its seccomp filter, as that of Docker refuses
 * pidfd_getfd(2):
 *   profile COMMAND...  execute the command with such a filter
 *   target [own]        says "ready", reads standard input to its end and calls step() five times;
 *                       own: with a further filter, which permits all calls
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noipa)) long step(long i) { return i + 1; }

static void add_filter(unsigned refused)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {sizeof code / sizeof *code, code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		exit(1);
}

int main(int argc, char **argv)
{
	long calls = 0;

	if (argc > 2 && !strcmp(argv[1], "profile")) {
		add_filter(SYS_pidfd_getfd);
		execvp(argv[2], argv + 2);
		return 127;
	}
	if (argc > 2)
		add_filter(~0u);
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	while (calls < 5)
		calls = step(calls);
	return 0;
}
