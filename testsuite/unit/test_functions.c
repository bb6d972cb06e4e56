/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function patterns: the functions they match, their addresses (compared with nm), and errors about
 * files that cannot be probed.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/subprocess.h"
#include "dwarf/variables.h"

static int failed;
static char dir[] = "/tmp/ustap-names-XXXXXX";
static const struct source nothing = {.name = "test", .text = "\n", .len = 1};
static const struct loc nowhere = {&nothing, 0, 0};

static void check(bool ok, const char *name, const char *why)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("not ok %s: %s\n", name, why);
	failed += !ok;
}

static bool shell(const char *cmd)
{
	const char *argv[] = {"sh", "-c", cmd, NULL};
	return run_command(argv, dir, xprintf("%s/log", dir)) == 0;
}

/* Build SOURCE of programs/ as OUT; the module, or NULL after a failed check. */
static struct module *build(const char *cc, const char *flags, const char *source, const char *out)
{
	bool ok = shell(xprintf("%s %s -w -o %s %s/%s", cc, flags, out, PROGRAMS, source));
	struct module *m = ok ? module_get(xprintf("%s/%s", dir, out), nowhere) : NULL;
	check(m != NULL, xprintf("build %s", out), "does not compile or open");
	return m;
}

/* The address nm gives for SYM, 0 if none. */
static uint64_t nm(const struct module *m, const char *sym)
{
	char line[512];
	uint64_t addr = 0;
	FILE *f = popen(xprintf("nm %s 2>/dev/null", module_path(m)), "r");
	while (f && fgets(line, sizeof line, f)) {
		char *name = strrchr(line, ' ');
		line[strcspn(line, "\n")] = '\0';
		if (name && strcmp(name + 1, sym) == 0)
			addr = strtoull(line, NULL, 16);
	}
	if (f)
		pclose(f);
	return addr;
}

static function_vec find(struct module *m, const char *func, const char *file, int line)
{
	struct func_pattern pat = {func, file, line};
	function_vec v = {0};
	module_functions(m, &pat, &v);
	return v;
}

