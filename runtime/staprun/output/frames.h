/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames for ustap-export: bodies of OTLP requests (wire_export.h). */
#ifndef STAPRUN_OUTPUT_FRAMES_H
#define STAPRUN_OUTPUT_FRAMES_H

#include <stdint.h>

#include "wire_export.h"

struct frames;
struct text;

/* Frames for SOCKET, which is closed by frames_end() or frames_free(). */
struct frames *frames_new(int socket);
/* Free F; NULL is allowed. */
void frames_free(struct frames *f);
/* Hand over a copy of BODY with NUMBER records or spans; of metrics, frames are numbered here. Does
 * not wait: it is dropped if too much waits, or if ustap-export has ended. */
void frames_put(struct frames *f, enum ust_export_signal signal, const struct text *body,
		uint64_t number);
/* Write what waits, as far as the socket takes it. */
void frames_flush(struct frames *f);
/* Write what waits until DEADLINE, in ns of CLOCK_MONOTONIC, and close the socket. */
void frames_end(struct frames *f, uint64_t deadline);
/* The number of records or spans of frames_put(), also of dropped ones; of metrics, the number of
 * frames. */
uint64_t frames_number(const struct frames *f, enum ust_export_signal signal);

#endif
