/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader's options, its splitting of -c into words, and the child that waits for a start signal
 * before it becomes the command.
 */
#include <stdbool.h>
#include <stdio.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/command_words.h"
#include "base/message.h"
#include "base/signal.h"
#include "options.h"
#include "session/run.h"
#include "staprun_check.h"

/* Words joined by '|', or "shell". */
static void splits(const char *line, const char *want)
{
	char text[256] = "", name[300];
	struct words w;

	if (!split_command(line, &w))
		strcpy(text, "shell");
	for (size_t i = 0; i < w.n; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "|" : "",
			 w.v[i]);
	snprintf(name, sizeof name, "split <%s>", line);
	for (char *p = name; *p; p++)
		if (*p == ':' || *p == '\n')
			*p = '.';
	check(!strcmp(text, want), name, text);
	words_free(&w);
}

static void test_split(void)
{
	splits("ls", "ls");
	splits("  ls\t-l   /tmp ", "ls|-l|/tmp");
	splits("bash -c 'echo a; for i in 1 2; do true; done'",
	       "bash|-c|echo a; for i in 1 2; do true; done");
	splits("a \"b c\" d\\ e 'f'\"g\"h", "a|b c|d e|fgh");
	splits("a \"q\\\"q\" \"b\\b\" ''", "a|q\"q|b\\b|");
	splits("a b=c --x=y a#b a~b", "a|b=c|--x=y|a#b|a~b");
	splits("a | b", "shell");
	splits("a; b", "shell");
	splits("a > f", "shell");
	splits("a $HOME", "shell");
	splits("a \"$HOME\"", "shell");
	splits("a '$HOME'", "a|$HOME");
	splits("a *", "shell");
	splits("a ~", "shell");
	splits("a # b", "shell");
	splits("X=1 a", "shell");
	splits("cd /", "shell");
	splits("exit 3", "shell");
	splits("a 'open", "shell");
	splits("a \"open", "shell");
	splits("a end\\", "shell");
	splits("'' x", "shell");
	splits("a\nb", "shell");
}

/* ------------------------------------------------------------------- children */

/* Exit status of LINE run as -c does; the errno of a failed exec is negative. */
static int status_of(const char *line)
{
	struct child c = {0};
	int err;

	if (!child_fork(&c, line))
		return -1000;
	err = child_go(&c);
	if (err) {
		child_status(&c);
		return -err;
	}
	return child_status(&c);
}

static void runs(const char *line, int want)
{
	char why[64], name[200];
	int got = status_of(line);

	snprintf(name, sizeof name, "run <%s>", line);
	snprintf(why, sizeof why, "status %d, not %d", got, want);
	check(got == want, name, why);
}

static void make_file(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
	chmod(path, mode);
}

static void test_scripts(void)
{
	char dir[] = "/tmp/ustap-command-XXXXXX", file[64], line[200];

	if (!mkdtemp(dir))
		abort();
	snprintf(file, sizeof file, "%s/ustap-try", dir);
	make_file(file, "exit $1\n", 0755);
	snprintf(line, sizeof line, "%s 7", file);
	check(status_of(line) == 7, "a script without #! runs in a shell", "it does not");
	chmod(file, 0644);
	check(status_of(line) == -EACCES, "a file that may not be run", "wrong error");
	snprintf(line, sizeof line, "%s:/usr/bin:/bin", dir);
	setenv("PATH", line, 1);
	check(status_of("ustap-try 1") == -EACCES, "PATH finds a file that may not be run",
	      "wrong error");
	chmod(file, 0755);
	check(status_of("ustap-try 9") == 9, "PATH finds a script", "it does not");
	unlink(file);
	rmdir(dir);
}

static void test_waits(void)
{
	char path[] = "/tmp/ustap-command-XXXXXX", line[100];
	struct child c = {0};
	int fd = mkstemp(path);

	close(fd);
	snprintf(line, sizeof line, "rm %s", path);
	child_fork(&c, line);
	usleep(100000);
	check(!access(path, F_OK), "the command waits", "it ran");
	child_go(&c);
	check(child_status(&c) == 0 && access(path, F_OK), "the command runs when told",
	      "it did not");
	make_file(path, "", 0600);
	child_fork(&c, line);
	child_cancel(&c);
	check(!access(path, F_OK) && !c.pid, "a cancelled command never runs", "it ran");
	unlink(path);
}

