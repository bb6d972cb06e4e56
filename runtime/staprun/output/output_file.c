/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of the output: text in large writes to standard output or a file, messages of the script
 * to standard error. After a failed write all further output is discarded and counted; the run loop
 * sees `error' and stops the session. A pipe whose reader has ended is an end, not a failure.
 */
#include "createfile.h"
#include "base/message.h"
#include "base/privilege.h"
#include "output/output.h"
#include "report/report.h"
#include "wire_records.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 256 << 10, BLOCKED_POLL_MS = 50 };

/* Name of output file NUMBER, if there are several; the caller frees it. */
static char *file_name(const struct output *o, unsigned number)
{
	size_t size = strlen(o->path) + 16;
	char *name = xrealloc(NULL, size);

	snprintf(name, size, o->limit ? "%s.%u" : "%s", o->path, number);
	return name;
}

static bool open_file(struct output *o)
{
	char *name = file_name(o, o->number);
	int err;

	privilege_suspend();
	o->fd = file_create(name);
	err = errno;
	privilege_resume();
	if (o->fd < 0)
		fail("-o %s: %s", name, file_create_error(err));
	free(name);
	errno = err;
	return o->fd >= 0;
}

FILE *output_further_file(const char *option, const char *path)
{
	int fd, err;
	FILE *f;

	privilege_suspend();
	fd = file_create(path);
	err = errno;
	privilege_resume();
	f = fd < 0 ? NULL : fdopen(fd, "we");
	if (!f)
		fail("%s %s: %s", option, path, file_create_error(err));
	return f;
}

/* Go on with the file of the run that this one continues. */
static bool open_inherited(struct output *o)
{
	off_t end = lseek(o->inherited, 0, SEEK_CUR);

	o->fd = fcntl(o->inherited, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	o->written = end > 0 ? (uint64_t)end : 0;
	return o->fd >= 0 || fail("-o %s: %s", o->path, strerror(errno));
}

bool output_file_open(struct output *o, const char *path)
{
	o->fd = STDOUT_FILENO;
	o->path = path;
	o->name = path ? path : "standard output";
	o->buf = xrealloc(NULL, BUFFER);
	if (path && o->inherited)
		return open_inherited(o);
	return !path || open_file(o);
}

static bool given_up(const struct output *o) { return o->give_up && atomic_load(o->give_up); }

/* Returns 0, or errno with *LEFT bytes not written. */
static int write_all(const struct output *o, int fd, const char *data, size_t *left)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	while (*left) {
		ssize_t n = write(fd, data, *left);

		if (n >= 0) {
			data += n;
			*left -= (size_t)n;
		} else if (errno == EAGAIN) {
			poll(&p, 1, BLOCKED_POLL_MS);
		} else if (errno != EINTR) {
			return errno;
		}
		if (*left && given_up(o))
			return EINTR;
	}
	return 0;
}

/* As in "| head -1": output that the reader did not want does not count as lost. */
static void reader_ended(struct output *o)
{
	o->error = EPIPE;
	note("the reader of %s has ended; stopping", o->name);
}

static void output_failed(struct output *o, int err, size_t left)
{
	if (err == EPIPE) {
		reader_ended(o);
		return;
	}
	o->error = err;
	o->discarded += left;
	if (err == EINTR)
		say("the output is not being read; the rest is lost");
	else
		say("cannot write to %s: %s; stopping", o->name, strerror(err));
}

void output_flush(struct output *o)
{
	size_t left = o->used;
	int err = o->error;

	if (!left)
		return;
	if (!err)
		err = write_all(o, o->fd, o->buf, &left);
	o->used = 0;
	if (o->error)
		o->discarded += left;
	else if (err)
		output_failed(o, err, left);
}

void output_watch_reader(struct output *o)
{
	struct pollfd p = {.fd = o->fd};
	struct stat st;

	if (o->error || !o->written || poll(&p, 1, 0) != 1 || !(p.revents & POLLERR))
		return;
	if (!fstat(o->fd, &st) && S_ISFIFO(st.st_mode))
		reader_ended(o);
}

/* -S: continue with a new file; the oldest is removed if there are too many. */
static void next_file(struct output *o)
{
	char *oldest;

	output_flush(o);
	if (o->error || (close(o->fd) && (o->error = errno))) {
		output_failed(o, o->error, 0);
		return;
	}
	o->number++;
	o->written = 0;
	if (!open_file(o))
		o->error = errno;
	if (!o->keep || o->number < o->keep)
		return;
	oldest = file_name(o, o->number - o->keep);
	privilege_suspend();
	unlink(oldest);
	privilege_resume();
	free(oldest);
}

void output_bytes(struct output *o, const char *text, size_t len)
{
	bool asked = atomic_load_explicit(&o->switching, memory_order_relaxed) &&
		     atomic_exchange(&o->switching, false);

	if (o->limit && (asked || o->written >= o->limit) && !o->error)
		next_file(o);
	o->written += len;
	while (len) {
		size_t room = BUFFER - o->used, n = len < room ? len : room;

		memcpy(o->buf + o->used, text, n);
		o->used += n;
		text += n;
		len -= n;
		if (o->used == BUFFER)
			output_flush(o);
	}
}

/* Copy the text of REC, which like the room behind it is a multiple of 8 bytes long, word by word:
 * that is quicker than a call for the usual lengths. */
static void copy_words(char *to, const struct ust_rec *rec)
{
	const char *from = (const char *)(rec + 1);

	for (uint32_t at = 0; at < rec->len; at += 8)
		memcpy(to + at, from + at, 8);
}

/* There may be millions a second. */
const struct ust_rec *output_texts(struct output *o, const struct ust_rec *rec,
				   const struct ust_rec *end)
{
	enum { SHORT = 64 };

	for (; rec < end && rec->type == UST_REC_OUT; rec = ust_rec_next(rec)) {
		if (o->limit || rec->len > SHORT || o->used + SHORT >= BUFFER) {
			output_bytes(o, (const char *)(rec + 1), rec->len);
			continue;
		}
		copy_words(o->buf + o->used, rec);
		o->used += rec->len;
		o->written += rec->len;
	}
	return rec;
}

void output_text(struct output *o, const char *text) { output_bytes(o, text, strlen(text)); }

/* Write TEXT to TO, control characters other than tabs and newlines as \xNN. Returns the length,
 * of at most four times that of TEXT. */
static size_t escape(char *to, const char *text, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	size_t used = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\t' || text[i] == '\n' || !is_control(text, i, len)) {
			to[used++] = text[i];
			continue;
		}
		memcpy(to + used, "\\x", 2);
		to[used + 2] = digits[(unsigned char)text[i] >> 4];
		to[used + 3] = digits[text[i] & 15];
		used += 4;
	}
	return used;
}

/* Print a message of the script to the user, after the output that precedes it. Its strings come
 * from traced programs, so a terminal does not get their control characters. */
static void put_message(struct output *o, const char *prefix, const char *text, size_t len)
{
	size_t used = strlen(prefix);
	char *line;

	while (len && text[len - 1] == '\n')
		len--;
	output_flush(o);
	line = xrealloc(NULL, used + 4 * len + 1);
	memcpy(line, prefix, used);
	if (isatty(STDERR_FILENO)) {
		used += escape(line + used, text, len);
	} else {
		memcpy(line + used, text, len);
		used += len;
	}
	line[used++] = '\n';
	write_all(o, STDERR_FILENO, line, &used); /* a failure cannot be reported */
	free(line);
}

void output_message(struct output *o, bool warning, const char *text, size_t len)
{
	if (!warning)
		test_report_add_error(text, len);
	if (!warning || !o->no_warnings)
		put_message(o, warning ? "WARNING: " : "ERROR: ", text, len);
}

void output_switch(struct output *o) { atomic_store(&o->switching, true); }

void output_next_file(struct output *o)
{
	if (o->path && o->limit && !o->error)
		next_file(o);
}

bool output_lost(const struct output *o) { return o->error && o->error != EPIPE; }

bool output_close(struct output *o)
{
	output_flush(o);
	if (o->fd > STDERR_FILENO && close(o->fd) && !o->error)
		output_failed(o, errno, 0);
	free(o->buf);
	o->buf = NULL;
	return !output_lost(o);
}
