/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event descriptors between the processes of a run. */
#ifndef USTAP_INJECT_EVENT_FD_H
#define USTAP_INJECT_EVENT_FD_H

int event_fd_new(void);
void event_fd_signal(int fd);
void event_fd_clear(int fd); /* reset after a signal */

#endif
