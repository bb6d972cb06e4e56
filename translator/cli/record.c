/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ustap record: its options become a script that records calls (tapsets/record.stpm), and the
 * command line of a run of that script. All other options are those of any run.
 */
#include <stdlib.h>
#include <string.h>
#include "base/installed.h"
#include "options.h"

static const char usage[] =
	"Usage: ustap record [OPTION]... -c COMMAND | -x PID\n"
	"Record entries and returns of functions, for ustap report and ustap replay.\n"
	"\n"
	"      --functions=PATTERN  record functions of this name (default: *)\n"
	"      --file=FILE      record functions of this program or library; may be repeated\n"
	"                       (default: the program of -c or -x)\n"
	"      --inlined        count inlined functions, too\n"
	"      --args           record arguments and returned values, too\n"
	"  -o FILE              write the recording to FILE (default: ustap.rec)\n"
	"      --max=SIZE       record at most SIZE bytes; K, M and G are units\n"
	"      --last=TIME      keep only the last TIME of each thread; ms, us and s are units\n"
	"      --trigger=POINT  keep that each time this probe point is hit, and go on;\n"
	"                       'POINT if (CONDITION)': each time the condition is true\n"
	"  -h, --help           print this summary\n"
	"\n"
	"Other options are those of ustap(1). See ustap-record(1).\n";

enum { BUFFER_MB = 16, LAST_US = 50000 };

struct recording {
	const char *functions, *trigger;
	text_vec files;
	int64_t max, last_us;
	bool inlined, args;
	arg_vec others; /* options of the run */
};

/* ----------------------------------------------------------------- values */

struct unit {
	const char *name;
	int64_t factor;
};

/* TEXT, a number from 1 on with one of the UNITS; 0 after a message. */
static int64_t quantity(const char *option, const char *text, const struct unit *units)
{
	char *end;
	int64_t n = strtoll(text, &end, 10);

	for (; units->name && end != text; units++)
		if (!strcmp(end, units->name) && n > 0 && n <= INT64_MAX / units->factor)
			return n * units->factor;
	option_error("%s: \"%s\" is not a number with a unit as in ustap-record(1)", option, text);
	return 0;
}

static int64_t size_of(const char *text)
{
	static const struct unit units[] = {
		{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {NULL, 0}};

	return quantity("--max", text, units);
}

static int64_t time_of(const char *text)
{
	static const struct unit units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}, {NULL, 0}};

	return quantity("--last", text, units);
}

/* ---------------------------------------------------------------- options */

static void set_functions(struct recording *r, const char *v) { r->functions = v; }
static void add_file(struct recording *r, const char *v) { vec_push(&r->files, v); }
static void set_trigger(struct recording *r, const char *v) { r->trigger = v; }
static void set_max(struct recording *r, const char *v) { r->max = size_of(v); }
static void set_last(struct recording *r, const char *v) { r->last_us = time_of(v); }

/* True if word *I is an option of ustap record. */
static bool take_option(struct recording *r, char **argv, int *i)
{
	static const struct {
		const char *name;
		void (*set)(struct recording *r, const char *v);
	} options[] = {{"--functions", set_functions},
		       {"--file", add_file},
		       {"--trigger", set_trigger},
		       {"--max", set_max},
		       {"--last", set_last}};
	const char *v;

	for (size_t k = 0; k < ARRAY_LEN(options); k++) {
		v = command_value(options[k].name, argv, i);
		if (v && *v)
			options[k].set(r, v);
		if (v)
			return true;
	}
	if (!strcmp(argv[*i], "--inlined"))
		r->inlined = true;
	else if (!strcmp(argv[*i], "--args"))
		r->args = true;
	else
		return false;
	return true;
}

/* A word of the run, with its value if that is the next word. */
static void take_other(struct recording *r, char **argv, int *i)
{
	const char *word = argv[*i];

	if (!strncmp(word, "--output", strlen("--output"))) {
		option_error("--output: ustap record writes a recording");
		diag_hint("give this option to ustap report");
	}
	command_pass(&r->others, argv, i);
}

/* ------------------------------------------------------------------ script */

/* TEXT as a string literal of the language. */
static void add_literal(struct strbuf *sb, const char *text)
{
	sb_add(sb, "\"");
	for (; *text; text++)
		sb_printf(sb, strchr("\"\\", *text) ? "\\%c" : "%c", *text);
	sb_add(sb, "\"");
}

static void add_points(struct strbuf *sb, const struct recording *r, const char *file)
{
	static const struct {
		const char *end, *values;
	} ends[] = {{".call", "$$parms$"}, {".return", "$$return$"}, {".inline?", "$$parms$"}};

	for (size_t i = 0; i < (r->inlined ? 3 : 2); i++) {
		sb_add(sb, "probe process");
		if (file) {
			sb_add(sb, "(");
			add_literal(sb, file);
			sb_add(sb, ")");
		}
		sb_add(sb, ".function(");
		add_literal(sb, r->functions);
		sb_printf(sb, ")%s { ", ends[i].end); /* a file may have no inlined functions */
		if (r->args)
			sb_printf(sb, "@record_values(%s) }\n", ends[i].values);
		else
			sb_add(sb, "@record_call }\n");
	}
}

/* `POINT' or `POINT if (CONDITION)'. The condition may be any expression: a condition in the head
 * of the probe would have to be one of globals. */
static void add_trigger(struct strbuf *sb, const char *trigger)
{
	const char *condition = strstr(trigger, " if (");
	int point = condition ? (int)(condition - trigger) : (int)strlen(trigger);

	sb_printf(sb, "probe %.*s {%s @record_keep }\n", point, trigger,
		  condition ? condition : "");
}

static const char *script(const struct recording *r)
{
	bool window = r->last_us || r->trigger;
	struct strbuf sb = {0};

	sb_printf(&sb, "probe begin {\n\t@record_begin(%lld)\n", (long long)r->max);
	if (window)
		sb_printf(&sb, "\t@record_window(%lld)\n",
			  (long long)(r->last_us ? r->last_us : LAST_US));
	sb_add(&sb, "}\n");
	for (size_t i = 0; i < r->files.n; i++)
		add_points(&sb, r, r->files.v[i]);
	if (!r->files.n)
		add_points(&sb, r, NULL);
	if (r->trigger)
		add_trigger(&sb, r->trigger);
	sb_printf(&sb, "probe end { @record_end(%d) }\n", r->trigger != NULL);
	return sb.s;
}

/* The command line of the run: of an option that is repeated, the last value counts. */
static void run_words(const struct recording *r, arg_vec *to)
{
	vec_push(to, "ustap");
	vec_push(to, "--runtime=user");
	vec_push(to, "-oustap.rec");
	vec_push(to, xprintf("-s%d", BUFFER_MB));
	for (size_t i = 0; i < r->others.n; i++)
		vec_push(to, r->others.v[i]);
	vec_push(to, "-e");
	vec_push(to, script(r));
}

enum options_result record_options(int *argc, char ***argv)
{
	struct recording r = {.functions = "*"};
	int before = diag_errors();
	arg_vec words = {0};

	if (command_help(usage, *argc, *argv))
		return OPTIONS_DONE;
	for (int i = 1; i < *argc; i++)
		if (!take_option(&r, *argv, &i))
			take_other(&r, *argv, &i);
	if (r.args && (r.last_us || r.trigger)) {
		option_error("--args: a window of events (--last, --trigger) has no arguments");
		diag_hint("record all calls, or use printf() in a probe of the function");
	}
	run_words(&r, &words);
	command_replace(&words, argc, argv);
	return diag_errors() > before ? OPTIONS_WRONG : OPTIONS_OK;
}
