/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One host of --remote: its ssh, and the states from the connection to the end of the run. Each
 * wait for a host has a deadline, so that no host holds up the others; a run itself may last.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/subprocess.h"
#include "remote.h"

/* The time in which ssh ends after the program: a process that the command of -c has left in the
 * background may keep the connection open. */
enum { LEAVE_MS = 3000, LONGEST_REASON = 1000 };

int64_t remote_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void wait_until(const struct remote_run *r, struct remote_host *h)
{
	h->deadline = remote_now() + r->patience_ms;
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void fail_host(struct remote_host *h, const char *failure)
{
	if (!h->failure && !h->finished)
		h->failure = failure;
}

void remote_host_give_up(struct remote_host *h, const char *failure)
{
	fail_host(h, failure);
	if (h->ssh > 0 && !h->exited)
		kill(h->ssh, SIGKILL);
	shut(&h->in);
	shut(&h->out);
	shut(&h->err);
}

void remote_host_connect(struct remote_run *r, struct remote_host *h)
{
	arg_vec words = {0};
	int fds[3];

	h->program = remote_program(r->s, h->name, h->number, r->nonce);
	for (size_t i = 0; i < r->ssh.n; i++)
		vec_push(&words, r->ssh.v[i]);
	vec_push(&words, "--");
	vec_push(&words, h->name);
	vec_push(&words, remote_command(h->program));
	vec_push(&words, NULL);
	h->ssh = start_piped(words.v, fds);
	if (h->ssh < 0) {
		fail_host(h, xprintf("cannot start ssh: %s", strerror(errno)));
		h->state = HOST_ENDED;
		return;
	}
	h->in = fds[0];
	h->out = fds[1];
	h->err = fds[2];
	for (int i = 0; i < 3; i++)
		fcntl(fds[i], F_SETFL, O_NONBLOCK);
	h->state = HOST_CONNECTS;
	wait_until(r, h);
}

/* -------------------------------------------------------------------- output */

struct stream {
	struct remote_run *r;
	struct remote_host *h;
};

static void greet(struct remote_run *r, struct remote_host *h, const char *line, size_t n)
{
	struct remote_system system;
	const char *why;

	if (!remote_greeting(line, n, r->nonce, &system))
		return;
	h->build = remote_build_for(&r->builds, r->s, &system, &why);
	if (!h->build) {
		remote_host_give_up(h, why);
		return;
	}
	h->state = HOST_BUILDS;
	h->deadline = 0;
}

/* Records of JSON get a member "host"; stacks, a frame. */
static void print_output(struct remote_run *r, struct remote_host *h, const char *line, size_t n)
{
	enum format format = r->s->opt.format;

	h->printed++;
	if (format == FORMAT_JSON && n > 1 && *line == '{') {
		fprintf(r->output, "{\"host\":\"%s\",", h->name);
		line++, n--;
	} else {
		fprintf(r->output, format == FORMAT_FOLDED ? "%s;" : "%s: ", h->name);
	}
	remote_line_print(r->output, line, n, r->escapes);
	putc('\n', r->output);
}

/* With --merge: the line that begins the globals follows a newline, since the line before it may be
 * incomplete; so an empty line is printed only if another line follows. */
static void take_or_store(struct remote_run *r, struct remote_host *h, const char *line, size_t n)
{
	if (h->globals) {
		remote_globals_add(h, line, n);
		if (h->deadline && h->state == HOST_RUNS)
			wait_until(r, h);
		return;
	}
	if (remote_globals_follow(line, n, r->nonce)) {
		h->held_line = false;
		remote_globals_begin(h);
		return;
	}
	if (h->held_line)
		print_output(r, h, "", 0);
	h->held_line = !n;
	if (n)
		print_output(r, h, line, n);
}

static void take_output(void *arg, const char *line, size_t n)
{
	struct stream *s = arg;

	if (s->h->state == HOST_CONNECTS)
		greet(s->r, s->h, line, n);
	else if (s->r->s->opt.merge)
		take_or_store(s->r, s->h, line, n);
	else
		print_output(s->r, s->h, line, n);
}

static void print_message(const struct remote_host *h, const char *line, size_t n)
{
	fprintf(stderr, "%s: ", h->name);
	remote_line_print(stderr, line, n, true);
	putc('\n', stderr);
}

/* Append N bytes to the start of a message, or as many as fit. */
static void begin_message(struct remote_text *t, const char *text, size_t n)
{
	char *s;

	if (n > LONGEST_LINE - t->n)
		n = LONGEST_LINE - t->n;
	s = realloc(t->s, t->n + n + 1);
	if (!s)
		return;
	memcpy(s + t->n, text, n);
	t->s = s;
	t->n += n;
}

/* --interval: take what is behind a mark in LINE; false: it has no mark. */
static bool take_marked(const struct remote_run *r, struct remote_host *h, const char *line,
			size_t n)
{
	const char *at, *text;
	bool ends;

	if (!r->s->opt.interval || h->state != HOST_RUNS)
		return false;
	at = remote_marked(line, n, r->nonce, &ends);
	if (!at)
		return false;
	text = at + strlen(r->nonce) + 1;
	if (at > line)
		begin_message(&h->begun, line, (size_t)(at - line));
	if (remote_globals_marked(h, text, (size_t)(line + n - text), ends))
		h->interval.time = remote_now();
	return true;
}

/* The program's last line begins with a newline, since the line before it may be incomplete; so an
 * empty line is printed only if another line follows. */
static void take_line(struct stream *s, const char *line, size_t n)
{
	struct remote_host *h = s->h;

	if (!h->finished && remote_farewell(line, n, s->r->nonce, &h->status)) {
		h->finished = true;
		h->state = HOST_LEAVES;
		h->deadline = remote_now() + LEAVE_MS;
		return;
	}
	if (h->held_empty)
		print_message(h, "", 0);
	h->held_empty = !n;
	if (!n)
		return;
	if (line[n - 1] == '\r') /* of ssh itself */
		n--;
	if (*line != ' ') { /* not a hint */
		free(h->last_message);
		h->last_message = strndup(line, n < LONGEST_REASON ? n : LONGEST_REASON);
	}
	/* before the greeting these are banners, and the reason for the lack of a greeting */
	if (h->state > HOST_CONNECTS)
		print_message(h, line, n);
}

static void take_message(void *arg, const char *line, size_t n)
{
	struct stream *s = arg;
	struct remote_text begun;

	if (take_marked(s->r, s->h, line, n))
		return;
	if (!s->h->begun.n) {
		take_line(s, line, n);
		return;
	}
	begin_message(&s->h->begun, line, n);
	begun = s->h->begun;
	s->h->begun = (struct remote_text){0};
	take_line(s, begun.s, begun.n);
	free(begun.s);
}

void remote_host_read(struct remote_run *r, struct remote_host *h, bool messages)
{
	struct stream s = {r, h};
	int *fd = messages ? &h->err : &h->out;

	if (messages ? !remote_lines_read(&h->messages, *fd, take_message, &s)
		     : !remote_lines_read(&h->output, *fd, take_output, &s))
		shut(fd);
}

/* --------------------------------------------------------------------- input */

/* The text to be written next. */
static const char *next_input(const struct remote_host *h, size_t *n)
{
	size_t skip = h->sent;

	*n = 0;
	if (h->state == HOST_CONNECTS) {
		*n = strlen(h->program) - skip;
		return h->program + skip;
	}
	if (h->state != HOST_COPIES)
		return NULL;
	if (skip < strlen(h->build->archive_start)) {
		*n = strlen(h->build->archive_start) - skip;
		return h->build->archive_start + skip;
	}
	skip -= strlen(h->build->archive_start);
	*n = h->build->size - skip;
	return h->build->archive + skip;
}

bool remote_host_writes(const struct remote_host *h)
{
	size_t n;

	next_input(h, &n);
	return n > 0;
}

void remote_host_write(struct remote_run *r, struct remote_host *h)
{
	size_t left;
	const char *text = next_input(h, &left);
	ssize_t n = write(h->in, text, left);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		shut(&h->in); /* the end of ssh, or of the program, reports the reason */
		return;
	}
	h->sent += (size_t)n;
	wait_until(r, h);
	if (h->state == HOST_COPIES && !remote_host_writes(h)) {
		int64_t most = r->s->opt.timeout ? r->s->opt.timeout : r->s->opt.seconds;

		h->state = HOST_RUNS;
		h->deadline = most ? remote_now() + most * 1000 + 2 * r->patience_ms : 0;
	}
}

