/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of the script: opened by name, or inherited as a descriptor (--fd).  ustap hands over
 * the descriptor whose contents it has checked, so that nobody can swap the file in between.
 */
#include "staprun.h"

#include <fcntl.h>
#include <unistd.h>

int script_fd = -1;

int open_script_file(const char *path)
{
	int fd;

	/* O_NONBLOCK: a FIFO must not hold us */
	if (script_fd < 0)
		return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	fd = fcntl(script_fd, F_DUPFD_CLOEXEC, 3);
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}
