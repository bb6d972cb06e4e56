/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc_stat.c: fields of processes, also of one whose name looks like other fields. */
#include "base/proc_stat.h"
#include "staprun_check.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static char *last_argument;

/* Wait until PID has ended, and leave it a zombie. */
static void wait_end(pid_t pid)
{
	siginfo_t info;

	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
}

static void test_self(void)
{
	struct proc_stat s;
	uint64_t argument = (uintptr_t)last_argument;

	check(proc_stat_read(&s, getpid()) && *s.fields == 'R', "a process that runs", s.text);
	check(argument >= proc_stat_number(&s, STAT_ARG_START) &&
		      argument < proc_stat_number(&s, STAT_ARG_END),
	      "the addresses of the arguments", s.text);
	check(!proc_stat_number(&s, (enum proc_stat_number)1000), "a field that does not exist",
	      s.text);
}

static void test_zombie(void)
{
	struct proc_stat s = {0};
	pid_t pid = fork();

	if (!pid)
		_exit(3);
	wait_end(pid);
	check(proc_stat_state(pid) == 'Z', "a process that has ended", "another state");
	check(proc_stat_read(&s, pid) && proc_stat_number(&s, STAT_EXIT_CODE) == 3 << 8,
	      "its exit code", s.text);
	waitpid(pid, NULL, 0);
	check(!proc_stat_state(pid) && !proc_stat_read(&s, pid), "a process that is gone",
	      "it has fields");
}

int main(int argc, char **argv)
{
	last_argument = argv[argc - 1];
	prctl(PR_SET_NAME, "a) S (b\n) Z 1");
	test_self();
	test_zombie();
	return failed != 0;
}
