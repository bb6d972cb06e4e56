/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compile time of nested code: each script here has 2 to the power of 25, or more, paths through
 * its functions or expressions, and must compile in time proportional to its length.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/options.h"
#include "parse/library.h"
#include "passes.h"

#define SECONDS 5
#define DEEP    40

static int failed;

/* ---------------------------------------------------------------- scripts */

static void add_calls(struct strbuf *sb)
{
	sb_add(sb, "function f0(x) { return x }\n");
	for (int i = 1; i <= DEEP; i++)
		sb_printf(sb, "function f%d(x) { return f%d(x + 1) + f%d(x + 1) }\n", i, i - 1,
			  i - 1);
	sb_printf(sb, "probe begin { println(f%d(1)) }\n", DEEP);
}

static void add_strings(struct strbuf *sb)
{
	sb_add(sb, "global s\nfunction f0:string(x:string) { s = s . x; return x . s }\n");
	for (int i = 1; i <= DEEP; i++)
		sb_printf(
			sb,
			"function f%d:string(x:string) { s = f%d(x . s) . f%d(s . x); return s }\n",
			i, i - 1, i - 1);
	sb_printf(sb, "probe begin { println(f%d(\"a\")) }\n", DEEP);
}

/* Each of 25 functions calls all of them. */
static void add_circle(struct strbuf *sb)
{
	for (int i = 0; i < 25; i++) {
		sb_printf(sb, "function f%d(x) { return x <= 0 ? 1 : 0", i);
		for (int j = 0; j < 25; j++)
			sb_printf(sb, " + f%d(x - 1)", j);
		sb_add(sb, " }\n");
	}
	sb_add(sb, "probe begin { println(f0(1)) }\n");
}

static void add_wrapped(struct strbuf *sb, const char *head, const char *before, const char *after,
			const char *tail)
{
	sb_add(sb, head);
	for (int i = 0; i < 300; i++)
		sb_add(sb, before);
	sb_add(sb, "x");
	for (int i = 0; i < 300; i++)
		sb_add(sb, after);
	sb_add(sb, tail);
}

static void add_choices(struct strbuf *sb)
{
	add_wrapped(sb, "function f(x) { return ", "(x ? ", " : f(2))",
		    " }\nprobe begin { println(f(1)) }\n");
}

static void add_logic(struct strbuf *sb)
{
	add_wrapped(sb, "global g\nfunction f(x) { g++; return g + x }\nfunction h(x) { return ",
		    "(", " && f(1) || x)", " }\nprobe begin { println(h(1)) }\n");
}

static void add_elements(struct strbuf *sb)
{
	add_wrapped(sb, "global a\nfunction f(x) { return ", "a[", "]",
		    " }\nprobe begin { a[1] = 2; println(f(1)) }\n");
}

static void add_concatenations(struct strbuf *sb)
{
	add_wrapped(sb,
		    "global g\nfunction f:string() { g = g . \"a\"; return g }\nfunction "
		    "h:string(x:string) { return ",
		    "(", " . f())", " }\nprobe begin { println(h(\"a\")) }\n");
}

static void add_conditions(struct strbuf *sb)
{
	sb_add(sb, "global g\nprobe begin { ");
	for (int i = 0; i < DEEP; i++)
		sb_printf(sb, "if (g > %d) { try { ", i);
	sb_add(sb, "g++");
	for (int i = 0; i < DEEP; i++)
		sb_add(sb, " } catch { g-- } } else g--");
	sb_add(sb, " }\n");
}

static void add_macros(struct strbuf *sb)
{
	sb_add(sb, "@define m0(x) %( @x + @x %)\n");
	for (int i = 1; i <= DEEP; i++)
		sb_printf(sb, "@define m%d(x) %%( @m%d(@x + 1) %%)\n", i, i - 1);
	sb_printf(sb, "probe begin { x = 1; println(@m%d(x)) }\n", DEEP);
}

/* ------------------------------------------------------------------ checks */

/* Requirements of a handler of TEXT, by ust_program. */
static long compile(const char *text)
{
	static void (*const passes[])(struct session *) = {
		pass_aliases,  pass_resolve, pass_elide,   pass_points, pass_prune, pass_types,
		pass_pointers, pass_fold,    pass_display, pass_locks,  pass_emit,
	};
	struct session s = {.opt = {.compatible = "4.8",
				    .privilege = "stapdev",
				    .runtime = RT_USER,
				    .stop_after = 3,
				    .no_warnings = true}};
	struct source *src = source_new("nested.stp", text, strlen(text));
	const char *frame;

	limits_default(&s.lim);
	if (!parse_source(&s, src))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(passes) && !diag_errors(); i++)
		passes[i](&s);
	frame = diag_errors() ? NULL : strstr(s.c_text.s, ".frame_size = ");
	return frame ? strtol(frame + strlen(".frame_size = "), NULL, 10) : -1;
}

static void check(const char *name, void (*add)(struct strbuf *))
{
	const struct rlimit limit = {SECONDS, SECONDS + 1};
	struct strbuf sb = {0};
	int status = 0;
	pid_t pid;

	add(&sb);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		/* processor time: other processes do not count */
		setrlimit(RLIMIT_CPU, &limit);
		_exit(compile(sb.s) < 0);
	}
	waitpid(pid, &status, 0);
	failed += status != 0;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		printf("not ok %s: takes more than %d s of processor time\n", name, SECONDS);
	else
		printf(status ? "not ok %s: status %#x\n" : "ok %s\n", name, status);
}

static void check_frame(const char *name, const char *text, long want)
{
	long got = compile(text);

	failed += got != want;
	printf(got == want ? "ok %s\n" : "not ok %s: %ld bytes, not %ld\n", name, got, want);
}

int main(void)
{
	setenv("USTAP_CACHE_DIR", "/dev/null/none", 1);
	check("calls", add_calls);
	check("strings", add_strings);
	check("circle", add_circle);
	check("choices", add_choices);
	check("logic", add_logic);
	check("elements", add_elements);
	check("concatenations", add_concatenations);
	check("conditions", add_conditions);
	check("macros", add_macros);
	/* 512 bytes for a string: the handler has one, f has two, g three, h one */
	check_frame("frame of the longest path",
		    "function h:string(x:string) { x = x . \"1\"; return x }\n"
		    "function g:string(x:string) { x = h(x . \"1\"); return x }\n"
		    "function f:string(x:string) { x = h(x); return g(x) }\n"
		    "probe begin { println(f(\"a\")) }\n",
		    512 * (1 + 2 + 3 + 1));
	check_frame("frame of a circle",
		    "function f:string(n, x:string) { x = x . \"1\"; return n ? f(n - 1, x) : x }\n"
		    "probe begin { println(f(3, \"a\")) }\n",
		    512 * (1 + 11 * 2));
	return failed != 0;
}
