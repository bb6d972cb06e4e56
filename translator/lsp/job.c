/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job: children that make answers.  A child has a process group of its own, with what it starts,
 * and is ended with it; what it prints goes to standard error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "lsp.h"

#define TIME_LIMIT 30000 /* ms that an answer may take */

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* In the child. */
static _Noreturn void work(struct server *srv, const struct document *d, answer_fn answer,
			   json *params, int fd)
{
	json *result;
	const char *text;
	size_t len, done = 0;
	ssize_t n;
	int null;

	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	close(srv->in.fd);
	close(srv->out);
	null = open("/dev/null", O_RDONLY);
	if (null > 0)
		dup2(null, 0);
	result = answer(srv, d, params);
	text = result ? json_object_to_json_string_length(
				result, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE,
				&len)
		      : "null";
	len = result ? len : 4;
	while (done < len && (n = write(fd, text + done, len - done)) > 0)
		done += (size_t)n;
	_exit(done == len ? 0 : 1);
}

bool job_start(struct server *srv, json *id, const struct document *d, answer_fn answer,
	       json *params)
{
	struct job *j = calloc(1, sizeof *j);
	int fds[2];

	if (!j || pipe2(fds, O_CLOEXEC)) {
		free(j);
		return false;
	}
	j->pid = fork();
	if (!j->pid) {
		close(fds[0]);
		work(srv, d, answer, params, fds[1]);
	}
	close(fds[1]);
	if (j->pid < 0) {
		close(fds[0]);
		free(j);
		return false;
	}
	setpgid(j->pid, j->pid); /* both processes call this, so the order does not matter */
	j->fd = fds[0];
	j->id = json_object_get(id);
	j->uri = strdup(d->uri);
	j->deadline = now_ms() + TIME_LIMIT;
	j->next = srv->jobs;
	srv->jobs = j;
	srv->njobs++;
	return true;
}

/* J is out of the list, its process gone; its exit status. */
static int forget(struct server *srv, struct job *j, bool end)
{
	struct job **at = &srv->jobs;
	siginfo_t info;
	int status = 0;

	while (*at != j)
		at = &(*at)->next;
	*at = j->next;
	srv->njobs--;
	if (end)
		kill(-j->pid, SIGKILL);
	close(j->fd);
	while (waitid(P_PID, (id_t)j->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	kill(-j->pid, SIGKILL); /* its descendants; its own process id is not reused yet */
	while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
		;
	json_object_put(j->id);
	free(j->uri);
	free(j->buf);
	free(j);
	return status;
}

/* The answer is put into its message as it is. */
static void deliver(struct server *srv, const struct job *j)
{
	const char *id = j->id ? json_object_to_json_string_ext(j->id, JSON_C_TO_STRING_PLAIN)
			       : NULL;
	size_t cap = j->n + (id ? strlen(id) : 0) + 128;
	char *body = malloc(cap);
	int n;

	if (!body)
		return;
	if (id)
		n = snprintf(body, cap, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%.*s}", id,
			     (int)j->n, j->buf);
	else
		n = snprintf(body, cap,
			     "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/"
			     "publishDiagnostics\",\"params\":%.*s}",
			     (int)j->n, j->buf);
	rpc_write(srv->out, body, (size_t)n);
	free(body);
}

static void finish(struct server *srv, struct job *j)
{
	json *id = json_object_get(j->id);
	char *uri = strdup(j->uri);
	struct job copy = *j;
	int status;

	j->buf = NULL;
	status = forget(srv, j, false);
	copy.id = id;
	copy.uri = uri;
	if (WIFEXITED(status) && !WEXITSTATUS(status) && copy.n)
		deliver(srv, &copy);
	else if (id)
		server_error(srv, id, RPC_INTERNAL,
			     "no answer: the worker process of the request failed");
	else
		server_log(srv, "a document was not checked: the worker process failed");
	json_object_put(id);
	free(uri);
	free(copy.buf);
}

void job_read(struct server *srv, struct job *j)
{
	ssize_t n;

	if (j->cap - j->n < 65536) {
		char *buf = realloc(j->buf, j->cap * 2 + 65536);

		if (!buf)
			abort();
		j->buf = buf;
		j->cap = j->cap * 2 + 65536;
	}
	n = read(j->fd, j->buf + j->n, j->cap - j->n - 1);
	if (n > 0)
		j->n += (size_t)n;
	else if (!n || errno != EINTR)
		finish(srv, j);
}

bool job_cancel(struct server *srv, json *id)
{
	for (struct job *j = srv->jobs; j; j = j->next)
		if (j->id && json_object_equal(j->id, id)) {
			server_error(srv, id, LSP_CANCELLED, "cancelled");
			forget(srv, j, true);
			return true;
		}
	return false;
}

void jobs_drop_checks(struct server *srv, const char *uri)
{
	for (struct job *j = srv->jobs, *next; j; j = next) {
		next = j->next;
		if (!j->id && !strcmp(j->uri, uri))
			forget(srv, j, true);
	}
}

void jobs_overdue(struct server *srv)
{
	uint64_t now = now_ms();

	for (struct job *j = srv->jobs, *next; j; j = next) {
		next = j->next;
		if (now < j->deadline)
			continue;
		if (j->id)
			server_error(srv, j->id, LSP_FAILED, "the request took too long");
		else
			server_log(srv, "the check of a document took too long and was stopped");
		forget(srv, j, true);
	}
}

void jobs_end(struct server *srv)
{
	while (srv->jobs)
		forget(srv, srv->jobs, true);
}
