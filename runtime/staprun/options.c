/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command line parser of staprun: fills struct options, rejects invalid combinations. */
#include "output/output_format.h"
#include "report/test_points.h"
#include "base/message.h"
#include "base/privilege.h"
#include "options.h"
#include "report/report.h"
#include "session/session_ops.h"

#include <stdbool.h>
#include <sys/types.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: staprun [options] SCRIPT [NAME=VALUE]...  load, run, unload; SCRIPT: file built by "
	"ustap -p4,\n                                        NAME: one of its globals\n       "
	"staprun -A [options] [NAME]      attach to a module that was left running\n       staprun "
	"-d [NAME]                remove a leftover module\n       staprun --list                  "
	" list scripts in processes and loaded modules\n       staprun --cleanup=PID            "
	"remove what killed runs have left in that process; or\n                                   "
	"     a module, by its name\n"
#define STAPRUN_OPTION(name, letter, value, how, permission, usage)                          usage
#define BOTH_OPTION(name, letter, value, how, takes, choices, says, help, permission, usage) usage
#include "options/options.def"
	;

void print_help(void) { fputs(usage, stdout); }

static bool wrong(const char *text)
{
	say("%s", text);
	return hint("see: staprun --help");
}

/* A whole decimal number from 1 to MAX. */
static bool number(const char *text, const char *option, unsigned max, unsigned *value)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && n > 0 && n <= max) {
		*value = (unsigned)n;
		return true;
	}
	return fail("%s %s: not a number from 1 to %u", option, text, max);
}

/* ------------------------------------------------------- rows that are more than a field */

/* MB[,N] */
static bool set_rotation(struct options *o, char *text)
{
	char *comma = strchr(text, ',');

	if (comma)
		*comma = 0;
	return number(text, "-S", 1 << 20, &o->file_mb) &&
	       (!comma || number(comma + 1, "-S MB,", INT_MAX, &o->files));
}

static void add_pid(struct options *o, pid_t pid)
{
	for (size_t i = 0; i < o->npids; i++)
		if (o->pids[i] == pid)
			return;
	o->pids = xrealloc(o->pids, (o->npids + 1) * sizeof *o->pids);
	o->pids[o->npids++] = pid;
}

static bool set_process(struct options *o, char *text)
{
	unsigned pid = 0;

	if (!number(text, "-x", INT_MAX, &pid))
		return false;
	add_pid(o, (pid_t)pid);
	return true;
}

static bool set_merge(struct options *o, char *text)
{
	o->merge = xrealloc(o->merge, (o->nmerge + 1) * sizeof *o->merge);
	o->merge[o->nmerge++] = text;
	return true;
}

/* KIND[:FILE] */
static bool set_report(struct options *o, char *text)
{
	o->report = text;
	return points_kind(text, &o->report_file) ||
	       fail("--report %s: unknown report type; use tap or junit", text);
}

/* set by ustap for a script that does not compile */
static bool set_report_failed(struct options *o, char *text)
{
	o->action = ACT_REPORT;
	test_report_point(false, text, "the script compiles");
	return true;
}

static bool set_format(struct options *o, char *text)
{
	o->format = format_find(text);
	if (o->format && o->format->in_page && !html_page_size()) {
		say("--output=html: this ustap was built without the libraries of its pages");
		return hint("build it from sources with the folder third_party");
	}
	return o->format ||
	       fail("--output %s: unknown format; use text, json, folded, trace-event, html "
		    "or otlp",
		    text);
}

/* A number and the comma behind it. */
static bool take_field(const char **at, unsigned long long most, unsigned long long *to)
{
	char *end;

	errno = 0;
	*to = strtoull(*at, &end, 10);
	if (**at < '0' || **at > '9' || errno || *to > most || *end != ',')
		return false;
	*at = end + 1;
	return true;
}

/* A descriptor of --reloaded, 0: none. Programs that staprun executes do not inherit it. */
static bool keep_descriptor(int fd)
{
	return !fd || (fd > STDERR_FILENO && !fcntl(fd, F_SETFD, FD_CLOEXEC)) ||
	       fail("--reloaded: descriptor %d is not open", fd);
}

