/* SPDX-License-Identifier: GPL-2.0-or-later */
/* util.c and diag.c: memory, text, names, files, commands, positions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/diag.h"
#include "base/subprocess.h"

static int failed;

static void check(bool ok, const char *name)
{
	printf(ok ? "ok %s\n" : "not ok %s: wrong\n", name);
	failed += !ok;
}

static bool same(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static void test_memory(void)
{
	VEC(int) v = {0};
	bool zero = true, order = true;
	char *p = xalloc(3 << 20);

	for (size_t i = 0; i < (size_t)3 << 20; i++)
		zero = zero && !p[i];
	check(zero, "memory is zeroed, also more than a chunk");
	check((uintptr_t)xalloc(1) % 16 == 0 && (uintptr_t)xalloc(17) % 16 == 0,
	      "memory is aligned");
	for (int i = 0; i < 1000; i++)
		vec_push(&v, i);
	for (int i = 0; i < 1000; i++)
		order = order && v.v[i] == i;
	check(order && v.n == 1000, "a vector grows and keeps its elements");
	check(same(xstrndup("abcdef", 3), "abc") && same(xprintf("%d-%s", 5, "x"), "5-x"),
	      "copies of text");
}

static void test_strbuf(void)
{
	struct strbuf sb = {0};
	char *longer = xalloc(1000);

	memset(longer, 'y', 999);
	sb_add(&sb, "");
	check(sb.s && sb.n == 0 && !*sb.s, "nothing added is an empty string");
	sb_addn(&sb, "a\0b", 3);
	check(sb.n == 3 && !memcmp(sb.s, "a\0b", 4), "bytes of value zero are kept");
	sb_printf(&sb, "%s|", longer);
	check(sb.n == 1003 && sb.s[1002] == '|' && !sb.s[1003],
	      "formatted text longer than the stack buffer");
}

static void test_smap(void)
{
	struct smap m = {0};
	bool found = true, order = true;
	static int vals[500];

	check(!smap_get(&m, "x"), "an empty map holds nothing");
	for (int i = 0; i < 500; i++)
		smap_put(&m, xprintf("key%d", i), &vals[i]);
	for (int i = 0; i < 500; i++) {
		found = found && smap_get(&m, xprintf("key%d", i)) == &vals[i];
		order = order && m.ents.v[i].val == &vals[i];
	}
	check(found && !smap_get(&m, "key500"), "a map finds every key and no other");
	check(order, "a map is in order of insertion");
	smap_put(&m, "key7", NULL);
	check(m.ents.n == 500 && !smap_get(&m, "key7"), "a key put again replaces");
}

static void test_names(void)
{
	static const char *const cand[] = {"execname", "exit", "pid", "tid", "gettimeofday_us"};
	static const char *const clocks[] = {"gettimeofday_s", "gettimeofday_us"};

	check(same(nearest("exename", cand, ARRAY_LEN(cand)), "execname"),
	      "a missing letter is near");
	check(same(nearest("gettimeofday_su", cand, ARRAY_LEN(cand)), "gettimeofday_us"),
	      "swapped letters are near");
	check(!nearest("dpi", cand, ARRAY_LEN(cand)), "two of three letters are not near");
	check(same(nearest("eixt", cand, ARRAY_LEN(cand)), "exit"),
	      "swapped letters of a short name are near");
	check(same(nearest("gettimeofday_u", clocks, ARRAY_LEN(clocks)), "gettimeofday_us"),
	      "of two that are as near, the common beginning decides");
	check(!nearest("nothing_like_it", cand, ARRAY_LEN(cand)), "another word is not near");
	check(!nearest("", cand, ARRAY_LEN(cand)), "nothing is near no name");
	check(glob_match("ab*[xy]?", "abcdxz") && !glob_match("a*b", "abc"),
	      "a glob matches the whole string");
	check(is_glob("a?") && !is_glob("a.b+c"), "what is a glob");
}

static void put_file(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
	chmod(path, mode);
}

static void test_files(void)
{
	char dir[] = "/tmp/test_util.XXXXXX", *path = getenv("PATH"), *prog, *data, *log;
	size_t len = 0;

	if (!mkdtemp(dir)) {
		check(false, "temporary directory");
		return;
	}
	prog = xprintf("%s/a_program", dir), data = xprintf("%s/data", dir),
	log = xprintf("%s/log", dir);
	put_file(prog, "#!/bin/sh\necho out; echo err >&2; pwd; exit 7\n", 0755);
	put_file(data, "12345", 0644);
	check(same(read_file(data, &len), "12345") && len == 5, "a file is read");
	check(!read_file(xprintf("%s/none", dir), &len) && errno == ENOENT,
	      "a missing file says why");
	setenv("PATH", xprintf("/nonexistent:%s:%s", dir, path), 1);
	check(same(find_in_path("a_program"), prog), "a program is found by PATH");
	check(!find_in_path("data") && !find_in_path("no_such_program"),
	      "a file that is not a program is not found");
	setenv("PATH", "/nonexistent::/bin", 1);
	check(chdir(dir) == 0 && same(find_in_path("a_program"), prog),
	      "an empty part of PATH is the current directory");
	check(same(find_in_path("./a_program"), xprintf("%s/./a_program", dir)),
	      "a path is made absolute");
	setenv("PATH", xprintf("%s:%s", dir, path), 1);
	check(run_command((const char *[]){"a_program", NULL}, dir, log) == 7,
	      "a command's exit status");
	check(same(read_file(log, &len), xprintf("out\nerr\n%s\n", dir)),
	      "a command's output and directory");
	check(run_command((const char *[]){"sh", "-c", "kill -9 $$", NULL}, NULL, log) == 128 + 9,
	      "a command killed by a signal");
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	run_command((const char *[]){"sh", "-c", "echo $LC_ALL", NULL}, NULL, log);
	check(same(read_file(log, &len), "C\n"), "messages that are read are in English");
	check(same(command_output((const char *[]){"sh", "-c", "echo $LC_ALL", NULL}), "C\n"),
	      "output that is read is in English");
	unsetenv("LC_ALL");
	check(run_command((const char *[]){"/no/such/command", NULL}, NULL, log) == 127,
	      "no such command");
	check(same(read_file(log, &len), "error: /no/such/command cannot be started: "
					 "No such file or directory\n"),
	      "why a command cannot be started");
	chmod(dir, 0777);
	check(run_command((const char *[]){"a_program", NULL}, NULL, log) == (geteuid() ? 7 : 127),
	      "root runs no program that others could replace");
	setenv("PATH", path, 1);
	unlink(prog), unlink(data), unlink(log), rmdir(dir);
}

/* Removal of a directory keeps files outside that a link in it names. */
static void test_removal(void)
{
	char dir[] = "/tmp/test_util.XXXXXX", *kept, *tree, *link;
	struct stat st;

	if (!mkdtemp(dir)) {
		check(false, "temporary directory");
		return;
	}
	kept = xprintf("%s/kept", dir), tree = xprintf("%s/tree", dir),
	link = xprintf("%s/tree/link", dir);
	check(!mkdir(kept, 0700) && !mkdir(tree, 0700) && !mkdir(xprintf("%s/deep", tree), 0700) &&
		      !symlink(kept, link),
	      "directories and a link");
	put_file(xprintf("%s/file", kept), "", 0644);
	put_file(xprintf("%s/deep/file", tree), "", 0644);
	cache_remove(tree);
	check(lstat(tree, &st) && errno == ENOENT, "a directory is removed with all in it");
	check(!stat(xprintf("%s/file", kept), &st), "... but not what its links name");
	check(!symlink(kept, tree), "a link");
	cache_remove(tree);
	check(lstat(tree, &st) && !stat(xprintf("%s/file", kept), &st), "a link is removed itself");
	cache_remove(xprintf("%s/file", kept));
	cache_remove(xprintf("%s/nothing", kept));
	check(!rmdir(kept) && !rmdir(dir), "a file is removed");
}

