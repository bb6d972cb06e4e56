/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain fuzzer of ELF files for `make check`: saved files that once caused failures, then damage to
 * small programs in many forms, some in each of its processes. The damage is a function of a
 * number, so a failure can be reproduced:
 *
 *     fuzz_elf_check for ten seconds
 *     fuzz_elf_check SECONDS
 *     fuzz_elf_check = NUMBER that one; the file is left in fuzz.elf
 *     fuzz_elf_check - FILE that file
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "elf.h"
#include "limit.h"
#include "base/util.h"

#define BATCH    20
#define HANG     60 /* seconds of a processor, of one round */
#define MEMORY   (3ull << 30)
#define MAX_SIZE 60000

struct file {
	const char *name;
	uint8_t *data;
	size_t n;
};
static struct file files[200];
static size_t nfiles;
static volatile uint64_t *current; /* number of the current round; shared */

static bool add_file(const char *dir, const char *name)
{
	size_t n = 0;
	char *text = read_file(xprintf("%s/%s", dir, name), &n);

	if (*name == '.' || !text || !n || n > MAX_SIZE || nfiles == ARRAY_LEN(files))
		return false;
	files[nfiles] = (struct file){strdup(name), malloc(n), n};
	memcpy(files[nfiles++].data, text, n);
	return true;
}

static void add_directory(const char *dir)
{
	struct dirent **ents;
	int n = scandir(dir, &ents, NULL, alphasort);

	for (int i = 0; i < n; i++)
		add_file(dir, ents[i]->d_name);
	arena_free_all();
}

static size_t make(uint64_t number, uint8_t *data)
{
	uint64_t seed = number * 0x9e3779b97f4a7c15u + 1;
	const struct file *f = &files[(seed >> 20) % nfiles];
	size_t size = (seed >> 40) % 16 ? 0 : elf_first_index(data, MAX_SIZE);

	if (!size) {
		memcpy(data, f->data, f->n);
		size = f->n;
	}
	for (uint64_t i = 1 + (seed >> 50) % 6; i > 0; i--)
		size = elf_damage(data, size, MAX_SIZE, &seed);
	return size;
}

/* ------------------------------------------------------------------- rounds */

static void round_of(uint64_t number)
{
	static uint8_t data[MAX_SIZE];
	size_t size = make(number, data);

	*current = number;
	limit_time(HANG);
	elf_read_all(data, size);
	limit_time(0);
}

static void be_quiet(void)
{
	int null = open("/dev/null", O_WRONLY);
	struct rlimit memory = {MEMORY, MEMORY};

	dup2(null, 1);
	dup2(null, 2);
	setrlimit(RLIMIT_AS, &memory);
}

static bool in_child(void (*f)(uint64_t), uint64_t first, uint64_t n, const char *what)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		be_quiet();
		elf_start(NULL);
		for (uint64_t i = first; i < first + n; i++)
			f(i);
		elf_end();
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
		return true;
	printf("not ok %s: fuzz_elf_check = %llu: status %#x\n", what, (unsigned long long)*current,
	       status);
	return false;
}

static void read_file_number(uint64_t i)
{
	*current = i;
	limit_time(HANG);
	elf_read_all(files[i].data, files[i].n);
	limit_time(0);
}

static int show(uint64_t number)
{
	static uint8_t data[MAX_SIZE];
	size_t size = make(number, data);
	FILE *f = fopen("fuzz.elf", "w");

	if (f) {
		fwrite(data, 1, size, f);
		fclose(f);
	}
	elf_read_all(data, size);
	return 0;
}

static int show_file(const char *name)
{
	nfiles = 0;
	if (!add_file(".", name) && !add_file("", name))
		return 1;
	elf_read_all(files[0].data, files[0].n);
	return 0;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	uint64_t number = (uint64_t)time(NULL) << 20, first = number;
	const char *seeds = "testrun/fuzz-seeds";
	int failed = 0;

	if (system(xprintf("'%s/fuzz/seeds' %s > /dev/null 2>&1", TESTSUITE, seeds)))
		return puts("not ok seeds: they do not build") && 1;
	current = mmap(NULL, sizeof *current, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	elf_start(xprintf("%s/gcc_O2", seeds));
	if (argc > 2 && *argv[1] == '-')
		return show_file(argv[2]);
	add_directory(TESTSUITE "/fuzz/elf");
	for (size_t i = 0; i < nfiles; i++) {
		bool ok = in_child(read_file_number, i, 1, files[i].name);

		failed += !ok;
		if (ok)
			printf("ok %s\n", files[i].name);
	}
	add_directory(seeds);
	if (argc > 2)
		return show(strtoull(argv[2], NULL, 0));
	for (; time(NULL) < end && failed < 10; number += BATCH)
		failed += !in_child(round_of, number, BATCH, "damage");
	if (!failed)
		printf("ok damaged programs were read\n");
	fprintf(stderr, "%llu damaged programs were read\n", (unsigned long long)(number - first));
	return failed != 0;
}
