/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Name fuzzer: programs with hostile names and their twins with harmless names go through the
 * translator. Both must produce the same tokens; literals may differ where the names do. The
 * changes are a function of a number:
 *
 *     fuzz_names_check for ten seconds
 *     fuzz_names_check SECONDS
 *     fuzz_names_check = NUMBER that one; the programs and the C are left in
 *     names.{hostile,harmless}{,.c}
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "limit.h"
#include "names.h"
#include "cli/options.h"
#include "parse/library.h"
#include "passes.h"

#define BATCH    10
#define HANG     60 /* seconds of a processor, of one round */
#define MAX_SIZE 100000

struct file {
	const char *name;
	uint8_t *data;
	size_t n;
};
static struct file files[100];
static size_t nfiles;
static char path[64], kernel[80];
/* Shared with the working processes: number of the current round, and their results. */
static struct shared {
	uint64_t current, compared, refused;
} * shared;

/* ----------------------------------------------------------------- scripts */

#define P           "process(@1)"
#define FLAG_TIMES  1
#define FLAG_KERNEL 2 /* the program's BTF is used as the kernel's */

static const struct script_row {
	const char *text;
	enum format format;
	unsigned flags;
} rows[] = {
	{"probe " P ".function(\"*\")? { println($$parms$$, $$locals$$, $$vars) }", FORMAT_TEXT, 0},
	{"probe " P
	 ".function(\"*\").return? { println($$return$$, ppfunc(), probefunc(), pp(), pn()) }",
	 FORMAT_TEXT, 0},
	{"probe " P ".statement(\"*@*:*\")? { println($$vars$$, pp()) }", FORMAT_TEXT, 0},
	{"probe " P ".mark(\"*\")? { println($$name, $$vars, pp(), @defined($arg1) ? $arg1 : 0) }",
	 FORMAT_TEXT, FLAG_TIMES},
	{"probe " P ".function(\"area\")? { println(@defined($p$$) ? $p$$ : \"\", @defined($way$) "
	 "? $way$ : \"\","
	 " @defined($p->next->grid[1][2]) ? $p->next->grid[1][2] : 0, @cast(1, \"item\", @1)$$, "
	 "@enum(\"FAR\", @1)) }",
	 FORMAT_TEXT, 0},
	{"probe " P ".function(\"*\")? { println(ppfunc()); printf(\"%s %d\\n\", $$parms, 1) }",
	 FORMAT_JSON, 0},
	{"probe " P ".function(\"*\").call?, " P
	 ".function(\"*\").return? { println(ppfunc(), $$vars) }",
	 FORMAT_TRACE, 0},
	{"probe " P
	 ".function(\"*\")? { print_ubacktrace(); println(usymname(uaddr()), usymdata(uaddr())) }",
	 FORMAT_FOLDED, FLAG_TIMES},
	{"probe a = " P ".plt(\"*\")?, " P
	 ".function(\"*\").label(\"*\")? { name = ppfunc() } probe a { println(name, pp(), pn()) }",
	 FORMAT_TEXT, FLAG_TIMES},
	{"probe " P ".function(\"*\").inline?, " P
	 ".function(\"*@*\").call? { println(sprint_ubacktrace(), usymfileline(uaddr())) }",
	 FORMAT_TEXT, 0},
	{"probe kernel.function(\"*\")? { println($$parms$$, $$vars, ppfunc(), probefunc(), pp()) "
	 "}",
	 FORMAT_TEXT, FLAG_KERNEL},
	{"probe kernel.function(\"*\").return? { println($$return$$, @cast(1, \"item\", "
	 "\"kernel\")$$, pn()) }",
	 FORMAT_JSON, FLAG_KERNEL},
};

/* The C text for the program at PATH with a script in the file NAME; NULL if the script was
 * rejected. */
static const char *emit(const struct script_row *row, const char *name)
{
	static void (*const passes[])(struct session *) = {
		pass_aliases,  pass_resolve, pass_elide,   pass_points, pass_prune, pass_types,
		pass_pointers, pass_fold,    pass_display, pass_locks,  pass_emit,
	};
	char *args[] = {path};
	struct session s = {
		.opt = {.argc = 1,
			.argv = args,
			.compatible = "4.8",
			.privilege = "stapdev",
			.stop_after = 3,
			.runtime = row->flags & FLAG_KERNEL ? RT_KERNEL : RT_USER,
			.format = row->format,
			.timing = row->flags & FLAG_TIMES,
			.skip_badvars = true,
			.no_warnings = true},
	};
	int before = diag_errors();
	char *text = NULL;

	limits_default(&s.lim);
	library_again();
	if (row->flags & FLAG_KERNEL) {
		s.opt.release = kernel;
		kernel_select("0.0.0-names", kernel);
	}
	if (parse_source(&s, source_new(name, row->text, strlen(row->text))))
		for (size_t i = 0; i < ARRAY_LEN(passes) && diag_errors() == before; i++)
			passes[i](&s);
	if (diag_errors() == before && s.c_text.s)
		text = strdup(s.c_text.s);
	modules_close();
	arena_free_all();
	return text;
}

/* ------------------------------------------------------------------- files */

