/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sleeps some functions deep; with "absent" after the frames of outer functions have left memory;
 * with "calls" it makes system calls for a while; with "maps" threads change the memory map; with
 * "spans" it maps many areas and unmaps some of them at once. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, ROOM = 8 * PAGE, TIMES = 5, MS = 1000000 };

static volatile int sink;

static void nap(void)
{
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){0, 20 * MS}, NULL);
}

__attribute__((noinline)) static void innermost(void)
{
	for (int i = 0; i < TIMES; i++)
		nap();
	sink++;
}

__attribute__((noinline)) static void middle(void)
{
	innermost();
	sink++;
}

__attribute__((noinline)) static void outermost(void)
{
	middle();
	sink++;
}

/* Drop the pages from above this frame to TOP, and sleep; it never returns. */
__attribute__((noinline)) static void lose(uintptr_t top)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t from = (here + PAGE) / PAGE * PAGE + PAGE;

	madvise((void *)from, (top - from) / PAGE * PAGE + PAGE, MADV_DONTNEED);
	innermost();
	_exit(0);
}

__attribute__((noinline)) static void lower(uintptr_t top)
{
	volatile char room[ROOM];

	for (int i = 0; i < ROOM; i += PAGE)
		room[i] = 1;
	lose(top);
	sink += room[sink];
}

__attribute__((noinline)) static void upper(void)
{
	lower((uintptr_t)__builtin_frame_address(0));
	sink++;
}

static void calls(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 0; i < 1000; i++)
			syscall(SYS_getppid);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < 2);
}

/* Threads wait for each other's changes of the memory map, and sleep. */
static void *change_maps(void *arg)
{
	struct timespec begin, now;
	char *p;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 0; i < 100; i++) {
			p = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);
			p[i] = 1;
			mprotect(p, PAGE, PROT_READ);
			munmap(p, ROOM);
			sched_yield();
		}
		usleep(100);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < 3);
	return arg;
}

static void maps(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, change_maps, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* Areas beside those of the libraries, in several nodes of the kernel's tree. */
__attribute__((noinline)) static void unmap_spans(void)
{
	enum { AREAS = 64 };

	for (int i = 0; i < TIMES; i++) {
		char *p = mmap(NULL, AREAS * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (int k = 0; k < AREAS; k += 2)
			mprotect(p + k * PAGE, PAGE, PROT_READ | PROT_WRITE);
		munmap(p + AREAS / 4 * PAGE, AREAS / 2 * PAGE);
		munmap(p, AREAS * PAGE);
	}
	sink++;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "absent"))
		upper();
	else if (argc > 1 && !strcmp(argv[1], "maps"))
		maps();
	else if (argc > 1 && !strcmp(argv[1], "spans"))
		unmap_spans();
	else if (argc > 1)
		calls();
	else
		outermost();
	return 0;
}
