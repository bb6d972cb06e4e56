/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef USTAP_STANDARD_OUTPUT_H
#define USTAP_STANDARD_OUTPUT_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Write what remains in the buffer of the standard output, before a program exits. NULL, or why
 * something that was printed could not be written, now or before. */
static inline const char *standard_output_end(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return NULL;
	return errno ? strerror(errno) : "an earlier write has failed";
}

#endif
