/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rpc: messages as they are framed: headers, an empty line, and so many bytes as Content-Length
 * says. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "lsp.h"

#define MAX_MESSAGE ((size_t)256 << 20)
#define MAX_HEADER  4096
#define READ_SIZE   65536

static const char length_header[] = "Content-Length:";

bool rpc_fill(struct stream *in)
{
	ssize_t n;

	if (in->cap - in->n < READ_SIZE) {
		size_t cap = in->cap * 2 + READ_SIZE;
		char *buf = realloc(in->buf, cap);

		if (!buf)
			return false;
		in->buf = buf;
		in->cap = cap;
	}
	do
		n = read(in->fd, in->buf + in->n, in->cap - in->n);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		in->n += (size_t)n;
	return n > 0;
}

static void take(struct stream *in, size_t n)
{
	memmove(in->buf, in->buf + n, in->n - n);
	in->n -= n;
}

/* The rest of a message that is too large. */
static void skip(struct stream *in)
{
	size_t n = in->skip < in->n ? in->skip : in->n;

	take(in, n);
	in->skip -= n;
}

/* The header that ends before byte END; lines that are none are passed over, so that one damaged
 * message does not spoil those after it. */
static bool header_length(const struct stream *in, size_t end, size_t *len)
{
	bool found = false;

	for (size_t at = 0; at < end; at++) {
		const char *line = in->buf + at, *newline = memchr(line, '\n', end - at);
		size_t n = newline ? (size_t)(newline - line) : end - at;

		if (n > sizeof length_header &&
		    !strncasecmp(line, length_header, sizeof length_header - 1)) {
			*len = strtoull(line + sizeof length_header - 1, NULL, 10);
			found = true;
		}
		at += n;
	}
	return found;
}

/* Where the empty line after the headers ends; 0: it is not there yet. */
static size_t header_end(const struct stream *in)
{
	for (size_t i = 0; i + 1 < in->n; i++) {
		if (in->buf[i] != '\n')
			continue;
		if (in->buf[i + 1] == '\n')
			return i + 2;
		if (i + 2 < in->n && in->buf[i + 1] == '\r' && in->buf[i + 2] == '\n')
			return i + 3;
	}
	return 0;
}

enum rpc rpc_next(struct stream *in, char **body, size_t *len)
{
	for (;;) {
		size_t end, n = 0;

		skip(in);
		end = in->skip ? 0 : header_end(in);
		if (!end && in->n > MAX_HEADER) /* no header at all */
			take(in, in->n - MAX_HEADER);
		if (!end)
			return RPC_MORE;
		if (!header_length(in, end, &n)) {
			take(in, end);
			continue;
		}
		if (n > MAX_MESSAGE) {
			take(in, end);
			in->skip = n;
			return RPC_TOO_LARGE;
		}
		if (in->n - end < n || !(*body = malloc(n + 1)))
			return RPC_MORE;
		memcpy(*body, in->buf + end, n);
		(*body)[n] = 0;
		*len = n;
		take(in, end + n);
		return RPC_MESSAGE;
	}
}

static bool write_all(int fd, const char *buf, size_t len)
{
	while (len) {
		ssize_t n = write(fd, buf, len);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			buf += n;
			len -= (size_t)n;
		}
	}
	return true;
}

bool rpc_write(int fd, const char *body, size_t len)
{
	char header[64];
	int n = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", len);

	return write_all(fd, header, (size_t)n) && write_all(fd, body, len);
}
