/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run: what follows the passes.  staprun takes this process's place, with the artifact. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/environment.h"
#include "base/installed.h"
#include "base/stack_limit.h"
#include "base/subprocess.h"
#include "bundle.h"
#include "options.h"
#include "passes.h"

int run_tool(const char *name, char **argv)
{
	char *path = xprintf("%s/%s", program_dir(), name);

	if (access(path, X_OK))
		path = xprintf("%s/%s", PKGLIBEXECDIR, name);
	execv(path, argv);
	fprintf(stderr, "ustap: cannot run %s: %s\n", path, strerror(errno));
	return EXIT_FAILURE;
}

static void add(arg_vec *a, const char *option, const char *value)
{
	vec_push(a, option);
	if (value)
		vec_push(a, value);
}

const char *dated_name(const char *name)
{
	time_t now = time(NULL);
	char buf[PATH_MAX];

	if (!strchr(name, '%'))
		return name;
	return strftime(buf, sizeof buf, name, localtime(&now)) ? xstrdup(buf) : name;
}

/* For people: the file, or the beginning of -e in one line. */
static const char *script_name(const struct session *s)
{
	enum { SHOWN = 60 };
	char *name;

	if (s->opt.script_file)
		return s->opt.script_file;
	name = xprintf("-e %.*s%s", SHOWN, s->opt.exprs.v[0],
		       strlen(s->opt.exprs.v[0]) > SHOWN ? "..." : "");
	for (char *p = name; *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	return name;
}

/* --reload: a command that compiles the script again, by the same words, and prints its path. */
static const char *reload_command(const struct session *s)
{
	struct strbuf line = {0};

	sb_add(&line, "exec");
	add_shell_word(&line, xprintf("%s/ustap", program_dir()));
	sb_add(&line, " -p4");
	for (size_t i = 0; i < s->opt.words.n; i++)
		add_shell_word(&line, s->opt.words.v[i]);
	return line.s;
}

/* Arguments of staprun that ustap itself adds come before forwarded options. */
static void staprun_args(const struct session *s, arg_vec *a)
{
	const struct options *o = &s->opt;

	add(a, "--name", script_name(s));
	if (o->flight && !o->output)
		add(a, "-L", NULL);
	if (o->report)
		add(a, "--report-name", o->script_file ? o->script_file : "ustap -e");
	if (o->counts_file)
		add(a, "--counts", o->counts_file);
	loader_args(s, a);
	if (o->reload)
		add(a, "--reload", reload_command(s));
	/* the file that was checked, even if the path was replaced since */
	add(a, "--fd", xprintf("%d", s->artifact_fd));
	add(a, s->artifact, NULL);
}

/* -F -o: a child goes on in the background; its number is printed.  False in the parent. */
static bool go_behind(void)
{
	pid_t pid = fork();
	int null;

	if (pid) {
		printf("%d\n", (int)pid);
		return false;
	}
	setsid();
	null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	return true;
}

void run_was_not(const struct session *s)
{
	const char *staprun = staprun_path();
	const char *const argv[] = {staprun,
				    "--report",
				    s->opt.report,
				    "--report-name",
				    s->opt.script_file ? s->opt.script_file : "ustap -e",
				    "--report-failed",
				    diag_first() ? diag_first() : "the script was not built",
				    NULL};

	fflush(NULL);
	if (staprun)
		run_command(argv, NULL, NULL);
}

int run_leftovers(const struct session *s)
{
	const char *staprun = staprun_path(),
		   *what = s->opt.cleanup ? xprintf("--cleanup=%s", s->opt.cleanup) : "--list";
	const char *argv[] = {staprun, what, NULL};

	if (staprun)
		execv(staprun, (char *const *)argv);
	diag_error(E_IO, (struct loc){0}, "cannot run %s: %s", staprun ? staprun : "staprun",
		   strerror(staprun ? errno : ENOENT));
	return 1;
}

int pass_run(struct session *s)
{
	const char *staprun = staprun_path();
	arg_vec a = {0};

	if (!named_processes_live(s))
		return 1;
	if (s->opt.flight && s->opt.output && !go_behind())
		return EXIT_SUCCESS;
	if (staprun) {
		if (s->opt.output)
			s->opt.output = dated_name(s->opt.output);
		vec_push(&a, staprun);
		staprun_args(s, &a);
		vec_push(&a, NULL);
		fflush(NULL);
		fcntl(s->artifact_fd, F_SETFD, 0);
		if (s->opt.ready_fd)
			fcntl((int)s->opt.ready_fd, F_SETFD, 0);
		private_dir_remove(s->opt.keep);
		stack_limit_restore();
		execv(staprun, (char *const *)a.v);
	}
	diag_error(E_IO, (struct loc){0}, "cannot run %s: %s", staprun ? staprun : "staprun",
		   strerror(staprun ? errno : ENOENT));
	return 1;
}