static void write_file(const char *name, const void *data, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void add_directory(const char *dir)
{
	struct dirent **ents;
	int n = scandir(dir, &ents, NULL, alphasort);

	for (int i = 0; i < n && nfiles < ARRAY_LEN(files); i++) {
		size_t size = 0;
		char *text = read_file(xprintf("%s/%s", dir, ents[i]->d_name), &size);

		if (!text || !size || size > MAX_SIZE)
			continue;
		files[nfiles] = (struct file){strdup(ents[i]->d_name), malloc(size), size};
		memcpy(files[nfiles++].data, text, size);
	}
	arena_free_all();
}

/* Write the program of a round to the file NAME. */
static void put_program(const char *name, const struct file *f, uint64_t seed, bool hostile)
{
	static uint8_t data[MAX_SIZE];

	memcpy(data, f->data, f->n);
	names_change(data, f->n, seed, hostile);
	write_file(name, data, f->n);
}

/* ------------------------------------------------------------------- rounds */

static const struct file *file_of_round(uint64_t seed) { return &files[(seed >> 20) % nfiles]; }

/* A program with BTF is a kernel, the others are not. */
static const struct script_row *row_of_round(const struct file *f, uint64_t seed)
{
	size_t user = 0;

	while (user < ARRAY_LEN(rows) && !(rows[user].flags & FLAG_KERNEL))
		user++;
	if (!strncmp(f->name, "btf", 3))
		return &rows[user + (seed >> 40) % (ARRAY_LEN(rows) - user)];
	return &rows[(seed >> 40) % user];
}

static bool round_of(uint64_t number, bool keep)
{
	uint64_t seed = number * 0x9e3779b97f4a7c15u + 1;
	const struct file *f = file_of_round(seed);
	const struct script_row *row = row_of_round(f, seed);
	const char *text[2];
	char why[300] = "";
	bool same;

	shared->current = number;
	limit_time(HANG);
	for (int hostile = 0; hostile < 2; hostile++) {
		char name[] = "name of the script, with much room for C";

		put_program(path, f, seed, hostile);
		names_change_one(name, strlen(name), seed, hostile);
		text[hostile] = emit(row, name);
		if (keep) {
			put_program(hostile ? "names.hostile" : "names.harmless", f, seed, hostile);
			write_file(hostile ? "names.hostile.c" : "names.harmless.c",
				   text[hostile] ? text[hostile] : "",
				   text[hostile] ? strlen(text[hostile]) : 0);
		}
	}
	limit_time(0);
	if (!text[0] || !text[1]) {
		shared->refused++;
		same = true;
	} else {
		same = names_same_tokens(text[0], text[1], why, sizeof why);
		shared->compared++;
	}
	if (!same)
		printf("not ok names: fuzz_names_check = %llu: %s, `%s': %s\n",
		       (unsigned long long)number, f->name, row->text, why);
	free((char *)text[0]);
	free((char *)text[1]);
	unlink(path);
	return same;
}

/* Hide the translator's messages about damaged programs. */
static void be_quiet(void) { dup2(open("/dev/null", O_WRONLY), 2); }

static bool in_child(uint64_t first)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int failed = 0;

		be_quiet();
		for (uint64_t i = first; i < first + BATCH; i++)
			failed += !round_of(i, false);
		fflush(stdout);
		_exit(failed ? 1 : 0);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status))
		return !status;
	printf("not ok names: fuzz_names_check = %llu: status %#x\n",
	       (unsigned long long)shared->current, status);
	return false;
}

static void start(void)
{
	const char *dir = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

	snprintf(path, sizeof path, "%s/ustap-names.%d", dir, getpid());
	snprintf(kernel, sizeof kernel, "%s.kernel", path);
	mkdir(kernel, 0700);
	if (symlink(path, xprintf("%s/vmlinux", kernel)))
		abort();
	setenv("USTAP_CACHE_DIR", xprintf("%s.cache", path), 1);
	setenv("USTAP_NAMES", "no", 1);
	setenv("USTAP_TAPSETS", TESTSUITE "/../tapsets", 1);
	setenv("PATH", "/usr/bin:/bin", 1);
	unsetenv("DEBUGINFOD_URLS");
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
}

static void finish(void)
{
	unlink(path);
	unlink(xprintf("%s/vmlinux", kernel));
	rmdir(kernel);
	if (system(xprintf("rm -rf %s.cache", path)))
		perror("rm");
}

int main(int argc, char **argv)
{
	time_t end;
	uint64_t number = (uint64_t)time(NULL) << 20;
	const char *seeds = "testrun/fuzz-names";
	int failed = 0;

	if (system(xprintf("'%s/fuzz/names_seeds' %s > /dev/null 2>&1", TESTSUITE, seeds)))
		return puts("not ok seeds: they do not build") && 1;
	start();
	add_directory(seeds);
	if (argc > 2) {
		failed = !round_of(strtoull(argv[2], NULL, 0), true);
		finish();
		return failed;
	}
	end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	for (; time(NULL) < end && failed < 10; number += BATCH)
		failed += !in_child(number);
	finish();
	if (shared->compared <= shared->refused) {
		printf("not ok names: %llu compared, %llu refused\n",
		       (unsigned long long)shared->compared, (unsigned long long)shared->refused);
		failed++;
	}
	if (!failed)
		printf("ok hostile names give the tokens of harmless ones\n");
	fprintf(stderr, "%llu programs with hostile names were compared, %llu refused\n",
		(unsigned long long)shared->compared, (unsigned long long)shared->refused);
	return failed != 0;
}
