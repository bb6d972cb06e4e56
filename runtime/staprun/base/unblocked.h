/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages that do not wait for the reader of standard error. */
#ifndef STAPRUN_BASE_UNBLOCKED_H
#define STAPRUN_BASE_UNBLOCKED_H

#include <stdbool.h>
#include <stddef.h>

/* From now on messages of this process do not wait for their reader. */
void messages_unblock(void);
/* Write those that it has not taken, which takes MS milliseconds at most; true if none is left. */
bool messages_flush(int ms);
/* For message.c: write a line of N bytes, or keep it. */
void message_write(const char *line, size_t n);

#endif
