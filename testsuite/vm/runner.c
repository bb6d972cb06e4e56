/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runner FILE: runs DIR/cmd of each test in its directory DIR, a line of FILE, in the guest, and
 * leaves there
 *   started   as soon as it has begun; a test with this file is left out, as another guest, which
 *             was given the same directories, runs it
 *   .out      what it wrote to standard output
 *   .err      and to standard error
 *   left      modules of ours that were still loaded, one a line; they are removed
 *   log       what the kernel said meanwhile
 *   late      only if it was not done within a minute
 *   status    exit status, as a shell gives it; 124: it was late
 * and prints the name of each.  One static program: to start some tools for each test takes an
 * emulated machine longer than the test does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT = 60, GRACE = 5, OUT_OF_TIME = 124 }; /* seconds; exit status */
enum { LOG_READ_CLEAR = 4, LOG_CLEAR = 5, LOG_SIZE = 10 };

static void fatal(const char *what)
{
	perror(what);
	exit(1);
}

/* Make ./started; false if it is there. */
static bool claim(void)
{
	int fd = open("started", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0 && errno != EEXIST)
		fatal("started");
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int create(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		fatal(name);
	return fd;
}

__attribute__((format(printf, 2, 3))) static void put(const char *name, const char *format, ...)
{
	int fd = create(name);
	va_list args;

	va_start(args, format);
	vdprintf(fd, format, args);
	va_end(args);
	close(fd);
}

/* Split TEXT, a line of words that are plain or in single quotes, into V, of MAX elements with the
 * NULL at the end.  False: it needs a shell; TEXT may be changed. */
static bool split_words(char *text, char **v, size_t max)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_@%+=:,./-";

	for (size_t n = 0; n + 1 < max;) {
		bool quoted, last;
		char *end;

		text += strspn(text, " ");
		quoted = *text == '\'';
		text += quoted;
		end = quoted ? strchr(text, '\'') : text + strspn(text, plain);
		if (!end || (!quoted && end == text))
			return false;
		last = !strcmp(end + quoted, "\n");
		if (!last && end[quoted] != ' ')
			return false;
		*end = '\0';
		v[n++] = text;
		v[n] = NULL;
		if (last)
			return !strchr(v[0], '=');
		text = end + 1;
	}
	return false;
}

/* Run ./cmd: most are `exec' and a simple command, which needs no shell, or one that the small
 * shell understands; to start a shell takes the guest a quarter of the time of such a test. */
static void run_command(void)
{
	char text[4096], *words[64];
	int fd = open("cmd", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	bool simple = n >= 5 && !strncmp(text, "exec ", 5);
	const char *shell = simple ? "sh" : "bash";

	text[n > 0 ? n : 0] = '\0';
	if (simple && split_words(text + 5, words, sizeof words / sizeof words[0]))
		execvp(words[0], words);
	else
		execlp(shell, shell, "./cmd", (char *)NULL);
	_exit(127);
}

/* In the child: a process group of its own, so that all of it can be ended. */
static void run(void)
{
	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
	dup2(create(".out"), 1);
	dup2(create(".err"), 2);
	run_command();
}

/* Has PID ended within so many seconds?  SIGCHLD is blocked. */
static int ended(pid_t pid, int *status, int seconds)
{
	struct timespec now, end;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	for (;;) {
		struct timespec wait = {.tv_sec = 1};

		if (waitpid(pid, status, WNOHANG) == pid)
			return 1;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec >= end.tv_sec)
			return 0;
		sigtimedwait(&child, NULL, &wait);
	}
}

static int wait_for(pid_t pid)
{
	int status = 0;

	if (!ended(pid, &status, LIMIT)) {
		kill(-pid, SIGTERM);
		kill(-pid, SIGCONT);
		if (!ended(pid, &status, GRACE)) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
		}
		put("late", "exceeded its time limit of %d s\n", LIMIT);
		return OUT_OF_TIME;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Removes modules of ustap that are still loaded. False: one cannot be removed. */
static bool unload(void)
{
	FILE *modules = fopen("/proc/modules", "r"), *left = fdopen(create("left"), "w");
	char line[512], name[64];
	bool out = true;

	if (!modules || !left)
		fatal("/proc/modules");
	while (fgets(line, sizeof line, modules)) {
		if (strncmp(line, "ustap_", 6) || sscanf(line, "%63s", name) != 1)
			continue;
		fprintf(left, "%s\n", name);
		if (syscall(SYS_delete_module, name, O_NONBLOCK)) {
			fprintf(left, "it cannot be removed: %s\n", strerror(errno));
			out = false;
		}
	}
	fclose(modules);
	fclose(left);
	return out;
}

static void save_log(char *buffer, int size)
{
	int n = klogctl(LOG_READ_CLEAR, buffer, size), fd = create("log");

	if (n > 0 && write(fd, buffer, n) != n)
		fatal("log");
	close(fd);
}

/* Run the test in DIR. False: its module cannot be removed. */
static bool run_test(const char *dir, char *buffer, int size)
{
	const char *slash = strrchr(dir, '/');
	pid_t pid;
	int status;
	bool clean;

	if (chdir(dir))
		fatal(dir);
	if (!claim())
		return true;
	printf("%s\n", slash ? slash + 1 : dir);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		fatal("fork");
	if (!pid)
		run();
	setpgid(pid, pid);
	status = wait_for(pid);
	clean = unload();
	kill(-pid, SIGKILL); /* background processes must not disturb the next one */
	save_log(buffer, size);
	put("status", "%d\n", status);
	return clean;
}

int main(int argc, char **argv)
{
	int size = klogctl(LOG_SIZE, NULL, 0);
	char *buffer = malloc(size), *dir = NULL;
	FILE *list = fopen(argc > 1 ? argv[1] : "", "re");
	size_t room = 0;
	ssize_t n;
	sigset_t child;

	if (!list)
		fatal("the list of tests");
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	klogctl(LOG_CLEAR, NULL, 0);
	while ((n = getline(&dir, &room, list)) > 0) {
		if (dir[n - 1] == '\n')
			dir[n - 1] = '\0';
		/* in this guest the others would have that module, too: they run in the next one */
		if (!run_test(dir, buffer, size))
			break;
	}
	return 0;
}
