/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scripts of excessive size or depth: each must compile or be rejected, without a crash and in
 * bounded time.
 */
#include "base/util.h"
#include "limit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECONDS 120 /* of a processor */

/* HEAD, N times EACH, MIDDLE, N times BACK, TAIL; `#` in EACH is its number. */
static const struct large {
	const char *name, *head;
	unsigned n;
	const char *each, *middle, *back, *tail;
} larges[] = {
	{"parentheses", "probe begin { println(", 100000, "(", "1", ")", ") }"},
	{"parentheses_open", "probe begin { println(", 100000, "(", "", "", ""},
	{"brackets", "global a probe begin { println(a", 100000, "[a", "[1]", "]", ") }"},
	{"blocks", "probe begin { ", 100000, "{", "", "}", "}"},
	{"ifs", "probe begin { ", 100000, "if (1) ", "next", "", "}"},
	{"elses", "probe begin { ", 100000, "if (1) next else ", "next", "", "}"},
	{"tries", "probe begin { ", 100000, "try { ", "next", "} catch { }", "}"},
	{"minuses", "probe begin { println(", 100000, "-", "1", "", ") }"},
	{"nots", "probe begin { println(", 100000, "!", "1", "", ") }"},
	{"ternaries", "probe begin { println(", 100000, "1 ? 1 : ", "1", "", ") }"},
	{"assignments", "probe begin { ", 100000, "a = ", "1", "", "}"},
	{"sum", "probe begin { println(1", 100000, " + 1", "", "", ") }"},
	{"concatenation", "probe begin { println(\"\"", 100000, " . \"a\"", "", "", ") }"},
	{"joined", "probe begin { println(", 100000, "\"a\" ", "", "", ") }"},
	{"string", "probe begin { println(\"", 3000000, "x", "", "", "\") exit() }"},
	{"string_open", "probe begin { println(\"", 10000000, "x", "", "", ""},
	{"escapes", "probe begin { println(\"", 2500000, "\\x41", "", "", "\") exit() }"},
	{"name", "probe begin { ", 10000000, "x", " = 1 }", "", ""},
	{"number", "probe begin { x = ", 10000000, "1", " }", "", ""},
	{"comment", "/* ", 10000000, "*", "/ probe begin { exit() }", "", ""},
	{"newlines", "", 10000000, "\n", "probe begin { exit() }", "", ""},
	{"nuls", "", 1000000, "\0", "", "", ""},
	{"not_utf8", "probe begin { println(\"", 1000000, "\xff\xc3\x28", "", "", "\") exit() }"},
	{"stray_bytes", "", 1000000, "\xff", "", "", ""},
	{"globals", "", 300000, "global g# = 1\n", "probe begin { println(g7) exit() }", "", ""},
	{"globals_used", "", 20000, "global g# = 1 probe begin { g#++ }\n", "", "", ""},
	{"globals_again", "", 20000, "global g\n", "probe begin { exit() }", "", ""},
	{"locals", "probe begin { ", 100000, "l# = 1\n", "}", "", ""},
	{"functions", "", 100000, "function f#() { return 1 }\n",
	 "probe begin { println(f7()) exit() }", "", ""},
	{"functions_called", "", 20000,
	 "function f#() { return 1 } probe begin { println(f#()) }\n", "", "", ""},
	{"probes", "", 20000, "probe begin { println(1) }\n", "", "", ""},
	{"points", "probe begin", 20000, ", begin", " { println(1) }", "", ""},
	{"components", "probe begin", 100000, ".begin", " { }", "", ""},
	{"unknown_points", "probe begin", 20000, ", nosuch#.x", " { }", "", ""},
	{"stars", "probe b", 1000000, "*", " { }", "", ""},
	{"groups", "probe ", 100000, "{", "begin", "}", " { }"},
	{"parameters", "function f(p", 100000, ", p#", ") { return p } probe begin { exit() }", "",
	 ""},
	{"arguments", "probe begin { print(1", 100000, ", 1", ") }", "", ""},
	{"keys", "global a probe begin { a[1", 100000, ", 1", "] = 1 }", "", ""},
	{"conversions", "probe begin { printf(\"", 30000, "%d", "\") }", "", ""},
	{"errors", "", 20000, "probe begin { x = }\n", "", "", ""},
	{"conditionals", "", 100000, "%( 1 == 1 %? ", "probe begin { exit() }", " %)", ""},
	{"conditionals_else", "", 100000, "%( 1 == 0 %? 1 %: ", "probe begin { exit() }", " %)",
	 ""},
	{"conditionals_left_out", "probe begin { exit() } ", 100000, "%( 1 == 0 %? ", "", " %)",
	 ""},
	{"conditionals_open", "", 100000, "%( 1 == 1 %? ", "", "", ""},
	{"condition", "%( 1 == 1", 100000, " && 1 == 1", " %? probe begin { exit() } %)", "", ""},
	{"macros", "", 100000, "@define m#(a) %( @a %)\n", "probe begin { println(@m7(1)) exit() }",
	 "", ""},
	{"macro_uses", "@define m %( x = 1 %) probe begin { ", 100000, "@m ", "}", "", ""},
	{"macro_calls", "@define f(a) %( (@a) %) probe begin { println(", 100000, "@f(", "1", ")",
	 ") }"},
	{"macro_doubling", "@define f(a) %( @a @a %) probe begin { ", 60, "@f(", "next ", ")", "}"},
	{"definitions", "@define m ", 100000, "%( ", "1", " %)", " probe begin { println(@m) }"},
};

static void add_times(struct strbuf *sb, const char *each, unsigned n)
{
	const char *mark = strchr(each, '#');
	size_t len = *each ? strlen(each) : 1; /* "\0" */

	for (unsigned i = 0; i < n; i++) {
		if (!mark) {
			sb_addn(sb, each, len);
			continue;
		}
		for (const char *p = each; *p; p++)
			if (*p == '#')
				sb_printf(sb, "%u", i);
			else
				sb_addn(sb, p, 1);
	}
}

static void compile(const struct large *l)
{
	struct strbuf sb = {0};

	sb_add(&sb, l->head);
	add_times(&sb, l->each, l->n);
	sb_add(&sb, l->middle);
	if (*l->back)
		add_times(&sb, l->back, l->n);
	sb_add(&sb, l->tail);
	dup2(open("/dev/null", O_WRONLY), 2);
	limit_time(SECONDS);
	LLVMFuzzerTestOneInput((const uint8_t *)sb.s, sb.n);
}

int main(int argc, char **argv)
{
	int failed = 0;

	LLVMFuzzerInitialize(&argc, &argv);
	for (size_t i = 0; i < ARRAY_LEN(larges); i++) {
		int status = -1;
		pid_t pid;

		if (argc > 1 && strcmp(argv[1], larges[i].name))
			continue;
		fflush(stdout);
		pid = fork();
		if (pid == 0) {
			compile(&larges[i]);
			_exit(0);
		}
		if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
			printf("ok %s\n", larges[i].name);
		else
			failed |= printf("not ok %s: status %#x\n", larges[i].name, status);
	}
	return failed != 0;
}
