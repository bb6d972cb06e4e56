/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser on damaged scripts: it must neither crash nor succeed after an error message. The
 * damage is a function of a seed, so a failure can be reproduced:
 *
 *     fuzz_parse rounds for `make check`
 *     fuzz_parse ROUNDS [SEED] more of them
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fuzz/fragments.h"
#include "session.h"

static const char *const scripts[] = {
	"global a, b = -1, c[5]%, d = \"x\" \"y\"\n"
	"probe begin, timer.s(1), process(\"x\").function(\"f@g.c:3\").return? {\n"
	"\ta[1, \"k\"] = b ? $x->y[2]->z : @count(s) . \"q\\n\\x41\\101\"\n"
	"\tprintf(\"%d %-5s %*x %.3p %1b%%\\n\", 1, \"a\", 3, 4, 5, 6)\n"
	"\tforeach (v = [i, j-] in a limit 3) delete a[i, j]\n"
	"}\n",
	"function f:long (a:string, b) { if (a in c) return b++ else { try { next } catch (e) { } "
	"} }\n"
	"probe end { while (x --> 0) { for (i = 0; i < 10; i += 2) break; continue } x <<< 5 /* c "
	"*/ }\n",
	"probe never { println($$vars, $$parms, $x$$, &$y->z, $1, @1, $#, @#) # comment\n"
	" a = 1 b = 2 // comment\n s = sprintf(\"%s\", @avg(t)) x ^= ~!-+0x1f & 017 | 3 << 4 >> 5 "
	"}\n",
};

static uint64_t seed;

static uint32_t any(size_t n) /* xorshift64* */
{
	seed ^= seed >> 12, seed ^= seed << 25, seed ^= seed >> 27;
	return (uint32_t)((seed * 2685821657736338717u) >> 33) % (uint32_t)(n ? n : 1);
}

/* Replace LEN bytes of T at AT by the N bytes of S. */
static void replace_part(struct strbuf *t, size_t at, size_t len, const char *s, size_t n)
{
	struct strbuf out = {0};

	len = at + len > t->n ? t->n - at : len;
	sb_addn(&out, t->s, at);
	sb_addn(&out, s, n);
	sb_addn(&out, t->s + at + len, t->n - at - len);
	*t = out;
}

static void damage(struct strbuf *t)
{
	size_t at = any(t->n + 1), from = any(t->n), len = any(30);
	const char *bit = fragments[any(ARRAY_LEN(fragments))];
	char c = (char)any(256);

	switch (any(5)) {
	case 0:
		replace_part(t, at, 0, bit, fragment_size(bit));
		break;
	case 1:
		replace_part(t, at, any(10), "", 0);
		break;
	case 2:
		replace_part(t, at, 1, &c, 1);
		break;
	case 3:
		replace_part(t, at, any(3), t->s + from, from + len > t->n ? t->n - from : len);
		break;
	case 4:
		replace_part(t, at, t->n - at, "", 0);
		break;
	}
}

/* One damaged script; false if the parser contradicts itself. */
static bool round_of(uint64_t number)
{
	char *args[] = {"12", "name"};
	struct session s = {
		.opt = {.argc = 2, .argv = args, .compatible = "4.8", .privilege = "stapdev"}};
	struct strbuf text = {0}, dump = {0};
	int before = diag_errors();
	struct source src = {.name = "fuzz"};
	bool ok;

	seed = number * 0x9e3779b97f4a7c15u + 1;
	sb_add(&text, scripts[any(ARRAY_LEN(scripts))]);
	for (uint32_t i = any(6); i > 0; i--)
		damage(&text);
	src.text = text.s;
	src.len = text.n;
	ok = parse_source(&s, &src);
	if (ok)
		dump_script(&dump, &s.script);
	arena_free_all();
	return ok == (diag_errors() == before);
}

/* Run rounds from FIRST on in a separate process; true if it ended well. */
static bool rounds_of(uint64_t first, uint64_t n)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		bool ok = true;

		if (n > 1) /* failures are shown when the round is repeated alone */
			dup2(open("/dev/null", O_WRONLY), 2);
		for (uint64_t i = first; i < first + n; i++)
			ok &= round_of(i);
		_exit(!ok);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 5000, batch = 250;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, end = first + rounds;
	int failed = 0;

	for (uint64_t i = first; i < end; i += batch) {
		uint64_t n = end - i < batch ? end - i : batch;

		if (rounds_of(i, n))
			continue;
		for (uint64_t j = i; j < i + n; j++)
			if (!rounds_of(j, 1))
				printf("not ok fuzz_parse 1 %llu: crash or wrong result\n",
				       (unsigned long long)j);
		failed = 1;
	}
	if (!failed)
		printf("ok %llu damaged scripts\n", (unsigned long long)rounds);
	return failed;
}