/* set by reload.c, in front of the words of the former run */
static bool set_reloaded(struct options *o, char *text)
{
	struct reloaded *to = &o->reloaded;
	unsigned long long v[10];
	const char *at = text;

	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		if (!take_field(&at, i == 7 || i == 8 ? ~0ull : INT_MAX, &v[i]))
			return fail("--reloaded: malformed value");
	if (v[9] > strlen(at))
		return fail("--reloaded: malformed value");
	*to = (struct reloaded){.globals = (int)v[0],
				.output = (int)v[1],
				.files = (unsigned)v[2],
				.script = (int)v[3],
				.old = (int)v[4],
				.status = (int)v[5],
				.ends = v[6],
				.mask = v[7],
				.stopped = v[8],
				.path = xstrndup(at, v[9]),
				.old_path = at + v[9]};
	script_fd = to->script;
	return keep_descriptor(to->globals) && keep_descriptor(to->output) &&
	       keep_descriptor(to->script) && keep_descriptor(to->old);
}

/* --fd=N and the like: the command does not inherit it. */
static bool set_descriptor(const char *option, const char *text, int *to)
{
	unsigned fd;

	if (!number(text, option, INT_MAX, &fd))
		return false;
	*to = (int)fd;
	return !fcntl(*to, F_SETFD, *to > STDERR_FILENO ? FD_CLOEXEC : 0) ||
	       fail("%s %s: %s", option, text, strerror(errno));
}

static bool set_ready_fd(struct options *o, char *text)
{
	return o->reloaded.path || set_descriptor("--ready-fd", text, &o->ready_fd);
}

static bool set_script_fd(struct options *o, char *text)
{
	return o->reloaded.path || set_descriptor("--fd", text, &script_fd);
}

static bool set_verbose(struct options *o, char *text)
{
	(void)o, (void)text;
	verbose++;
	return true;
}

static bool set_action(struct options *o, enum action action)
{
	o->action = action;
	return true;
}

static bool set_attach(struct options *o, char *text)
{
	(void)text;
	return set_action(o, ACT_ATTACH);
}

static bool set_remove(struct options *o, char *text)
{
	(void)text;
	return set_action(o, ACT_REMOVE);
}

static bool set_help(struct options *o, char *text)
{
	(void)text;
	return set_action(o, ACT_HELP);
}

static bool set_version(struct options *o, char *text)
{
	(void)text;
	return set_action(o, ACT_VERSION);
}

static bool set_list_runs(struct options *o, char *text)
{
	(void)text;
	return set_action(o, ACT_LIST_RUNS);
}

static bool set_choose(struct options *o, char *text)
{
	(void)text;
	return set_action(o, ACT_CHOOSE);
}

static bool set_cleanup(struct options *o, char *text)
{
	o->cleanup = text;
	return set_action(o, ACT_CLEANUP);
}

/* set by ustap, which cannot examine a process itself */
static bool set_permit(struct options *o, char *text)
{
	unsigned pid = 0;

	o->action = ACT_PERMIT;
	if (!number(text, "--permit", INT_MAX, &pid))
		return false;
	add_pid(o, (pid_t)pid);
	return true;
}

/* ------------------------------------------------------- the rows */

enum { NO_VALUE = no_argument, VALUE = required_argument, MAY_HAVE_VALUE = optional_argument };

struct option_row {
	const char *name;
	char letter;
	int value;
	enum { FLAG, TEXT, NUMBER, CALL } how;
	size_t field;  /* FLAG, TEXT, NUMBER: offset in struct options */
	unsigned most; /* NUMBER */
	bool (*set)(struct options *o, char *text); /* CALL */
};

#define SET_FLAG(member) .how = FLAG, .field = offsetof(struct options, member)
#define SET_TEXT(member) .how = TEXT, .field = offsetof(struct options, member)
#define SET_NUMBER(member, max) \
	.how = NUMBER, .field = offsetof(struct options, member), .most = (max)
#define SET_CALL(x) .how = CALL, .set = set_##x

