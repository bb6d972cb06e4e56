/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code made at run time, whose frames the program finds by return addresses, as a garbage collector
 * does. With an argument: the code is in that file, which is not ELF; with another one: behind a
 * hole. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
enum { SIZE = 4096, FRAMES = 8 };

static unsigned char *made;

struct frame {
	const struct frame *up;
	const void *ret;
};

/* The distance of the frame that made code has called. */
NOINLINE long frames_to_made(const struct frame *f)
{
	for (long n = 1; n < FRAMES; n++, f = f->up) {
		if ((uintptr_t)f->ret - (uintptr_t)made < SIZE)
			return n;
		if ((uintptr_t)f->up <= (uintptr_t)f)
			break; /* main's caller has no frame pointer */
	}
	return 0;
}

NOINLINE long called(long n)
{
	volatile long found = frames_to_made(__builtin_frame_address(0));

	return 10 * n + found;
}

NOINLINE long called_by_called(long n)
{
	volatile long result = called(n);

	return result;
}

static void make(const char *file, long offset)
{
	/* push %rbp; mov %rsp,%rbp; call *%rsi; pop %rbp; ret */
	static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d, 0xc3};
	int fd = file ? open(file, O_RDWR | O_CREAT | O_TRUNC, 0700) : -1;

	if (fd >= 0 && ftruncate(fd, offset + SIZE))
		exit(1);
	made = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, fd, offset);
	if (made == MAP_FAILED)
		exit(1);
	memcpy(made, code, sizeof code);
}

int main(int argc, char **argv)
{
	long (*call)(long, long (*)(long));

	make(argc > 1 ? argv[1] : NULL, argc > 2 ? SIZE : 0);
	call = (long (*)(long, long (*)(long)))(uintptr_t)made;
	printf("made code calls: %ld\n", call(1, called));
	printf("made code calls through another: %ld\n", call(2, called_by_called));
	printf("main calls: %ld\n", called(3));
	return 0;
}
