/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A terminal and both its ends; prints what the library's probes of terminals shall say. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static char data[100];

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

int main(void)
{
	struct winsize w = {30, 100, 7, 9};
	struct pollfd p = {.events = POLLIN};
	const char *name, *slash;
	struct stat st;
	int m, s, n;

	printf("init ptm pty_master\ninit pts pty_slave\n");
	need((m = posix_openpt(O_RDWR | O_NOCTTY)) >= 0 && !grantpt(m) && !unlockpt(m), "openpt");
	name = ptsname(m);
	slash = strrchr(name, '/') + 1;
	need(!ioctl(m, TIOCGPTN, &n), "number");
	need((s = open(name, O_RDWR | O_NOCTTY)) >= 0 && !fstat(s, &st), name);
	printf("open %s %lu %d\n", slash, (unsigned long)st.st_ino, O_RDWR | O_NOCTTY);
	need(!ioctl(s, TIOCSWINSZ, &w), "size");
	printf("ioctl %s 0x%x %d\nsize pts%d 0 0 0 0 30 100 7 9\n", slash, TIOCSWINSZ, 1, n);
	need(write(m, "hello\n", 6) == 6, "write");
	printf("write ptmx pty_master 6 hello\n");
	p.fd = s;
	need(poll(&p, 1, 1000) == 1, "poll");
	printf("receive pts pty_slave %d 6\n", n);
	printf("poll %s 1\n", slash);
	need(read(s, data, sizeof data) == 6, "read");
	printf("read %s pty_slave %zu\n", slash, sizeof data);
	printf("release %s\nrelease ptmx\n", slash);
	close(s);
	close(m);
	return 0;
}
