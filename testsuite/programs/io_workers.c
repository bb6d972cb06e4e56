// SPDX-License-Identifier: GPL-2.0-or-later
// Threads of the kernel that io_uring gives a process: for testsuite/ustap.user/io_*.stp.
// Arguments: what they do until a file exists, that file. "busy": one of them polls the queue, and
// others read. "first": the one that polls has the least id of all threads, as the others before it
// have ended. "stuck": one waits uninterruptibly, for another process to write to the third
// argument.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "locked_file.h"

enum { ENTRIES = 8, ROUNDS = 300, PAGE = 4096 };

struct ring {
	struct io_uring_params p;
	struct io_uring_sqe *entries;
	char *queue;
	int fd;
};
static struct ring ring;
static const char *file;
static char bytes[ENTRIES];

static void *map(size_t size, off_t offset)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, offset);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static void set_up(unsigned flags)
{
	ring.p.flags = flags;
	ring.p.sq_thread_idle = 60000;
	ring.fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &ring.p);
	if (ring.fd < 0)
		die("io_uring_setup");
	// both queues are there
	ring.queue = map(PAGE, IORING_OFF_SQ_RING);
	ring.entries = map(ENTRIES * sizeof *ring.entries, IORING_OFF_SQES);
}

static _Atomic unsigned *at(unsigned offset) { return (_Atomic unsigned *)(ring.queue + offset); }

// Have a worker execute CODE for the I-th byte.
void submit(int code, int fd, unsigned i)
{
	unsigned tail = *at(ring.p.sq_off.tail), slot = tail % ENTRIES;

	ring.entries[slot] = (struct io_uring_sqe){
		.opcode = code, .fd = fd, .addr = (unsigned long)&bytes[i], .len = 1};
	ring.entries[slot].flags = IOSQE_ASYNC;
	*at(ring.p.sq_off.array + slot * sizeof(unsigned)) = slot;
	*at(ring.p.sq_off.tail) = tail + 1;
	if (!(ring.p.flags & IORING_SETUP_SQPOLL))
		syscall(SYS_io_uring_enter, ring.fd, 1, 0, 0, NULL, 0);
}

// Wait for the next result.
int result(void)
{
	unsigned head = *at(ring.p.cq_off.head);
	size_t to = (head & (ring.p.cq_entries - 1)) * sizeof(struct io_uring_cqe);
	struct io_uring_cqe c;

	while (head == *at(ring.p.cq_off.tail))
		usleep(100);
	memcpy(&c, ring.queue + ring.p.cq_off.cqes + to, sizeof c);
	*at(ring.p.cq_off.head) = head + 1;
	return c.res;
}

static void say_ready(void)
{
	puts("ready");
	fflush(stdout);
}

static int wait_here(int n)
{
	while (access(file, F_OK))
		usleep(1000);
	return n;
}

static int busy(void)
{
	int ends[ENTRIES][2], wrong = 0;

	set_up(IORING_SETUP_SQPOLL);
	for (unsigned i = 0; i < ENTRIES; i++)
		if (pipe(ends[i]))
			die("pipe");
	say_ready();
	for (unsigned round = 0; access(file, F_OK) || round < ROUNDS; round++) {
		for (unsigned i = 0; i < ENTRIES; i++)
			submit(IORING_OP_READ, ends[i][0], i);
		for (unsigned i = 0; i < ENTRIES; i++)
			if (write(ends[i][1], "x", 1) != 1)
				die("write");
		for (unsigned i = 0; i < ENTRIES; i++)
			wrong += result() != 1;
	}
	return wrong;
}

static void *last(void *arg)
{
	(void)arg;
	say_ready();
	exit(wait_here(0));
}

static void *first(void *arg)
{
	pthread_t other;

	(void)arg;
	set_up(IORING_SETUP_SQPOLL);
	pthread_create(&other, NULL, last, NULL);
	return NULL;
}

static int stuck(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600), n;
	pid_t holder;

	set_up(0);
	holder = lock_file(fd);
	submit(IORING_OP_WRITE, fd, 0);
	await_sleeper();
	say_ready();
	n = wait_here(0);
	unlock_file(holder);
	return n + (result() != 1);
}

int main(int argc, char **argv)
{
	pthread_t other;

	file = argc > 2 ? argv[2] : "";
	if (argc > 1 && !strcmp(argv[1], "first")) {
		pthread_create(&other, NULL, first, NULL);
		pthread_exit(NULL);
	}
	return argc > 3 ? stuck(argv[3]) : busy();
}
