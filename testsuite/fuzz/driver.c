/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain script fuzzer for `make check`, without libFuzzer: damages the scripts of the test suite
 * and passes them to target.c, some hundred in each of its processes. The damage and its script are
 * a function of a number, so a failure can be reproduced:
 *
 *     fuzz_check for ten seconds
 *     fuzz_check SECONDS
 *     fuzz_check = NUMBER that one; the script is left in fuzz.stp
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fragments.h"
#include "limit.h"
#include "base/util.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BATCH    300
#define HANG     20 /* seconds of a processor */
#define MAX_SIZE 20000

struct text {
	char *s;
	size_t n;
};

static struct text *scripts; /* outside of the arena, which each round frees */
static size_t nscripts;
static uint64_t seed;
static volatile uint64_t *current; /* number of the current round; shared */

static uint32_t any(size_t n) /* xorshift64* */
{
	seed ^= seed >> 12, seed ^= seed << 25, seed ^= seed >> 27;
	return (uint32_t)((seed * 2685821657736338717u) >> 33) % (uint32_t)(n ? n : 1);
}

/* ------------------------------------------------------------- scripts */

static void add_script(const char *s, size_t n)
{
	if (!(nscripts & (nscripts - 1)))
		scripts = realloc(scripts, (nscripts ? 2 * nscripts : 1) * sizeof *scripts);
	scripts[nscripts].s = strndup(s, n);
	scripts[nscripts].n = strlen(scripts[nscripts].s);
	nscripts++;
}

/* A test file, or each case of it. */
static void add_file(const char *path)
{
	char *text = read_file(path, NULL), *at = text, *next;

	for (; at; at = next) {
		next = strstr(at + 1, "\n# case:");
		if (!next || next - at > 1)
			add_script(at, next ? (size_t)(next - at) : strlen(at));
	}
}

static void add_directory(const char *path)
{
	struct dirent **ents;
	int n = scandir(path, &ents, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *dot = strrchr(ents[i]->d_name, '.');

		if (dot && !strcmp(dot, ".stp"))
			add_file(xprintf("%s/%s", path, ents[i]->d_name));
	}
}

/* -------------------------------------------------------------- damage */

static void put_part(struct text *t, size_t at, size_t len, const char *s, size_t n)
{
	char *to;

	at = at > t->n ? t->n : at;
	len = at + len > t->n ? t->n - at : len;
	to = malloc(t->n - len + n + 1);
	memcpy(to, t->s, at);
	memcpy(to + at, s, n);
	memcpy(to + at + n, t->s + at + len, t->n - at - len);
	free(t->s);
	t->s = to;
	t->n += n - len;
	to[t->n] = 0;
}

static void damage(struct text *t)
{
	const struct text *other = &scripts[any(nscripts)];
	size_t at = any(t->n + 1), from = any(other->n), len = any(60), own = any(t->n);
	const char *bit = fragments[any(ARRAY_LEN(fragments))];
	char c = (char)any(256), *copy;

	len = from + len > other->n ? other->n - from : len;
	switch (any(8)) {
	case 0:
	case 1:
		put_part(t, at, 0, bit, fragment_size(bit));
		break;
	case 2:
		put_part(t, at, any(12), bit, fragment_size(bit));
		break;
	case 3:
		put_part(t, at, any(10), "", 0);
		break;
	case 4:
		put_part(t, at, 1, &c, 1);
		break;
	case 5:
		put_part(t, at, any(10), other->s + from, len);
		break;
	case 6:
		copy = strndup(t->s + own, any(40));
		put_part(t, at, 0, copy, strlen(copy));
		free(copy);
		break;
	case 7:
		put_part(t, at, 0, other->s, other->n);
		break;
	}
}

static struct text make(uint64_t number)
{
	struct text t;

	seed = number * 0x9e3779b97f4a7c15u + 1;
	t = scripts[any(nscripts)];
	t.s = strdup(t.s);
	for (uint32_t i = any(8); i > 0 && t.n < MAX_SIZE; i--)
		damage(&t);
	return t;
}

/* ---------------------------------------------------------------- rounds */

static void round_of(uint64_t number)
{
	struct text t = make(number);

	*current = number;
	limit_time(HANG);
	LLVMFuzzerTestOneInput((const uint8_t *)t.s, t.n);
	limit_time(0);
	free(t.s);
}

static bool rounds_of(uint64_t first, uint64_t n)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), 2);
		for (uint64_t i = first; i < first + n; i++)
			round_of(i);
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
		return true;
	printf("not ok fuzz_check = %llu: status %#x\n", (unsigned long long)*current, status);
	return false;
}

static int show(uint64_t number)
{
	struct text t = make(number);
	FILE *f = fopen("fuzz.stp", "w");

	if (f) {
		fwrite(t.s, 1, t.n, f);
		fclose(f);
	}
	LLVMFuzzerTestOneInput((const uint8_t *)t.s, t.n);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const folders[] = {"ustap.lang", "ustap.errors", "ustap.dumps"};
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	uint64_t number = (uint64_t)time(NULL) << 20, first = number;
	int failed = 0;

	LLVMFuzzerInitialize(&argc, &argv);
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		add_directory(xprintf("%s/%s", TESTSUITE, folders[i]));
	arena_free_all();
	current = mmap(NULL, sizeof *current, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (argc > 2)
		return show(strtoull(argv[2], NULL, 0));
	for (; time(NULL) < end && failed < 10; number += BATCH)
		failed += !rounds_of(number, BATCH);
	if (!failed)
		printf("ok %llu damaged scripts were compiled\n",
		       (unsigned long long)(number - first));
	return failed != 0;
}
