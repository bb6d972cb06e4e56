/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lock of the cache: shared while a run uses it, exclusive to remove everything. */
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#include "cache.h"
#include "util.h"
#include "createfile.h"

enum { LOCK_TRIES = 50, LOCK_PAUSE_MS = 100 };

#define LOCK_NAME ".lock"

static int lock_fd = -1; /* of the process: a forked child shares it */

void cache_hold(const char *dir)
{
	if (lock_fd < 0)
		lock_fd = private_open(xprintf("%s/" LOCK_NAME, dir), O_RDWR);
	if (lock_fd >= 0)
		flock(lock_fd, LOCK_SH);
}

bool cache_lock_alone(void)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000000l};

	for (int i = 0; lock_fd >= 0 && i < LOCK_TRIES; i++) {
		if (!flock(lock_fd, LOCK_EX | LOCK_NB))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}
