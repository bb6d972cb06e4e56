/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ustap-export: the messages of staprun, and what is done with pages of metrics and with OTLP. */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "wire_export.h"

/* ------------------------------------------------------------------- main.c */

/* Send a packet to staprun; KIND is of enum ust_export. */
void tell(enum ust_export kind, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Receive what staprun has sent. If there is a page, *PAGE is the newest one, of *SIZE bytes, to be
 * freed by the caller; else it is NULL. False: staprun has closed the socket. */
bool receive_page(char **page, size_t *size);

/* ------------------------------------------------------------------- http.c */

/* Serve pages at WHERE, "[ADDRESS:]PORT", until staprun closes the socket. Exit status. */
int serve_pages(const char *where);

/* --------------------------------------------------------------- textfile.c */

/* Write each page to the file PATH, which is replaced at once. Exit status. */
int write_pages(const char *path);

/* ------------------------------------------------------------------- post.c */

/* Post the bodies of staprun's frames to the server at URL, until staprun closes their socket and
 * all are accepted or five seconds have passed. Exit status. */
int post_frames(const char *url);

#endif
