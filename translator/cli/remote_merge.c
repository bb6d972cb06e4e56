/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `ustap --remote --merge': the globals that each host sends are stored in a file of the private
 * directory, named after the host. staprun checks and merges these files, and runs the end probes
 * of the user runtime's build on the result. It has no terminal: its output is printed here, since
 * it contains strings of the hosts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* ---------------------------------------------------------------- at intervals */

/* The file for H in the directory NAME of the private one. */
static const char *interval_file(const struct remote_host *h, const char *name)
{
	const char *dir = private_dir(), *file = file_for(h);

	if (!dir || !file)
		return NULL;
	dir = xprintf("%s/%s", dir, name);
	if (mkdir(dir, 0700) && errno != EEXIST)
		return NULL;
	return xprintf("%s/%s", dir, base_name(file));
}

static void not_stored(const struct remote_host *h, const char *why)
{
	fprintf(stderr, "ustap: %s: its globals of an interval are not merged: %s\n", h->name, why);
}

static void drop_set(struct remote_host *h)
{
	if (h->interval.file)
		fclose(h->interval.file);
	h->interval.file = NULL;
}

static void begin_set(struct remote_host *h)
{
	drop_set(h);
	if (!h->interval.next)
		h->interval.next = interval_file(h, "incomplete");
	if (!h->interval.last)
		h->interval.last = interval_file(h, "interval");
	if (h->interval.next && h->interval.last)
		h->interval.file = file_create_stream(h->interval.next);
	if (!h->interval.file)
		not_stored(h, strerror(errno));
	h->interval.size = 0;
}

static bool end_set(struct remote_host *h)
{
	bool failed = ferror(h->interval.file);

	if (fclose(h->interval.file))
		failed = true;
	h->interval.file = NULL;
	if (failed || rename(h->interval.next, h->interval.last)) {
		not_stored(h, "they could not be stored here");
		return false;
	}
	h->interval.complete = h->interval.fresh = true;
	return true;
}

static bool begins(const char *text, size_t n, const char *word)
{
	return n >= strlen(word) && !memcmp(text, word, strlen(word));
}

bool remote_globals_marked(struct remote_host *h, const char *text, size_t n, bool ends)
{
	bool starts = !h->interval.mid_line;

	h->interval.mid_line = !ends;
	if (starts && begins(text, n, "ustap-globals "))
		begin_set(h);
	if (!h->interval.file)
		return false;
	h->interval.size += n + 1;
	if (h->interval.size > MOST_GLOBALS) {
		not_stored(h, xprintf("more than %d MB", MOST_GLOBALS >> 20));
		drop_set(h);
		return false;
	}
	fwrite(text, 1, n, h->interval.file);
	if (ends)
		putc('\n', h->interval.file);
	return starts && ends && begins(text, n, "end ") && end_set(h);
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

/* The globals of H: of a host that has completed the run those of its end, of others those that it
 * sent last; NULL: it has sent none. */
static const char *globals_of(const struct remote_host *h)
{
	if (h->finished && h->merged)
		return h->merged;
	return h->interval.complete ? h->interval.last : NULL;
}

static size_t add_files(const struct remote_run *r, arg_vec *words)
{
	size_t n = 0;

	for (size_t i = 0; i < r->hosts.n; i++) {
		const char *path = globals_of(r->hosts.v[i]);

		if (!path)
			continue;
		vec_push(words, "--merge");
		vec_push(words, path);
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

static int merge_now(struct remote_run *r)
{
	arg_vec *words = &r->merge_words;
	size_t n;
	pid_t pid;
	int out;

	if (!words->n) {
		vec_push(words, staprun_path());
		add_options(&r->s->opt, words);
		r->merge_options = words->n;
	}
	words->n = r->merge_options;
	n = add_files(r, words);
	if (n < r->hosts.n && n != r->merged)
		fprintf(stderr, "ustap: the globals of %zu of %zu hosts are merged\n", n,
			r->hosts.n);
	r->merged = n;
	if (!n || !words->v[0])
		return STATUS_LOST;
	vec_push(words, r->merger->artifacts.v[0]);
	vec_push(words, NULL);
	pid = child_start(exec_staprun, words, &out);
	if (pid >= 0)
		return print_output(r, pid, out);
	fprintf(stderr, "ustap: cannot run %s: %s\n", words->v[0], strerror(errno));
	return STATUS_LOST;
}

/* Globals are due when all hosts that run have sent new ones, or an interval after the first of
 * them: the intervals of hosts begin at different times. */
void remote_merge_interval(struct remote_run *r, int64_t now)
{
	size_t fresh = 0, run = 0;

	for (size_t i = 0; i < r->hosts.n; i++) {
		fresh += r->hosts.v[i]->interval.fresh;
		run += r->hosts.v[i]->state == HOST_RUNS;
	}
	if (!fresh)
		return;
	if (!r->merge_due)
		r->merge_due = now + r->s->opt.interval * 1000;
	if ((fresh < run && now < r->merge_due) || now < r->merge_next)
		return;
	for (size_t i = 0; i < r->hosts.n; i++)
		r->hosts.v[i]->interval.fresh = false;
	r->merge_due = 0;
	/* a host may send sets without end */
	r->merge_next = now + r->s->opt.interval * 500;
	merge_now(r);
}

/* The hosts whose end is not merged. */
static void report_last_sets(const struct remote_run *r, int64_t now)
{
	for (size_t i = 0; i < r->hosts.n; i++) {
		const struct remote_host *h = r->hosts.v[i];

		if (h->interval.complete && globals_of(h) != h->merged)
			fprintf(stderr,
				"ustap: %s: the globals that it sent last, %" PRId64
				" s ago, are merged\n",
				h->name, (now - h->interval.time + 500) / 1000);
	}
}

int remote_merge(struct remote_run *r, int64_t now)
{
	for (size_t i = 0; i < r->hosts.n; i++)
		drop_set(r->hosts.v[i]);
	r->merged = r->hosts.n;
	report_last_sets(r, now);
	return merge_now(r);
}
