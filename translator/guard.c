/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guard: a damaged file ends in an error also where the library that reads it crashes on it.  Nothing is to be saved
 * then: what has been read is in an unknown state, so there is a message, and ustap ends.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ustap.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static const char *volatile reading;            /* the file that was opened last; NULL: none */
static char stack[16 << 10];                    /* that of a crash may be used up */

static void say(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n;
}

static void crashed(int signo)
{
	if (!reading) {
		signal(signo, SIG_DFL);
		raise(signo);
		return;
	}
	say("ustap: error: reading ");
	say(reading);
	say(" ended in a crash: the file is damaged, if readelf -w complains of it, too; otherwise this is a fault of ustap [bad-elf]\n");
	_exit(1);
}

void guard_reading(const char *path)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct sigaction act = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};

	if (SANITIZED)                           /* has a better report */
		return;
	if (!reading && path) {
		sigaltstack(&alternate, NULL);
		for (size_t i = 0; i < ARRAY_LEN(signals); i++)
			sigaction(signals[i], &act, NULL);
	}
	reading = path;
}
