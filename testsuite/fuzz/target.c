/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: passes a script through the translator up to its C text. The driver is libFuzzer
 * (testsuite/fuzz/run) or driver.c.
 *
 * Scripts that name a process are skipped: the files of this machine are not under test.
 */
#include <stdlib.h>
#include <string.h>

#include "passes.h"
#include "sema/sema.h"
#include "cli/options.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	setenv("USTAP_CACHE_DIR", "/dev/null/cache", 1);
	setenv("PATH", "/nonexistent", 1); /* no compiler for headers */
	if (!getenv("USTAP_TAPSETS"))
		setenv("USTAP_TAPSETS", "/nonexistent", 1);
	return 0;
}

static void compile(struct session *s, const struct source *src)
{
	static void (*const passes[])(struct session *) = {
		pass_aliases, pass_resolve,  pass_elide, pass_points, pass_prune,
		pass_types,   pass_pointers, pass_fold,  pass_locks,  pass_emit,
	};
	int before = diag_errors();
	struct strbuf dump = {0};

	if (!parse_source(s, src) || !s->script.probes.n)
		return;
	dump_script(&dump, &s->script);
	for (size_t i = 0; i < ARRAY_LEN(passes) && diag_errors() == before; i++) {
		passes[i](s);
		if (diag_errors() == before)
			dump_program(&dump, s);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *args[] = {"12", "name", "-3 + x", "\"s\""};
	struct session s = {
		.opt = {.argc = ARRAY_LEN(args),
			.argv = args,
			.compatible = "4.8",
			.privilege = "stapdev",
			.runtime = RT_USER,
			.guru = size & 1,
			.stop_after = 3},
	};
	struct source src = {.name = "fuzz", .len = size};

	if (memmem(data, size, "process", 7))
		return 0;
	src.text = xstrndup((const char *)data, size);
	limits_default(&s.lim);
	compile(&s, &src);
	modules_close();
	arena_free_all();
	return 0;
}
