/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ustap time: its options become the command line of a run of the example wall-clock, which
 * measures where the time of threads goes. All other options are those of any run.
 */
#include <stdlib.h>
#include <string.h>
#include "options.h"

static const char usage[] =
	"Usage: ustap time [OPTION]... -c COMMAND | -x PID\n"
	"Measure where the wall-clock time of threads goes: on a CPU, or waiting for what.\n"
	"\n"
	"      --per-thread     keep threads apart (default: their sum)\n"
	"      --duration=S     end after S seconds\n"
	"      --top=N          print the N stacks with the most time (default: 10)\n"
	"      --output=FORMAT  table, folded or html (default: by the name of FILE, else table)\n"
	"  -o FILE              write to FILE; FILE.html is a page, FILE.folded folded stacks\n"
	"  -h, --help           print this summary\n"
	"\n"
	"Other options are those of ustap(1). See ustap-time(1).\n";

/* Limits of the script: bytes of a stack, with that of the waking thread, and the statements that
 * search a stack in the kernel and that print all of them. */
static const char *const limits[] = {"-DMAXSTRINGLEN=4096", "-DMAXACTION=5000",
				     "-DMAXACTION_INTERRUPTIBLE=1000000000"};

struct measurement {
	const char *output, *file, *duration;
	int64_t top;
	bool per_thread;
	arg_vec others; /* options of the run */
};

static bool has_suffix(const char *text, const char *suffix)
{
	size_t n = strlen(text), end = strlen(suffix);

	return n > end && !strcmp(text + n - end, suffix);
}

/* A run has one target, without which there is nothing to measure. */
static bool names_target(const arg_vec *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (!strncmp(words->v[i], "-c", 2) || !strncmp(words->v[i], "-x", 2))
			return true;
	return false;
}

/* True if word *I is an option of ustap time. */
static bool take_option(struct measurement *m, char **argv, int *i)
{
	const char *v;

	if ((v = command_value("--duration", argv, i)))
		m->duration = v;
	else if ((v = command_value("--output", argv, i)))
		m->output = v;
	else if ((v = command_value("--top", argv, i)))
		m->top = option_number("--top", v, 1, 1000);
	else if (!strcmp(argv[*i], "--per-thread"))
		m->per_thread = true;
	else if (!strncmp(argv[*i], "-o", 2))
		m->file = argv[*i][2] ? argv[*i] + 2 : argv[*i + 1] ? argv[++*i] : "";
	else
		return false;
	return true;
}

static void check(struct measurement *m)
{
	if (!m->output)
		m->output = m->file && has_suffix(m->file, ".html")     ? "html"
			    : m->file && has_suffix(m->file, ".folded") ? "folded"
									: "table";
	if (strcmp(m->output, "table") && strcmp(m->output, "folded") && strcmp(m->output, "html"))
		option_error("--output: \"%s\" is not table, folded or html", m->output);
	if (m->file && !*m->file)
		option_error("-o needs a value");
	if (!names_target(&m->others)) {
		option_error("ustap time needs a target: -c or -x");
		diag_hint("for example: ustap time -c 'sleep 1'");
	}
}

static void run_words(const struct measurement *m, arg_vec *to)
{
	bool table = !strcmp(m->output, "table");

	vec_push(to, "ustap");
	for (size_t i = 0; i < m->others.n; i++)
		vec_push(to, m->others.v[i]);
	if (!table)
		vec_push(to, xprintf("--output=%s", m->output));
	if (m->file)
		vec_push(to, xprintf("-o%s", m->file));
	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		vec_push(to, limits[i]);
	if (m->duration)
		vec_push(to, xprintf("-T%s", m->duration));
	vec_push(to, table ? "-Gtable=1" : "-Gpicture=1");
	vec_push(to, xprintf("-Gmerged=%d", !m->per_thread));
	vec_push(to, xprintf("-Gtop=%lld", (long long)m->top));
	vec_push(to, "--example");
	vec_push(to, "wall-clock");
}

enum options_result time_options(struct session *s, int *argc, char ***argv)
{
	struct measurement m = {.top = 10};
	int before = diag_errors();
	arg_vec words = {0};

	if (command_help(usage, *argc, *argv))
		return OPTIONS_DONE;
	for (int i = 1; i < *argc; i++)
		if (!take_option(&m, *argv, &i))
			command_pass(&m.others, *argv, &i);
	check(&m);
	run_words(&m, &words);
	s->opt.named_stacks = true;
	command_replace(&words, argc, argv);
	return diag_errors() > before ? OPTIONS_WRONG : OPTIONS_OK;
}
