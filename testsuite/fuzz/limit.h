/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time limits of fuzzers, which do not depend on what else the machine does. */
#ifndef FUZZ_LIMIT_H
#define FUZZ_LIMIT_H

#include <sys/time.h>

/* Ends the process by SIGPROF when it has used SECONDS of a processor from now on; 0: it does not.
 */
static inline void limit_time(int seconds)
{
	const struct itimerval t = {.it_value.tv_sec = seconds};

	setitimer(ITIMER_PROF, &t, NULL);
}

#endif
