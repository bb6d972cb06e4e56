/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracee.c: the tracer does not run for longer than the limit of a wait, as on a machine with too
 * much to do. The event that it waits for has happened meanwhile.
 */
#include "inject/ptrace/ptrace.h"
#include "staprun_check.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

enum { LIMIT_SECONDS = 1, BEFORE_MS = 200, STOPPED_MS = 1300 };

static int go[2];

static void nap_ms(long ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void run_target(void)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	for (;;)
		if (read(go[0], &c, 1) == 1)
			raise(SIGUSR1);
}

/* Stop the tracer, let the target go on, and continue the tracer after the limit of its wait. */
static void run_helper(pid_t tracer)
{
	nap_ms(BEFORE_MS);
	kill(tracer, SIGSTOP);
	if (write(go[1], "", 1) != 1)
		_exit(1);
	nap_ms(STOPPED_MS);
	kill(tracer, SIGCONT);
	_exit(0);
}

int main(void)
{
	pid_t target, helper, self = getpid();
	int status = 0;
	struct tracee t;

	if (pipe(go))
		return 2;
	target = fork();
	if (!target)
		run_target();
	nap_ms(BEFORE_MS);
	check(!tracee_stop(&t, target) && t.n == 1, "the target is stopped", "it is not");
	ptrace(PTRACE_CONT, target, 0, 0);
	helper = fork();
	if (!helper)
		run_helper(self);
	check(tracee_wait(&t, &t.v[0], &status, LIMIT_SECONDS) && WSTOPSIG(status) == SIGUSR1,
	      "the signal is seen", "the wait ends without it");
	check(t.v[0].stopped && !t.v[0].gone, "the thread is stopped", "it is not");
	kill(target, SIGKILL);
	tracee_release(&t);
	waitpid(helper, NULL, 0);
	waitpid(target, NULL, 0);
	return failed;
}
