/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event descriptors between the processes of a run. */
#ifndef USTAP_INJECT_EVENT_FD_H
#define USTAP_INJECT_EVENT_FD_H

/* An eventfd(2), non-blocking, closed by exec; -1 with errno set. To be closed by the caller. */
int event_fd_new(void);
/* Make FD readable; never waits. */
void event_fd_signal(int fd);
void event_fd_clear(int fd); /* reset after a signal */

#endif
