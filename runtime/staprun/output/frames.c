/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames for ustap-export, which posts them: written without waiting, so a server or a process that
 * does not read holds up neither the reader's thread nor the traced processes. The rest waits here,
 * up to UST_EXPORT_QUEUE_MAX bytes; further frames are dropped and counted.
 */
#include "output/frames.h"
#include "base/json_text.h"
#include "base/message.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct frames {
	int socket; /* -1: ustap-export has ended */
	struct text waiting;
	size_t sent; /* bytes of it */
	uint64_t numbers[UST_EXPORT_SIGNALS];
};

struct frames *frames_new(int socket)
{
	struct frames *f = xrealloc(NULL, sizeof *f);

	*f = (struct frames){.socket = socket};
	return f;
}

void frames_free(struct frames *f)
{
	if (!f)
		return;
	if (f->socket >= 0)
		close(f->socket);
	free(f->waiting.s);
	free(f);
}

static void end_socket(struct frames *f)
{
	close(f->socket);
	f->socket = -1;
	f->waiting.n = f->sent = 0;
}

void frames_flush(struct frames *f)
{
	while (f->socket >= 0 && f->sent < f->waiting.n) {
		ssize_t n = send(f->socket, f->waiting.s + f->sent, f->waiting.n - f->sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n > 0)
			f->sent += (size_t)n;
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR)
			end_socket(f);
	}
	f->waiting.n = f->sent = 0;
}

/* Move what waits to the beginning, when at least half was sent. */
static void compact(struct frames *f)
{
	if (f->sent < f->waiting.n / 2)
		return;
	f->waiting.n -= f->sent;
	memmove(f->waiting.s, f->waiting.s + f->sent, f->waiting.n);
	f->sent = 0;
}

void frames_put(struct frames *f, enum ust_export_signal signal, const struct text *body,
		uint64_t number)
{
	struct ust_export_frame head = {signal, (uint32_t)body->n, number};

	if (signal == UST_EXPORT_METRICS)
		head.number = ++f->numbers[signal];
	else
		f->numbers[signal] += number;
	frames_flush(f);
	if (f->socket < 0 || body->n > UST_EXPORT_BODY_MAX ||
	    f->waiting.n - f->sent + body->n > UST_EXPORT_QUEUE_MAX)
		return;
	if (f->sent)
		compact(f);
	text_add(&f->waiting, (const char *)&head, sizeof head);
	text_add(&f->waiting, body->s, body->n);
	frames_flush(f);
}

uint64_t frames_number(const struct frames *f, enum ust_export_signal signal)
{
	return f->numbers[signal];
}

void frames_end(struct frames *f, uint64_t deadline)
{
	struct pollfd p = {.fd = f->socket, .events = POLLOUT};

	for (frames_flush(f); f->socket >= 0 && f->sent < f->waiting.n; frames_flush(f)) {
		uint64_t now = clock_ns();

		if (now >= deadline || poll(&p, 1, (int)((deadline - now) / 1000000) + 1) <= 0)
			break;
	}
	if (f->socket >= 0)
		end_socket(f);
}
