/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The load of the soak tests of kernel probes: ksoak THREADS N.  Each thread does N times, which no other program does:
 * step(I); a pread() of 7001 bytes; getpriority(7777, I); a write() of 71 bytes to a pipe and a read() of 72 from it.
 * Between them memory comes and goes, the processor is given away, packets go to a port of this machine without a listener, and
 * children are born, of which some are killed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 1 << 20 };

static long calls;
static int file;

/* A user-space probe is here. */
__attribute__((noipa)) long step(long i, const char *name)
{
	__asm__ volatile("" : : "r"(name) : "memory");
	return i;
}

static void expect(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

static void memory(void)
{
	char *p = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(p != MAP_FAILED, "mmap");
	for (int i = 0; i < 8; i++)
		p[i * 4096] = 1;
	munmap(p, 8 * 4096);
}

/* The second one shows the effect of the first, and may therefore fail. */
static void packets(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	expect(s >= 0, "socket");
	for (int i = 0; i < 2; i++)
		sendto(s, "packet", 6, 0, (struct sockaddr *)&to, sizeof to);
	close(s);
}

static void child(long i)
{
	int status;
	pid_t pid = vfork();

	if (!pid)
		_exit(7);
	expect(pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7, "vfork");
	if (i % 64)
		return;
	pid = fork();
	if (!pid)
		for (;;)
			pause();
	expect(pid > 0 && !kill(pid, SIGKILL) && waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGKILL, "fork");
}

static void *thread(void *arg)
{
	char buffer[8192] = "";
	int ends[2];

	expect(!pipe(ends), "pipe");
	for (long i = 0; i < calls; i++) {
		expect(step(i, "step") == i, "step");
		expect(pread(file, buffer, 7001, i % 512) == 7001, "pread");
		syscall(SYS_getpriority, 7777, i);
		expect(write(ends[1], buffer, 71) == 71 && read(ends[0], buffer, 72) == 71, "pipe");
		if (i % 8 == 3)
			sched_yield();
		if (i % 16 == 5)
			memory();
		if (i % 16 == 6)
			packets();
		if (i % 32 == 0)
			child(i);
	}
	close(ends[0]);
	close(ends[1]);
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0;
	pthread_t *t = calloc((size_t)n + 1, sizeof *t);
	char name[] = "/dev/shm/ksoak.XXXXXX";

	if (!n || !t)
		return 2;
	calls = atol(argv[2]);
	file = mkstemp(name);
	expect(file >= 0 && !unlink(name) && !ftruncate(file, MANY), name);
	for (int i = 0; i < n; i++)
		expect(!pthread_create(&t[i], NULL, thread, NULL), "pthread_create");
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
	return 0;
}
