/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals that end ustap: the command that it waits for gets the signal, too, and the temporary
 * directory is removed. As the handler may interrupt anything, rm(1) does that.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cleanup.h"
#include "environment.h"
#include "subprocess.h"
#include "util.h"

static void remove_directory(const char *dir)
{
	char *const none[] = {NULL}; /* root's environment may be that of another user */
	pid_t rm = vfork();

	if (!rm) {
		execle("/bin/rm", "rm", "-rf", "--", dir, NULL, none);
		_exit(127);
	}
	while (rm > 0 && waitpid(rm, NULL, 0) < 0 && errno == EINTR)
		;
}

static void clean_and_end(int signo)
{
	const char *dir = private_dir_at_signal();

	command_kill(signo);
	if (dir)
		remove_directory(dir);
	signal(signo, SIG_DFL);
	raise(signo);
}

static void go_on(int signo) { (void)signo; }

/* Handle SIGNO, unless it was ignored before or has another handler. */
static void handle(int signo, void (*handler)(int))
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;

	if (!sigaction(signo, NULL, &before) && before.sa_handler == SIG_DFL)
		sigaction(signo, &act, NULL);
}

void clean_at_signals(void)
{
	static const int ending[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU};

	for (size_t i = 0; i < ARRAY_LEN(ending); i++)
		handle(ending[i], clean_and_end);
	handle(SIGXFSZ, go_on);
}
