/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages that do not wait for the reader of standard error. The tracer stops processes, and one
 * of them may be the reader: the terminal's emulator, a logger, the server of the connection. Text
 * that the reader does not take at once is kept in memory. The file's status flags belong to all
 * processes that have it open, the user's shell among them, so it is opened once more to be
 * non-blocking.
 */
#include "base/unblocked.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static struct {
	enum { WAITS, OPENED_AGAIN, SOCKET, POLLED } how;
	int fd;
	pid_t owner; /* forked children write as all others do */
	char *text;  /* N bytes, of which the first ones are written */
	size_t written, n;
} out;

void messages_unblock(void)
{
	struct stat s;

	if (fstat(STDERR_FILENO, &s) ||
	    (!S_ISSOCK(s.st_mode) && !S_ISFIFO(s.st_mode) && !S_ISCHR(s.st_mode)))
		return;
	out.owner = getpid();
	out.fd = S_ISSOCK(s.st_mode)
			 ? -1
			 : open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	out.how = S_ISSOCK(s.st_mode) ? SOCKET : out.fd >= 0 ? OPENED_AGAIN : POLLED;
	if (out.fd < 0)
		out.fd = STDERR_FILENO;
}

static bool is_writable(int ms)
{
	struct pollfd p = {.fd = out.fd, .events = POLLOUT};

	return poll(&p, 1, ms) > 0;
}

/* Write as much as is taken at once; returns that number, or -1 with errno. */
static ssize_t put(const char *text, size_t n)
{
	/* a pipe that is writable takes a line */
	if (out.how == POLLED && !is_writable(0)) {
		errno = EAGAIN;
		return -1;
	}
	return out.how == SOCKET ? send(out.fd, text, n, MSG_DONTWAIT | MSG_NOSIGNAL)
				 : write(out.fd, text, n);
}

/* The number of bytes that are done with: written, or not to be written any more. */
static size_t put_some(const char *text, size_t n)
{
	ssize_t done = put(text, n);

	return done >= 0 ? (size_t)done : errno == EAGAIN || errno == EINTR ? 0 : n;
}

void message_write(const char *line, size_t n)
{
	bool waits = out.how == WAITS || out.owner != getpid();
	size_t done = waits || out.n ? 0 : put_some(line, n);
	char *more;

	if (waits && write(STDERR_FILENO, line, n) < 0)
		return; /* it is not writable */
	if (waits || done == n)
		return;
	more = realloc(out.text, out.n + n - done);
	if (!more)
		return;
	out.text = more;
	memcpy(out.text + out.n, line + done, n - done);
	out.n += n - done;
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

/* A pipe takes a line as a whole, so lines of other processes do not come between. */
static size_t rest_of_line(void)
{
	const char *from = out.text + out.written, *end = memchr(from, '\n', out.n - out.written);

	return end ? (size_t)(end - from) + 1 : out.n - out.written;
}

bool messages_flush(int ms)
{
	long end = out.n ? now_ms() + ms : 0;

	while (out.written < out.n) {
		long left = end - now_ms();

		out.written += put_some(out.text + out.written, rest_of_line());
		if (out.written < out.n && (left <= 0 || !is_writable((int)left)))
			return false;
	}
	out.written = out.n = 0;
	return true;
}
