/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `ustap --remote --merge': the globals that each host sends are stored in a file of the private
 * directory, named after the host. staprun checks and merges these files, and runs the end probes
 * of the user runtime's build on the result. It has no terminal: its output is printed here, since
 * it contains strings of the hosts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "createfile.h"
#include "base/environment.h"
#include "base/installed.h"
#include "base/subprocess.h"
#include "bundle.h"
#include "remote.h"

enum { MOST_GLOBALS = 64 << 20, STATUS_LOST = 4 };

/* --------------------------------------------------------------------- hosts */

/* A comma occurs in no host's name. */
static const char *file_for(const struct remote_host *h)
{
	const char *dir = private_dir();
	char *name = xstrdup(h->name);

	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = ',';
	return dir ? xprintf("%s/%s", dir, name) : NULL;
}

static void lose_globals(struct remote_host *h, const char *why)
{
	fprintf(stderr, "ustap: %s: its globals are not merged: %s\n", h->name, why);
	unlink(h->merged);
	h->merged = NULL;
}

void remote_globals_begin(struct remote_host *h)
{
	h->merged = file_for(h);
	h->globals = h->merged ? file_create_stream(h->merged) : NULL;
	if (h->merged && !h->globals)
		lose_globals(h, strerror(errno));
}

void remote_globals_add(struct remote_host *h, const char *line, size_t n)
{
	h->globals_size += n + 1;
	if (h->globals_size > MOST_GLOBALS)
		return;
	fwrite(line, 1, n, h->globals);
	putc('\n', h->globals);
}

void remote_globals_end(struct remote_host *h)
{
	bool failed;

	if (!h->globals)
		return;
	failed = ferror(h->globals);
	if (fclose(h->globals))
		failed = true;
	h->globals = NULL;
	if (failed)
		lose_globals(h, "they could not be stored here");
	else if (h->globals_size > MOST_GLOBALS)
		lose_globals(h, xprintf("more than %d MB", MOST_GLOBALS >> 20));
}

/* ---------------------------------------------------------------------- here */

static int exec_staprun(void *arg)
{
	const arg_vec *words = arg;

	execv(words->v[0], (char *const *)words->v);
	fprintf(stderr, "ustap: cannot run %s: %s\n", words->v[0], strerror(errno));
	return STATUS_LOST;
}

static void add_options(const struct options *o, arg_vec *words)
{
	vec_push(words, "--name");
	vec_push(words, o->script_file ? base_name(o->script_file) : "ustap -e");
	if (o->format != FORMAT_TEXT) {
		vec_push(words, "--output");
		vec_push(words, option_choices("--output").v[o->format]);
	}
	if (o->no_warnings)
		vec_push(words, "-w");
	if (verbose)
		vec_push(words, "-v");
}

/* A host counts if it has completed the run. */
static size_t add_files(const struct remote_run *r, arg_vec *words)
{
	size_t n = 0;

	for (size_t i = 0; i < r->hosts.n; i++) {
		const struct remote_host *h = r->hosts.v[i];

		if (!h->finished || !h->merged)
			continue;
		vec_push(words, xprintf("--merge=%s", h->merged));
		n++;
	}
	return n;
}

/* Print N bytes of the output, whose lines end where the hosts' do. */
static void print_text(const struct remote_run *r, const char *text, size_t n)
{
	while (n) {
		const char *newline = memchr(text, '\n', n);
		size_t line = newline ? (size_t)(newline - text) : n;

		remote_line_print(r->output, text, line, r->escapes);
		if (newline)
			putc('\n', r->output);
		text += line + !!newline;
		n -= line + !!newline;
	}
}

/* Print the output of the process PID, which OUT reads; its exit status. */
static int print_output(const struct remote_run *r, pid_t pid, int out)
{
	static char buf[64 << 10];
	int status;
	ssize_t n;

	while ((n = read(out, buf, sizeof buf)) != 0)
		if (n > 0)
			print_text(r, buf, (size_t)n);
		else if (errno != EINTR)
			break;
	close(out);
	fflush(r->output);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_LOST;
	return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_LOST;
}

int remote_merge(struct remote_run *r)
{
	arg_vec words = {0};
	const char *staprun = staprun_path();
	size_t n;
	pid_t pid;
	int out;

	vec_push(&words, staprun);
	add_options(&r->s->opt, &words);
	n = add_files(r, &words);
	if (n < r->hosts.n)
		fprintf(stderr, "ustap: the globals of %zu of %zu hosts are merged\n", n,
			r->hosts.n);
	if (!n || !staprun)
		return STATUS_LOST;
	vec_push(&words, r->merger->artifacts.v[0]);
	vec_push(&words, NULL);
	pid = child_start(exec_staprun, &words, &out);
	if (pid >= 0)
		return print_output(r, pid, out);
	fprintf(stderr, "ustap: cannot run %s: %s\n", staprun, strerror(errno));
	return STATUS_LOST;
}
