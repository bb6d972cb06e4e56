/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_whole STOP [CHECKS]: says "ready", calls work() until the file STOP is there, and compares
 * its memory with what it was: mappings with those at its start, code with the files that it comes
 * from.  Each time that the file CHECKS is there it does that, too, and prints what a call of
 * work() costs; then it removes the file.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAPS = 1 << 20, CALLS = 20000, ROUNDS = 50 };
static char before[MAPS], now[MAPS];
volatile long total;

__attribute__((noinline)) long work(long n) { return total += n; }
__attribute__((noinline)) long twice(long n) { return work(n) + work(n); }

static void say(const char *format, ...)
{
	char line[512];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	if (write(1, line, (size_t)n) != n)
		_exit(2);
}

static void read_maps(char *to)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, to + n, MAPS - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	to[n] = 0;
}

/* Number of bytes of the code mapped by LINE of maps that differ from its file. */
static size_t differing(const char *line)
{
	unsigned long start, end, offset;
	char mode[5], path[400];
	size_t bad = 0, n;
	struct stat st;
	char *file;
	int fd;

	if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %399[^\n]", &start, &end, mode, &offset,
		   path) != 5 ||
	    mode[2] != 'x' || mode[3] != 'p' || path[0] != '/')
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return 0;
	n = (size_t)st.st_size - offset < end - start ? (size_t)st.st_size - offset : end - start;
	file = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, (off_t)offset);
	close(fd);
	if (file == MAP_FAILED)
		return 0;
	for (size_t i = 0; i < n; i++)
		bad += file[i] != ((const char *)start)[i];
	munmap(file, n);
	return bad;
}

static size_t count_differing(void)
{
	size_t bad = 0;

	for (const char *p = now; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
		bad += differing(p);
	return bad;
}

static void compare(void)
{
	read_maps(now);
	say("%s, %zu bytes of code differ\n",
	    strcmp(before, now) ? "other mappings" : "same mappings", count_differing());
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cost(void)
{
	double best = 1e9, took;

	for (int r = 0; r < ROUNDS; r++) {
		took = seconds();
		for (int i = 0; i < CALLS; i++)
			work(i);
		took = seconds() - took;
		best = took < best ? took : best;
	}
	return best / CALLS * 1e9;
}

int main(int argc, char **argv)
{
	const struct timespec nap = {0, 1000000};

	seconds();
	twice(1);
	count_differing();
	nanosleep(&nap, NULL);
	access(argv[1], F_OK);
	say("ready\n");
	read_maps(before);
	while (access(argv[1], F_OK)) {
		twice(1);
		nanosleep(&nap, NULL);
		if (argc > 2 && !access(argv[2], F_OK)) {
			compare();
			say("%.1f ns\n", cost());
			unlink(argv[2]);
		}
	}
	compare();
	return 0;
}