/* Output of REPORT to standard error. */
static const char *shown(void (*report)(void))
{
	FILE *f = tmpfile();
	int saved = dup(2);
	char *text = xalloc(4096);

	dup2(fileno(f), 2);
	report();
	dup2(saved, 2);
	close(saved);
	rewind(f);
	if (fread(text, 1, 4095, f) == 0)
		*text = 0;
	fclose(f);
	return text;
}

static const char text[] = "first\n\tx = foo + 1\nlast";
static const struct source src = {.name = "a.stp", .text = text, .len = sizeof text - 1};

static void report_error(void)
{
	diag_error(E_SYNTAX, (struct loc){&src, 11, 14}, "no %s", "foo");
	diag_hint("say bar");
}
static void report_end(void) { diag_error(E_SYNTAX, (struct loc){&src, 24, 24}, "end"); }
static void report_quiet(void)
{
	diag_set_quiet_warnings(true);
	diag_warn(W_UNUSED, (struct loc){&src, 0, 5}, "unused");
	diag_hint("remove it");
	diag_set_quiet_warnings(false);
}
static void report_nowhere(void) { diag_warn(W_UNUSED, (struct loc){0}, "unused"); }

static void test_diag(void)
{
	check(same(shown(report_error), "a.stp:2:6: error: no foo [syntax]\n"
					"  \tx = foo + 1\n  \t    ^~~\n  say bar\n"),
	      "an error with caret and hint");
	check(same(shown(report_end), "a.stp:3:5: error: end [syntax]\n  last\n      ^\n"),
	      "an error at the end");
	check(diag_errors() == 2, "errors are counted");
	check(same(shown(report_quiet), ""), "no warnings and no hints to them with -w");
	check(same(shown(report_nowhere), "ustap: warning: unused [unused]\n") &&
		      diag_errors() == 2,
	      "a warning without a location");
}

int main(void)
{
	test_memory();
	test_strbuf();
	test_smap();
	test_names();
	test_files();
	test_removal();
	test_diag();
	arena_free_all();
	return failed != 0;
}
