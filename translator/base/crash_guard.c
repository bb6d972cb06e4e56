/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crash guard: turn a crash of a library that reads a damaged file, or SIGBUS after a mapped
 * file was truncated, into an error message. The data that was read is in an unknown state, so
 * ustap prints the message and exits.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "crash_guard.h"
#include "util.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static const char *volatile reading; /* the file that was opened last; NULL: none */
static char stack[16 << 10];         /* that of a crash may be used up */

static void say(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n;
}

/* ---------------------------------------------------------------- truncated files */

/* The number in base 16 at P; *END: behind its last digit. */
static uintptr_t hex(const char *p, const char **end)
{
	static const char digits[] = "0123456789abcdef";
	uintptr_t n = 0;

	for (const char *d; *p && (d = strchr(digits, *p)); p++)
		n = n << 4 | (uintptr_t)(d - digits);
	*end = p;
	return n;
}

/* The path in LINE of /proc/PID/maps if its mapping holds ADDR; NULL if it does not, or has no
 * path. */
static char *path_of_line(char *line, uintptr_t addr)
{
	const char *end;
	uintptr_t from = hex(line, &end), to = *end == '-' ? hex(end + 1, &end) : 0;

	return addr >= from && addr < to ? strchr(line, '/') : NULL;
}

/* Read a line of FD into LINE, cut to SIZE; false: end of file. */
static bool read_line(int fd, char *line, size_t size)
{
	size_t n = 0;
	char c;

	while (read(fd, &c, 1) == 1 && c != '\n')
		if (n < size - 1)
			line[n++] = c;
	line[n] = 0;
	return n;
}

static void mask(char *p)
{
	for (; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
}

/* Only functions that signal handlers may call; it does not return if a file is mapped at ADDR. */
static void report_truncated(uintptr_t addr)
{
	static char line[4400];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char *path = NULL;

	while (fd >= 0 && !path && read_line(fd, line, sizeof line))
		path = path_of_line(line, addr);
	if (!path)
		return;
	mask(path);
	say("ustap: error: ");
	say(path);
	say(" was truncated while ustap was reading it; run ustap again when the file is complete "
	    "[bad-elf]\n");
	_exit(1);
}

static void bus_error(int signo, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code == BUS_ADRERR)
		report_truncated((uintptr_t)info->si_addr);
	signal(signo, SIG_DFL);
	raise(signo);
}

void guard_mappings(void)
{
	struct sigaction act = {.sa_sigaction = bus_error,
				.sa_flags = SA_SIGINFO | SA_RESETHAND | SA_NODEFER};

	sigaction(SIGBUS, &act, NULL);
}

/* ---------------------------------------------------------------- crashes of libraries */

static void crashed(int signo)
{
	if (!reading) {
		signal(signo, SIG_DFL);
		raise(signo);
		return;
	}
	say("ustap: error: reading ");
	say(reading);
	say(" crashed ustap: if readelf -w reports errors too, the file is damaged; otherwise this "
	    "is a bug in ustap [bad-elf]\n");
	_exit(1);
}

void guard_reading(const char *path)
{
	static const int signals[] = {SIGSEGV, SIGFPE, SIGILL, SIGABRT};
	struct sigaction act = {.sa_handler = crashed,
				.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};

	if (SANITIZED) /* has a better report */
		return;
	if (!reading && path) {
		sigaltstack(&alternate, NULL);
		for (size_t i = 0; i < ARRAY_LEN(signals); i++)
			sigaction(signals[i], &act, NULL);
	}
	reading = path;
}
