/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals: those that end a run are read from a descriptor by the main thread.
 * The command that is traced gets back what staprun was called with.
 */
#include "staprun.h"

#include <signal.h>
#include <sys/signalfd.h>

static const int changed[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD, SIGUSR1};
enum { N_CHANGED = sizeof changed / sizeof changed[0] };

static struct sigaction before[N_CHANGED];
static sigset_t mask_before;

static void nothing(int sig) { (void)sig; }

/* SIGINT ends a run also where a shell started us with it ignored, as it does
 * in the background; an ignored SIGHUP (nohup) stays ignored. */
static void take(size_t i)
{
	struct sigaction sa = {.sa_handler = SIG_DFL};

	if (changed[i] == SIGPIPE || changed[i] == SIGXFSZ)
		sa.sa_handler = SIG_IGN;        /* write() says so */
	else if (changed[i] == SIGUSR1)
		sa.sa_handler = nothing;
	sigaction(changed[i], NULL, &before[i]);
	if (changed[i] != SIGHUP || before[i].sa_handler != SIG_IGN)
		sigaction(changed[i], &sa, NULL);
}

int signals_take(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < N_CHANGED; i++) {
		take(i);
		if (i < 4)
			sigaddset(&set, changed[i]);
	}
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &mask_before);
	sigdelset(&set, SIGUSR1);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void signals_restore(void)
{
	for (size_t i = 0; i < N_CHANGED; i++)
		sigaction(changed[i], &before[i], NULL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void signals_allow_interrupt(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void signals_interrupt(pthread_t thread) { pthread_kill(thread, SIGUSR1); }
