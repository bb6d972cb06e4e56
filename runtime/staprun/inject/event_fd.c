/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event descriptors by which the processes of a run wake each other. */
#include "inject/event_fd.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int event_fd_new(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void event_fd_signal(int fd)
{
	const uint64_t one = 1;

	/* it fails only when the counter is full, and then the descriptor is readable */
	if (write(fd, &one, sizeof one) < 0)
		return;
}

void event_fd_clear(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof count) < 0)
		return;
}