static int by_name(const void *a, const void *b)
{
	const struct function *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

/* FUNC@FILE:LINE must find the functions named in WANT (sorted by name), each once, in order of
 * address, at the addresses from nm. */
static void expect(struct module *m, const char *func, const char *file, int line, const char *want)
{
	function_vec v = find(m, func, file, line);
	struct strbuf got = {0};
	const char *name = xprintf("%s: %s@%s:%d", strrchr(module_path(m), '/') + 1, func,
				   file ? file : "", line);
	bool placed = true;
	sb_add(&got, "");
	for (size_t i = 0; i < v.n; i++) {
		uint64_t off;
		placed &= nm(m, v.v[i]->linkage) == v.v[i]->entry &&
			  module_file_offset(m, v.v[i]->entry, &off) &&
			  (!i || v.v[i]->entry > v.v[i - 1]->entry);
	}
	if (v.n)
		qsort(v.v, v.n, sizeof v.v[0], by_name);
	for (size_t i = 0; i < v.n; i++)
		sb_printf(&got, "%s%s", i ? " " : "", v.v[i]->name);
	if (!placed)
		sb_add(&got, " (misplaced)");
	check(strcmp(got.s, want) == 0, name, xprintf("\"%s\", not \"%s\"", got.s, want));
}

/* The code of the indirect function FUNC is that of the symbol TARGET. */
static void expect_indirect(struct module *m, const char *func, const char *target)
{
	function_vec v = find(m, func, NULL, 0);

	check(v.n == 1 && !strcmp(v.v[0]->name, func) && v.v[0]->entry == nm(m, target),
	      xprintf("%s: %s is %s", strrchr(module_path(m), '/') + 1, func, target), "it is not");
}

static void patterns(struct module *m)
{
	expect(m, "alpha", NULL, 0, "alpha");
	expect(m, "alpha_alias", NULL, 0, "alpha_alias");
	expect(m, "weak_alias", NULL, 0, "weak_alias");
	expect(m, "alph", NULL, 0, "");
	expect(m, "al*", NULL, 0, "alpha alphabet");
	expect(m, "*alias", NULL, 0, "alpha_alias");
	expect(m, "b?ta", NULL, 0, "beta");
	expect(m, "[ab]*a", "names.c", 0, "alpha beta");
	expect(m, "al*", "programs/names.c", 0, "alpha alphabet");
	expect(m, "al*", "ames.c", 0, "");
	expect(m, "al*", "other.c", 0, "");
	expect(m, "al*", "n*.c", 0, "alpha alphabet");
	expect(m, "*", "names.c", 9, "alpha");
	expect(m, "*", "names.c", 7, "alpha");
	expect(m, "*", "names.c", 12, "alpha");
	expect(m, "*", "names.c", 13, "");
	expect(m, "*", "names.c", 25, "");
	expect(m, "*", "names.c", 30, "alphabet");
	expect(m, "beta", "names.c", 30, "");
	expect(m, "inlined", NULL, 0, "");
	expect_indirect(m, "chosen", "picked");
	expect(m, "picked", NULL, 0, "picked");
	expect(m, "puts", NULL, 0, "");
	expect(m, "_start", NULL, 0, "_start");
}

static void details(struct module *m)
{
	function_vec v = find(m, "alpha", NULL, 0);
	struct func_pattern near = {.func = "alpja"}, far = {.func = "qqqqqqqqqq"};
	const char *s = module_suggest(m, &near);
	uint64_t off;
	bool ok = v.n == 1 && v.v[0]->line == 7 && v.v[0]->file && v.v[0]->exported &&
		  strcmp(v.v[0]->file + strlen(v.v[0]->file) - 7, "names.c") == 0;
	check(ok, "declaration of alpha", "wrong file, line or visibility");
	check(module_inlines(m, "inlined") && !module_inlines(m, "alpha") &&
		      !module_inlines(m, "nothing"),
	      "which functions are inlined", "wrong");
	v = find(m, "beta", NULL, 0);
	check(v.n == 1 && !v.v[0]->exported, "beta is local", "it is not");
	check(s && strcmp(s, "alpha") == 0, "suggestion", s ? s : "none");
	check(!module_suggest(m, &far), "no suggestion far away", "there is one");
	check(!module_file_offset(m, 0x7000000000, &off), "no file offset outside", "there is one");
	check(strlen(module_build_id(m)) >= 16 &&
		      strspn(module_build_id(m), "0123456789abcdef") == strlen(module_build_id(m)),
	      "build-id", module_build_id(m));
}

/* If a loop begins where the prologue ends, the entry is the only possible probe site. */
static void loop_head(struct module *m)
{
	function_vec v = find(m, "looping", NULL, 0);
	check(v.n == 1 && v.v[0]->body == v.v[0]->entry, "no probe on a loop's head",
	      "placed after the prologue");
	v = find(m, "main", NULL, 0);
	check(v.n == 1 && v.v[0]->body == v.v[0]->entry, "scalars are read at the entry",
	      "placed after the prologue");
}

/* Output of the optimiser: clones are found, cold parts are never probed. */
static void clones(struct module *m)
{
	function_vec v = find(m, "cloned", NULL, 0);
	check(v.n == 1 && strcmp(v.v[0]->name, "cloned") == 0 &&
		      strcmp(v.v[0]->linkage, "cloned.constprop.0") == 0,
	      "clone by the name of its function", "not found");
	check(nm(m, "unlikely.cold") != 0, "there is a cold part", "not found");
	expect(m, "unlikely*", NULL, 0, "unlikely");
	expect(m, "unlikely.cold", NULL, 0, "");
	expect(m, "cloned.constprop.0", NULL, 0, "cloned.constprop.0");
}

static void cxx(struct module *m)
{
	expect(m, "method", NULL, 0, "method");
	expect(m, "Thing::method", NULL, 0, "method");
	expect(m, "outer::Thing::method", NULL, 0, "method");
	expect(m, "ing::method", NULL, 0, "");
	expect(m, "outer::freefn", NULL, 0, "freefn");
	expect(m, "outer::*", NULL, 0, "freefn method");
	expect(m, "_ZN5outer6freefnEPNS_5ThingE", NULL, 0, "freefn");
	expect(m, "hidden_one", NULL, 0, "hidden_one");
	expect(m, "plain_c", NULL, 0, "plain_c");
}

static void stripped(struct module *m)
{
	check(!module_has_dwarf(m), "no DWARF", "there is some");
	expect(m, "al*", NULL, 0, "alpha alphabet");
	expect(m, "al*", "names.c", 0, "");
	function_vec v = find(m, "alpha", NULL, 0);
	struct node n = {.kind = N_TARGET, .target = {.name = "$x"}};
	struct access a;
	struct var_error err = {0};
	bool ok = v.n == 1 && !var_access(v.v[0], v.v[0]->entry, false, &n, &a, &err);
	check(ok && err.tag == E_NO_DEBUGINFO && err.hint, "$x without DWARF", "no such error");
}

/* Files that are not programs of this machine are rejected with one error. */
static void refused(const char *what, const char *cmd)
{
	int before = diag_errors();
	bool made = shell(xprintf("cd %s && %s", dir, cmd));
	struct module *m = made ? module_get(xprintf("%s/%s", dir, what), nowhere) : NULL;
	check(made && !m && diag_errors() == before + 1, xprintf("refuse %s", what),
	      made ? "accepted, or not one error" : "cannot be made");
}

static void bad_files(void)
{
	refused("missing", "true");
	refused("directory", "mkdir directory");
	refused("text", "echo hello >text");
	refused("empty", ": >empty");
	refused("object.o", "echo 'int x;' | cc -c -x c -o object.o -");
	refused("cut", "head -c 40 names-O0 >cut");
	refused("arm", "cp names-O0 arm && printf '\\267' | dd of=arm bs=1 seek=18 conv=notrunc");
	refused("loop", "printf '#!%s/loop\\n' $PWD >loop");
	refused("nointerp", "printf '#!/nonexistent/interpreter\\n' >nointerp");
	shell(xprintf("cd %s && printf '#! %s/names-O0 -x\\n' >script", dir, dir));
	struct module *m = module_get(xprintf("%s/script", dir), nowhere);
	check(m && strcmp(module_path(m), xprintf("%s/names-O0", dir)) == 0, "script",
	      "not followed");
	shell(xprintf("cd %s && printf '#!/usr/bin/env -S X=1 sh\\n' >envscript", dir));
	m = module_get(xprintf("%s/envscript", dir), nowhere);
	check(m && strcmp(module_path(m), find_in_path("sh")) == 0, "env script", "not followed");
}

int main(void)
{
	const char *cc = getenv("CC") ? getenv("CC") : "cc";
	struct module *m;
	if (!mkdtemp(dir))
		return 1;
	if ((m = build(cc, "-O0 -g", "names.c", "names-O0"))) {
		patterns(m);
		details(m);
		loop_head(m);
	}
	if ((m = build(cc, "-O2 -g", "names.c", "names-O2"))) {
		patterns(m);
		clones(m);
	}
	if ((m = build(cc, "-O2 -g -static", "names.c", "names-static")))
		expect(m, "al*bet", NULL, 0, "alphabet");
	if (shell(xprintf("echo 'V1 { global: *; };' >%s/map", dir)) &&
	    (m = build(cc,
		       xprintf("-O2 -shared -fPIC -s -DSHARED -Wl,--version-script=%s/map", dir),
		       "names.c", "names.so"))) {
		function_vec v = find(m, "versioned", NULL, 0);
		check(v.n == 1 && strcmp(v.v[0]->linkage, "versioned") == 0, "versioned symbol",
		      "not found by its bare name");
		check(find(m, "beta", NULL, 0).n == 0, "static function without .symtab", "found");
	}
	if ((m = build(cc, "-O2", "names.c", "names-plain")))
		stripped(m);
	if ((m = build("c++", "-O0 -g", "names.cc", "names-cc")))
		cxx(m);
	bad_files();
	modules_close();
	shell(xprintf("rm -rf %s", dir));
	arena_free_all();
	return failed != 0;
}