static void test_permits(void)
{
	struct child c = {.tracer = getpid()};

	check(child_fork(&c, "true") && !child_go(&c) && child_status(&c) == 0,
	      "a command that permits a tracer runs", "it does not");
}

/* The command has the signal state of staprun's caller. Only 1 to 28 are compared: the C library
 * reserves 32 and 33. */
static void test_signals(void)
{
	static const char line[] = "sh -c 'grep -q \"^SigIgn:.*0000001$\" /proc/self/status && "
				   "grep -q \"^SigBlk:.*0000000$\" /proc/self/status'";
	int fd;

	for (int sig = 1; sig < 32; sig++) /* a shell may have left some ignored */
		signal(sig, SIG_DFL);
	signal(SIGHUP, SIG_IGN);
	fd = signals_take();
	check(fd >= 0 && status_of(line) == 0, "signals of the command are the caller's",
	      "they are not");
	close(fd);
	signals_restore();
	signal(SIGHUP, SIG_DFL);
}

/* -------------------------------------------------------------------- options */

/* O points into words that are valid until the next call. */
static bool parse(struct options *o, const char *line)
{
	static struct words w;
	bool ok;

	words_free(&w);
	if (!split_command(line, &w))
		abort();
	drop_messages();
	ok = parse_options(o, (int)w.n, w.v);
	restore_messages();
	return ok;
}

static void test_options(void)
{
	static const char *const wrong[] = {
		"staprun",
		"staprun a.ko b.ko",
		"staprun a.ko =1",
		"staprun a.ko b-c=1",
		"staprun -A a b=1",
		"staprun -c x -x 1 a.ko",
		"staprun -x 0 a.ko",
		"staprun -x -5 a.ko",
		"staprun -x 1x a.ko",
		"staprun -x 99999999999 a.ko",
		"staprun -s 0 a.ko",
		"staprun -s 1e3 a.ko",
		"staprun -T '' a.ko",
		"staprun -c ' ' a.ko",
		"staprun -A -c x a",
		"staprun -d -L a",
		"staprun -L -T 3 a.ko",
		"staprun --children a.ko",
		"staprun --follow=x -x 1 a.ko",
		"staprun --follow=x -c x a.ko",
		"staprun -A --follow=x a",
		"staprun --target-status a.ko",
		"staprun --nonsense a.ko",
		"staprun -o",
	};
	struct options o;

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		check(!parse(&o, wrong[i]), wrong[i], "it was accepted");
	check(parse(&o, "staprun -c 'a b' -o out -s 16 -T 5 --children --target-status -w x.ko") &&
		      !strcmp(o.command, "a b") && !strcmp(o.output, "out") && o.buffer_mb == 16 &&
		      o.seconds == 5 && o.children && o.target_status && o.no_warnings &&
		      !strcmp(o.module, "x.ko") && o.action == ACT_RUN,
	      "all options are taken", "some are not");
	check(parse(&o, "staprun x.ko a=1 -w b_2=") && o.ngiven == 2 &&
		      !strcmp(o.given[0], "a=1") && !strcmp(o.given[1], "b_2=") && o.no_warnings,
	      "values of globals follow the module", "they do not");
	check(parse(&o, "staprun x.ko -x 12") && o.npids == 1 && o.pids[0] == 12,
	      "options may follow the module", "they may not");
	free(o.pids);
	check(parse(&o, "staprun -x 12 -x 7 -x 12 x") && o.npids == 2 && o.pids[0] == 12 &&
		      o.pids[1] == 7,
	      "-x may be repeated", "it may not");
	free(o.pids);
	check(parse(&o, "staprun -A") && o.action == ACT_LIST, "-A alone lists", "it does not");
	check(parse(&o, "staprun -A name") && o.action == ACT_ATTACH, "-A NAME attaches",
	      "it does not");
	check(parse(&o, "staprun -d name") && o.action == ACT_REMOVE, "-d NAME removes",
	      "it does not");
}

int main(void)
{
	test_split();
	runs("true", 0);
	runs("sh -c 'exit 5'", 5);
	runs("exit 6", 6);
	runs("sh -c 'kill -TERM $$'", 128 + SIGTERM);
	runs("/nonexistent/program", -ENOENT);
	runs("no-such-program-anywhere", -ENOENT);
	runs("/etc/passwd/x", -ENOENT);
	test_waits();
	test_permits();
	test_signals();
	test_options();
	test_scripts();
	return failed != 0;
}