/* clang-format off */
static const struct option_row rows[] = {
#define STAPRUN_OPTION(NAME, LETTER, VALUE, HOW, ...) \
	{.name = NAME, .letter = LETTER, .value = VALUE, SET_##HOW},
#define BOTH_OPTION STAPRUN_OPTION
#include "options/options.def"
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof *rows, LONG_BASE = 256 };

static bool set_number(const struct option_row *row, const char *text, unsigned *value)
{
	char name[32] = {'-', row->letter};

	if (row->name)
		snprintf(name, sizeof name, "--%s", row->name);
	*value = 1;
	return !text || number(text, name, row->most, value);
}

/* C: result of getopt_long(). */
static bool set_option(struct options *o, int c)
{
	const struct option_row *row = rows;
	char *field;

	while (row < rows + ROWS &&
	       (c < LONG_BASE ? row->letter != c : row - rows != c - LONG_BASE))
		row++;
	if (row == rows + ROWS)
		return hint("see: staprun --help");
	field = (char *)o + row->field;
	switch (row->how) {
	case FLAG:
		*(bool *)field = true;
		break;
	case TEXT:
		*(const char **)field = optarg;
		break;
	case NUMBER:
		return set_number(row, optarg, (unsigned *)field);
	case CALL:
		return row->set(o, optarg);
	}
	return true;
}

/* False after a message. */
static bool take_words(struct options *o, int argc, char **argv)
{
	struct option names[ROWS + 1] = {0}, *name = names;
	char letters[2 * ROWS + 1], *letter = letters;
	int c;

	for (int i = 0; i < ROWS; i++) {
		if (rows[i].name)
			*name++ = (struct option){rows[i].name, rows[i].value, NULL, LONG_BASE + i};
		if (rows[i].letter)
			*letter++ = rows[i].letter;
		if (rows[i].letter && rows[i].value == VALUE)
			*letter++ = ':';
	}
	*letter = 0;
	optind = 0; /* start anew, also in a test that parses twice */
	while ((c = getopt_long(argc, argv, letters, names, NULL)) != -1)
		if (!set_option(o, c))
			return false;
	if (o->otlp && format_is_text(o->format))
		o->format = &format_otlp;
	no_warnings = o->no_warnings;
	explain_mode = o->explain;
	return true;
}

/* ------------------------------------------------------- options together */

static bool reload_agrees(const struct options *o)
{
	if (!o->reload)
		return !o->reloaded.path || wrong("--reloaded needs --reload");
	if (o->action != ACT_RUN || o->leave || o->command || o->seconds || o->timeout)
		return wrong("--reload is for scripts that run on: -A, -d, -L, -c, -T and "
			     "--timeout are not valid");
	if (o->globals || o->nmerge || o->counts || o->report || o->expect_hits || o->explain ||
	    o->monitor)
		return wrong("--reload is not valid with --globals, --merge, --counts, --report, "
			     "--expect-hits, --explain or --monitor, which are of one run");
	if (!format_is_text(o->format) && o->format != &format_json && o->format != &format_otlp)
		return wrong("--reload is not valid with --output=folded, trace-event or html, "
			     "whose output is one document");
	return true;
}

static bool options_agree(const struct options *o)
{
	if (o->command && o->npids)
		return wrong("-c and -x exclude each other");
	if (o->follow && (o->command || o->npids))
		return wrong("--follow excludes -c and -x");
	if (o->command && o->command[strspn(o->command, " \t\n")] == 0)
		return wrong("-c: the command is empty");
	if (o->action != ACT_RUN && (o->command || o->npids || o->follow || o->leave))
		return wrong("-c, -x, --follow and -L are not valid with -A or -d");
	if (o->leave && (o->command || o->seconds || o->timeout))
		return wrong("-L leaves the script running: -c, -T and --timeout cannot stop it");
	if (o->leave && (o->explain || o->expect_hits || o->strict || o->report))
		return wrong("-L leaves the script running: --explain, --expect-hits, --strict and "
			     "--report need its end");
	if (o->action != ACT_RUN && (o->ready_fd >= 0 || o->ready_command))
		return wrong("--ready-fd and --ready-command are not valid with -A or -d");
	if (o->monitor && (o->leave || o->action != ACT_RUN))
		return wrong("--monitor is not valid with -L, -A or -d");
	if (o->prometheus && (o->leave || o->action != ACT_RUN || o->monitor || o->format->in_page))
		return wrong("--prometheus is not valid with -L, -A, -d, --monitor or "
			     "--output=html");
	if (o->otlp && (o->leave || o->action != ACT_RUN || o->prometheus))
		return wrong("--otlp is not valid with -L, -A, -d or --prometheus");
	if (o->otlp && o->format != &format_otlp)
		return wrong("--otlp posts OTLP: leave out --output");
	if (o->monitor && !format_is_text(o->format) && !o->format->view_end)
		return wrong("--monitor is not valid with this --output format");
	if (o->file_mb && !format_is_text(o->format) && o->format != &format_json &&
	    o->format != &format_otlp)
		return wrong("-S is not valid with --output=folded, trace-event or html, whose "
			     "output is one document");
	if (o->file_mb && !o->output)
		return wrong("-S needs a file name: -o FILE");
	if (o->action != ACT_RUN && o->target_namespaces)
		return wrong("--target-namespaces is not valid with -A or -d");
	if (o->merge && (o->command || o->npids || o->follow || o->action != ACT_RUN))
		return wrong("--merge runs end probes only; -c, -x, --follow, -A and -d are not "
			     "valid");
	if (o->globals && (o->leave || o->action != ACT_RUN))
		return wrong("--globals is not valid with -L, -A or -d");
	if (o->interval && (!o->globals || o->nmerge))
		return wrong("--interval needs --globals, and is not valid with --merge");
	if (o->globals_mark && !o->interval)
		return wrong("--globals-mark needs --interval");
	if (o->globals_mark && strlen(o->globals_mark) > LONGEST_MARK)
		return wrong("--globals-mark: the word is too long");
	if (!reload_agrees(o))
		return false;
	if (o->target_status && !o->command)
		return wrong("--target-status needs -c");
	if (o->children && !o->command && !o->npids && !o->follow)
		return wrong("--children needs -c or -x");
	return true;
}

bool parse_options(struct options *o, int argc, char **argv)
{
	memset(o, 0, sizeof *o);
	o->format = format_find("text");
	o->ready_fd = -1;
	if (!take_words(o, argc, argv))
		return false;
	if (o->action == ACT_HELP || o->action == ACT_VERSION || o->action == ACT_REPORT ||
	    o->action == ACT_PERMIT || o->action == ACT_LIST_RUNS || o->action == ACT_CLEANUP)
		return true;
	if (o->action == ACT_CHOOSE) {
		o->choices = (const char *const *)argv + optind;
		o->nchoices = (size_t)(argc - optind);
		return o->nchoices || wrong("--choose needs files that ustap built");
	}
	o->module = o->reloaded.path ? o->reloaded.path : argv[optind];
	for (o->given = argv + optind + 1; optind + 1 + (int)o->ngiven < argc; o->ngiven++)
		if (!module_param_check(o->given[o->ngiven]))
			return wrong("only NAME=VALUE arguments may follow the module");
	if (o->ngiven && o->action != ACT_RUN)
		return wrong("NAME=VALUE is not valid with -A or -d: globals are set before the "
			     "script starts");
	if (!o->module && o->action == ACT_RUN)
		return wrong("missing argument: module");
	if (script_fd >= 0 && o->action != ACT_RUN)
		return wrong("--fd is not valid with -A or -d");
	if (!options_agree(o))
		return false;
	if (o->reloaded.path)
		o->ready_command = NULL;
	if (!o->module && (o->action == ACT_ATTACH || o->action == ACT_REMOVE))
		o->action = ACT_LIST;
	return true;
}

bool options_fit_user(const struct options *o)
{
	if (o->leave)
		return wrong("-L is valid only for kernel modules: a script of the user runtime "
			     "ends with staprun");
	return true;
}
