/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's clock source. It is the cycle counter, `tsc', where the kernel trusts the counter.
 * Guests of KVM and Hyper-V often have the host's clock instead, which is the counter, too, scaled
 * by numbers in a page of the host, provided that the host's counter is the same on all CPUs. The
 * vDSO reads such a clock only then; otherwise it makes a system call.
 */
#include "base/clock_source.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

/* Let the call fail in this thread. */
static bool forbid_call(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clock_gettime, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof code / sizeof code[0], code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static void *read_clocks(void *result)
{
	bool *ok = result;
	struct timespec t;

	*ok = forbid_call() && !clock_gettime(CLOCK_MONOTONIC, &t) &&
	      !clock_gettime(CLOCK_REALTIME, &t);
	return NULL;
}

/* A filter lasts as long as its thread. */
static bool vdso_makes_no_call(void)
{
	bool ok = false;
	pthread_t thread;

	return !pthread_create(&thread, NULL, read_clocks, &ok) && !pthread_join(thread, NULL) &&
	       ok;
}

bool clock_source_is_ticks(void)
{
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
	char name[64] = "";
	bool known = f && fgets(name, sizeof name, f);

	if (f)
		fclose(f);
	if (!known)
		return false;
	name[strcspn(name, "\n")] = '\0';
	return !strcmp(name, "tsc") ||
	       ((!strcmp(name, "kvm-clock") || !strcmp(name, "hyperv_clocksource_tsc_page")) &&
		vdso_makes_no_call());
}
