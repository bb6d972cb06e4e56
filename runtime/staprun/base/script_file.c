/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The script's file: opened by name, or inherited as a descriptor (--fd). ustap passes the
 * descriptor whose contents it has checked, so that the file cannot be replaced in between.
 */
#include "base/privilege.h"

#include <fcntl.h>
#include <unistd.h>

int script_fd = -1;

int open_script_file(const char *path)
{
	int fd;

	/* O_NONBLOCK: open() of a FIFO must not wait */
	if (script_fd < 0)
		return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	fd = fcntl(script_fd, F_DUPFD_CLOEXEC, 3);
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}