void remote_host_stop(struct remote_run *r, struct remote_host *h, const char *signal)
{
	const char *line = xprintf("%s\n", signal);

	if (h->state == HOST_RUNS) {
		if (h->in >= 0 && write(h->in, line, strlen(line)) < 0)
			shut(&h->in);
		wait_until(r, h);
	} else if (h->state == HOST_WAITS) {
		fail_host(h, "interrupted before it was connected");
		h->state = HOST_ENDED;
	} else if (h->state < HOST_RUNS) {
		remote_host_give_up(h, "interrupted before the script started");
	}
}

/* ---------------------------------------------------------------------- time */

static const char *late(const struct remote_host *h)
{
	switch (h->state) {
	case HOST_CONNECTS:
		return "no answer";
	case HOST_COPIES:
		return "too slow: it does not accept the bundle";
	case HOST_RUNS:
		return "the run does not end";
	default:
		return NULL;
	}
}

/* Why ssh ended without the program's last line. */
static const char *loss(const struct remote_host *h)
{
	const char *reason = h->last_message ? printable(h->last_message) : NULL;

	if (h->state == HOST_CONNECTS)
		return xprintf("not reached%s%s", reason ? ": " : "", reason ? reason : "");
	return xprintf("connection lost %s%s",
		       h->state == HOST_RUNS ? "while the script ran" : "before the script started",
		       WIFSIGNALED(h->ssh_status) ? ": ssh was killed" : "");
}

static void end_host(struct remote_run *r, struct remote_host *h)
{
	struct stream s = {r, h};

	if (!h->finished)
		fail_host(h, loss(h));
	remote_lines_end(&h->output, h->finished, take_output, &s);
	remote_lines_end(&h->messages, true, take_message, &s);
	if (h->held_line)
		print_output(r, h, "", 0);
	remote_globals_end(h);
	shut(&h->in);
	shut(&h->out);
	shut(&h->err);
	h->state = HOST_ENDED;
	h->deadline = 0;
}

void remote_host_check(struct remote_run *r, struct remote_host *h)
{
	if (h->state == HOST_WAITS || h->state == HOST_ENDED)
		return;
	if (h->state == HOST_BUILDS && h->build->state == BUILD_READY) {
		h->state = HOST_COPIES;
		h->sent = 0;
		wait_until(r, h);
	}
	if (h->state == HOST_BUILDS && h->build->state == BUILD_FAILED) {
		h->unbuilt = true;
		remote_host_give_up(h, "the script could not be built");
	}
	if (h->deadline && remote_now() > h->deadline)
		remote_host_give_up(h, late(h));
	if (!h->exited && waitpid(h->ssh, &h->ssh_status, WNOHANG) == h->ssh) {
		h->exited = true;
		/* the output of ssh is in the pipes, which other processes may hold open */
		h->deadline = remote_now() + LEAVE_MS;
	}
	if (h->exited && h->out < 0 && h->err < 0)
		end_host(r, h);
}
