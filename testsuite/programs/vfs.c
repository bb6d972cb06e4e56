/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uses files in all ways that tapsets/linux/vfs.stp reports, and prints them: WHAT BYTES POSITION INODE DEVICE PATH. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

static char buffer[8192];

static void say(const char *what, int fd, long bytes, long pos)
{
	char link[64], path[4096] = "";
	struct stat st;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) || readlink(link, path, sizeof path - 1) < 0)
		exit(2);
	printf("%s %ld %ld %lu %u:%u %s\n", what, bytes, pos, (unsigned long)st.st_ino, major(st.st_dev), minor(st.st_dev), path);
}

static int opened(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd < 0)
		exit(3);
	return fd;
}

static void positions(int fd)
{
	struct iovec v[2] = {{buffer, 100}, {buffer + 4000, 23}};

	say("write", fd, pwrite(fd, buffer, 777, 5000), 5000);
	say("read", fd, pread(fd, buffer, 333, 5001), 5001);
	say("writev", fd, pwritev(fd, v, 2, 77), 77);
	say("readv", fd, preadv(fd, v, 2, 78), 78);
}

int main(int argc, char **argv)
{
	char *dir = argv[1], path[4096];
	int fd, p[2];

	if (argc < 2 || chdir(dir))
		return 1;
	memset(buffer, 'x', sizeof buffer);
	fd = opened("vfs.data", O_RDWR | O_CREAT | O_TRUNC);
	say("open", fd, 0, 0);
	positions(fd);
	snprintf(path, sizeof path, "%s/vfs.data", dir);
	unlink(path);
	say("write", fd, pwrite(fd, buffer, 55, 1), 1);
	if (pipe(p))
		return 4;
	say("write", p[1], write(p[1], buffer, 66), 0);
	say("read", p[0], read(p[0], buffer, 66), 0);
	fd = opened("/proc/version", O_RDONLY);
	say("open", fd, 0, 0);
	say("read", fd, read(fd, buffer, 99), 0);
	return 0;
}
