/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals of staprun. No signal that can be blocked takes its default action, which would leave
 * a module loaded: those whose default action terminates end the run in order, the others do
 * nothing. Only job control (SIGTSTP, SIGCONT) works as usual. The traced command gets back the
 * state that staprun was started with.
 */
#include "base/signal.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LAST_SIGNAL = 64 };

/* Signals reserved by the C library, which rejects them in sigaction() and sigprocmask(). */
enum { FIRST_LIBC_SIGNAL = 32, LAST_LIBC_SIGNAL = 33 };

static struct sigaction before[LAST_SIGNAL + 1];
static sigset_t mask_before;
static bool taken, reloads, is_continued;
static unsigned long long inherited; /* signals that were blocked before the run that this one
				      * continues */

static void nothing(int sig) { (void)sig; }

static bool is_libc(int sig) { return sig >= FIRST_LIBC_SIGNAL && sig <= LAST_LIBC_SIGNAL; }

/* True for signals that keep their disposition: they stop or continue staprun, or do nothing by
 * default. */
static bool is_left_alone(int sig)
{
	return sig == SIGKILL || sig == SIGSTOP || sig == SIGTSTP || sig == SIGCONT ||
	       sig == SIGCHLD || sig == SIGWINCH || sig == SIGURG;
}

/* True for signals without effect. A terminal stops a background process that writes, with SIGTTOU,
 * unless the signal is blocked: staprun must unload its module first. Failures of write() report
 * the conditions of SIGPIPE and SIGXFSZ. */
static bool is_without_effect(int sig)
{
	return sig == SIGTTIN || sig == SIGTTOU || sig == SIGPIPE || sig == SIGXFSZ ||
	       sig == SIGUSR1;
}

enum signal_effect signal_effect(int sig)
{
	if (sig == SIGUSR2)
		return SIGNAL_SWITCHES;
	if (sig == SIGHUP && reloads)
		return SIGNAL_RELOADS;
	if (is_left_alone(sig) || is_without_effect(sig) || is_libc(sig))
		return SIGNAL_IGNORED;
	return SIGNAL_ENDS;
}

/* Shells start background commands with SIGINT and SIGQUIT ignored; these end a run all the
 * same. Any other signal that staprun inherits as ignored, such as SIGHUP from nohup(1), stays
 * ignored. */
static bool ends_though_ignored(int sig)
{
	return sig == SIGINT || sig == SIGQUIT || sig == SIGTERM;
}

static void take_disposition(int sig)
{
	struct sigaction sa = {.sa_handler = SIG_DFL};

	sigaction(sig, NULL, &before[sig]);
	if (sig == SIGPIPE || sig == SIGXFSZ)
		sa.sa_handler = SIG_IGN;
	else if (sig == SIGUSR1)
		sa.sa_handler = nothing;
	else if (sig != SIGCHLD && !ends_though_ignored(sig))
		return;
	sigaction(sig, &sa, NULL);
}

/* The kernel's struct sigaction: the C library rejects these signals, so its type cannot be
 * used. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static void libc_signal(int sig, void (*handler)(int), void (*only_if)(int))
{
	struct kernel_action a = {.handler = handler}, now;

	if (!syscall(SYS_rt_sigaction, sig, NULL, &now, sizeof a.mask) && now.handler == only_if)
		syscall(SYS_rt_sigaction, sig, &a, NULL, sizeof a.mask);
}

static void choose(sigset_t *block, sigset_t *read)
{
	sigemptyset(block);
	sigemptyset(read);
	for (int sig = 1; sig <= LAST_SIGNAL; sig++) {
		enum signal_effect effect = signal_effect(sig);
		bool ignored = before[sig].sa_handler == SIG_IGN && !ends_though_ignored(sig);

		if (is_libc(sig) || is_left_alone(sig))
			continue;
		sigaddset(block, sig);
		if (effect != SIGNAL_IGNORED && !ignored)
			sigaddset(read, sig);
	}
}

static void mask_set(sigset_t *set, unsigned long long mask)
{
	sigemptyset(set);
	for (int sig = 1; sig <= LAST_SIGNAL; sig++)
		if (mask >> (sig - 1) & 1 && !is_libc(sig))
			sigaddset(set, sig);
}

int signals_take(void)
{
	sigset_t block, read;

	for (int sig = 1; sig <= LAST_SIGNAL; sig++) {
		if (is_libc(sig))
			libc_signal(sig, SIG_IGN, SIG_DFL);
		else if (sig != SIGKILL && sig != SIGSTOP)
			take_disposition(sig);
	}
	choose(&block, &read);
	sigprocmask(SIG_BLOCK, &block, &mask_before);
	if (is_continued)
		mask_set(&mask_before, inherited);
	taken = true;
	return signalfd(-1, &read, SFD_CLOEXEC | SFD_NONBLOCK);
}

void signals_reload(bool continued, unsigned long long blocked)
{
	reloads = true;
	is_continued = continued;
	inherited = blocked;
}

unsigned long long signals_before(void)
{
	unsigned long long mask = 0;

	for (int sig = 1; sig <= LAST_SIGNAL; sig++)
		if (sigismember(&mask_before, sig) == 1)
			mask |= 1ull << (sig - 1);
	return mask;
}

void signals_hand_over(void)
{
	for (int sig = 1; taken && sig <= LAST_SIGNAL; sig++) {
		if (is_libc(sig))
			libc_signal(sig, SIG_DFL, SIG_IGN);
		else if (sig != SIGKILL && sig != SIGSTOP)
			sigaction(sig, &before[sig], NULL);
	}
}

void signals_restore(void)
{
	if (!taken)
		return;
	signals_hand_over();
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
