/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Orders to a module, written by hand: hostile_orders CTL writes each to the file CTL, or to descriptor N where CTL is a number, and
 * prints the kernel's answers, or "refused" if all are EPERM.  The orders are those of runtime/include/wire.h and damaged ones.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct order { uint32_t op, flags; int64_t target; };
enum { START = 1, STOP, DETACH, SET, VIEW, SYMBOLS, INPUT = 8, NAMESPACES, LAST, MOST = 64 << 10 };

static int all = 1;

static void give(int fd, const char *what, const void *bytes, size_t size)
{
	int err = write(fd, bytes, size) < 0 ? errno : 0;

	all &= err == EPERM;
	if (err != EPERM)
		printf("%s: %s\n", what, err ? strerror(err) : "done");
}

static void give_text(int fd, const char *what, uint32_t op, uint32_t flags, const char *text, size_t size)
{
	struct order o = {op, flags, -1};
	char *bytes = calloc(1, sizeof o + size + 1);

	memcpy(bytes, &o, sizeof o);
	memcpy(bytes + sizeof o, text, size);
	give(fd, what, bytes, sizeof o + size);
	free(bytes);
}

int main(int argc, char **argv)
{
	static char large[MOST + 1];
	int fd = argc < 2 ? -1 : isdigit((unsigned char)*argv[1]) ? atoi(argv[1]) : open(argv[1], O_RDWR);
	struct order o = {0, 0, 0};

	if (fd < 0) {
		printf("not opened: %s\n", strerror(errno));
		return 1;
	}
	give_text(fd, "addresses", SYMBOLS, 0, "ffffffff81000000 T do_exit\n", 27);
	give_text(fd, "addresses without a line's end", SYMBOLS, ~0u, "fffffffffffffffffffffff T \n\n \n0 ", 32);
	give_text(fd, "global", SET, 0, "most\0007", 7);
	give_text(fd, "no value", SET, 0, "most", 5);
	give_text(fd, "no NUL", SET, 1, "mostmost", 8);
	memset(large, 'A', sizeof large);
	give_text(fd, "long name", SET, 0, large, MOST);
	give_text(fd, "too long", SYMBOLS, 0, large, MOST + 1);
	for (o.op = 0; o.op <= LAST; o.op++)
		if (o.op != START && o.op != STOP)
			give(fd, "order", &o, sizeof o);
	o = (struct order){VIEW, ~0u, 1ll << 40};
	give(fd, "view", &o, sizeof o);
	o = (struct order){START, ~0u, -1};
	give(fd, "start", &o, sizeof o);
	o.op = STOP;
	give(fd, "stop", &o, sizeof o);
	if (all)
		puts("refused");
	return 0;
}
