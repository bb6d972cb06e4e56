/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options: the command line to struct options and struct limits. */
#include "arch/arch.h"
#include "config.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "base/proc_root.h"
#include "passes.h"

static const char help_text[] =
	"Usage: ustap [OPTION]... SCRIPT [ARGUMENT]...\n"
	"       ustap [OPTION]... -e TEXT [ARGUMENT]...\n"
	"       ustap --prepare [-r RELEASE]\n"
	"       ustap --remote=HOST[,HOST...] [OPTION]... SCRIPT [ARGUMENT]...\n"
	"       ustap bundle [OPTION]... SCRIPT -o DIRECTORY|ARCHIVE\n"
	"       ustap -l PATTERN | -L PATTERN\n"
	"       ustap --dump-probe-types | --dump-probe-aliases | --dump-functions\n"
	"Trace programs and the Linux kernel with SystemTap scripts.\n"
	"\n"
#define SECTION(help, page)                                                    help "\n"
#define USTAP_OPTION(name, letter, value, how, takes, choices, says, help)     help
#define BOTH_OPTION(name, letter, value, how, takes, choices, says, help, ...) help
#include "../../runtime/include/options/options.def"
	"\n"
	"ustap --help=OPTION describes one option; ustap(1) describes all. Other options of\n"
	"stap(1) are accepted without effect or refused with an alternative.\n"
	"Exit status: 0 success; 1 an error in the script or at run time; 2 a wrong option;\n"
	"for others see staprun(8).\n";

/* ------------------------------------------------------------- getopt */

enum { FOLDED_STRINGLEN = 2048, FOLDED_FRAMES = 128 };
enum { LONG_BASE = 256 }; /* getopt_long() gives LONG_BASE + row for a long name */

/* Options may follow the script, as in `ustap t.stp -x 5`; "--" ends them. */
static const char *short_options(void)
{
	struct strbuf sb = {0};

	sb_add(&sb, ":");
	for (size_t i = 0; i < option_count; i++)
		if (option_rows[i].letter)
			sb_printf(&sb, "%c%s", option_rows[i].letter,
				  option_rows[i].value == VALUE ? ":" : "");
	return sb.s;
}

static const struct option *long_options(void)
{
	struct option *all = xalloc((option_count + 1) * sizeof *all);
	size_t n = 0;

	for (size_t i = 0; i < option_count; i++)
		if (option_rows[i].name)
			all[n++] = (struct option){option_rows[i].name, (int)option_rows[i].value,
						   NULL, LONG_BASE + (int)i};
	return all;
}

/* The row that getopt_long()'s result C or optopt means; NULL for none. */
static const struct option_row *row_of(int c)
{
	if (c >= LONG_BASE)
		return &option_rows[c - LONG_BASE];
	for (size_t i = 0; i < option_count; i++)
		if (c && option_rows[i].letter == c)
			return &option_rows[i];
	return NULL;
}

/* As it was written: option_row_name() of a row with both names is the long one. */
static const char *option_name(int c)
{
	return c >= LONG_BASE ? option_row_name(&option_rows[c - LONG_BASE]) : xprintf("-%c", c);
}

/* ------------------------------------------------------------- errors */

static void unknown_long(const char *word)
{
	name_vec names = {0};
	const char *near;

	for (size_t i = 0; i < option_count; i++)
		if (option_rows[i].name && option_rows[i].how != REFUSED)
			vec_push(&names, option_rows[i].name);
	option_error("unknown option %s", word);
	near = nearest(xstrndup(word + 2, strcspn(word + 2, "=")), names.v, names.n);
	if (near)
		diag_hint("did you mean --%s?", near);
	else
		diag_hint("see ustap --help; put -- before script arguments that begin with -");
}

/* getopt_long() returned '?' or ':'; optopt is the option, 0 for an unknown long one. */
static void bad_option(int what, char **argv)
{
	if (what == ':') {
		option_error("%s needs a value", option_name(optopt));
	} else if (optopt >= LONG_BASE) {
		option_error("%s takes no value", option_name(optopt));
	} else if (optopt) {
		option_error("unknown option -%c", optopt);
		diag_hint("see ustap --help; put -- before script arguments that begin with -");
	} else {
		unknown_long(argv[optind - 1]);
	}
}

static bool is_unprivileged(const struct options *o)
{
	return strcmp(o->privilege, "stapdev") != 0;
}

static bool needs_script(const struct options *o)
{
	return !o->prepare && !o->clean_cache && !o->show_cache && !o->list_runs && !o->cleanup &&
	       !o->system_report && !o->interactive && !o->language_server &&
	       o->list == LIST_NOTHING;
}

/* Nothing is built for another architecture, so nothing runs there either. */
static void check_foreign(const struct options *o)
{
	if (o->interactive || o->prepare || (needs_script(o) && o->stop_after > 3 && !o->dump))
		option_error("-a %s: scripts for %s cannot be built or run yet: use -p3 for the C "
			     "code, -l and -L for probe points and variables",
			     arch_target()->name, arch_target()->name);
}

static void check_prometheus(const struct options *o)
{
	if (o->monitor || o->format == FORMAT_HTML || o->flight || o->list)
		option_error("--prometheus cannot be combined with --monitor, --output=html, -F, "
			     "-l, -L and the --dump options");
#ifndef HAVE_LIBMICROHTTPD
	if (strcmp(o->prometheus + strlen(o->prometheus) -
			   (strlen(o->prometheus) < 5 ? strlen(o->prometheus) : 5),
		   ".prom") != 0) {
		option_error("--prometheus=%s: this ustap was built without libmicrohttpd, so it "
			     "has no server",
			     o->prometheus);
		diag_hint("install libmicrohttpd-dev and build ustap again, or write a file: "
			  "--prometheus=FILE.prom");
	}
#endif
}

static void check_otlp(const struct options *o)
{
	if (o->prometheus || o->flight || o->list)
		option_error("--otlp cannot be combined with --prometheus, -F, -l, -L and the "
			     "--dump options");
	if (o->format != FORMAT_OTLP)
		option_error("--otlp posts OTLP: leave out --output");
#ifndef HAVE_OTLP
	option_error("--otlp=%s: this ustap was built without libcurl and json-c, so it cannot "
		     "post",
		     o->otlp);
	diag_hint("install libcurl4-openssl-dev and libjson-c-dev and build ustap again, or write "
		  "a file: --output=otlp -o FILE");
#endif
}

static void check_together(const struct options *o)
{
	bool process = o->pids.n || o->process_names.n;

	if (o->command && process)
		option_error("-c and -x cannot be combined: a run has one target");
	if (o->follow && (o->command || process))
		option_error("--follow cannot be combined with -c or -x");
	if (o->follow && o->runtime == RT_KERNEL)
		option_error("--follow cannot be combined with --runtime=kernel, which probes all "
			     "processes that run a program, also later ones");
	/* of -p4 the target is named to staprun */
	if (o->children && !o->command && !process && !o->follow && o->stop_after >= 5)
		option_error("--children needs a target: -c or -x");
	if (o->target_status && !o->command && o->stop_after >= 5)
		option_error(
			"--target-status returns the exit status of a command: give one with -c");
	if (o->release && o->runtime == RT_USER)
		option_error("-r cannot be combined with --runtime=user, which does not build for "
			     "a kernel");
	if (is_unprivileged(o) && o->guru)
		option_error("-g cannot be combined with --privilege: only privileged users may "
			     "use guru mode");
	if (is_unprivileged(o) && o->runtime == RT_KERNEL)
		option_error("--runtime=kernel cannot be combined with --privilege: leave out "
			     "--privilege or use --runtime=user");
	if (o->no_time_limits && !o->guru)
		option_error(
			"--suppress-time-limits can hang the machine and needs guru mode (-g)");
	if ((o->explain || o->expect_hits || o->strict || o->timeout || o->report) && o->flight)
		option_error("-F returns before the run ends: leave out --explain, --expect-hits, "
			     "--report, --strict and --timeout");
	if (o->format == FORMAT_FOLDED && o->monitor)
		option_error("--monitor cannot be combined with --output=folded");
	if (o->format > FORMAT_JSON && o->format != FORMAT_OTLP && (o->rotation || o->flight))
		option_error("--output=folded, trace-event and html write one complete file at the "
			     "end: leave out -S and -F");
	if (o->rotation && !o->output)
		option_error("-S limits the size of an output file: name the file with -o");
	if (o->sign)
		option_error("--sign is valid only for ustap bundle");
	if (o->reload && (o->command || o->flight || o->merge || o->remote.n || o->monitor))
		option_error("--reload is for scripts that run on: it cannot be combined with -c, "
			     "-F, --merge, --remote and --monitor");
	if (o->prometheus)
		check_prometheus(o);
	if (o->otlp)
		check_otlp(o);
	if (arch_target() != arch_host() || !arch_target()->has_runtime)
		check_foreign(o);
	if (*sysroot() && needs_script(o) && o->stop_after > 4 && !o->dump)
		option_error(
			"--sysroot: the script is for another system: use -p4 or less, -l or -L");
	if (*sysroot() && o->pids.n)
		option_error("--sysroot cannot be combined with -x, a process of this system");
	if (o->build_as && o->remote.n)
		option_error("--build-as cannot be combined with --remote, for which nothing here "
			     "runs as root");
	if (o->build_as && !needs_script(o) && !o->list && !o->prepare)
		option_error("--build-as builds a script: it cannot be combined with this option");
	if (o->example && !o->script_file)
		option_error("--example needs the name of an example as the script");
	if (o->monitor && o->list)
		option_error("--monitor cannot be combined with -l, -L and the --dump options, "
			     "which run nothing");
	if (!needs_script(o))
		return;
	if (!o->exprs.n && !o->script_file) {
		option_error("no script: give a file or -e TEXT");
		diag_hint("for example: ustap -e 'probe begin { println(\"hello\") exit() }'");
	}
}

/* ------------------------------------------------------------- the words */

static void set_option(struct session *s, int c, const char *arg)
{
	const struct option_row *row = row_of(c);
	char *field = (char *)&s->opt + row->field;

	switch (row->how) {
	case FLAG:
		*(bool *)field = true;
		break;
	case TEXT:
		*(const char **)field = arg;
		break;
	case TEXTS:
		vec_push((text_vec *)field, arg);
		break;
	case CALL:
		row->set(s, arg);
		break;
	case NUMBER:
		*(int64_t *)field = arg ? option_number(option_row_name(row), arg, 1, row->most)
					: 1;
		break;
	case NOTHING:
		break;
	case REFUSED:
		option_error("ustap does not support %s", option_name(c));
		diag_hint("%s", row->instead);
		break;
	}
}

/* --help=NAME; false after an error. */
static bool print_option_help(const char *name)
{
	const char *text = option_help(name), *bare = name + strspn(name, "-");

	if (text) {
		fputs(text, stdout);
		return true;
	}
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->how == REFUSED &&
		    (row->name ? !strcmp(row->name, bare) : bare[0] == row->letter && !bare[1])) {
			option_error("ustap does not support %s", option_row_name(row));
			diag_hint("%s", row->instead);
			return false;
		}
	}
	option_error("--help: unknown option \"%s\"", name);
	diag_hint("ustap --help lists the options");
	return false;
}

/* True if one of the words was --help or --version, which was answered. */
static bool take_words(struct session *s, int argc, char **argv)
{
	const struct option *all = long_options();
	const char *letters = short_options();
	int c;

	optind = 0; /* start anew */
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, all, NULL)) != -1) {
		const struct option_row *row = row_of(c);

		if (row && row->letter == 'h') {
			if (!optarg)
				fputs(help_text, stdout);
			else if (!print_option_help(optarg))
				continue;
			return true;
		}
		if (row && row->letter == 'V') {
			puts("ustap " PACKAGE_VERSION);
			return true;
		}
		if (c == '?' || c == ':')
			bad_option(c, argv);
		else
			set_option(s, c, optarg);
	}
	return false;
}

static void take_rc(struct session *s)
{
	text_vec words = {0};

	vec_push(&words, "ustap");
	rc_words(&words);
	take_words(s, (int)words.n, (char **)words.v);
	if (optind < (int)words.n)
		option_error("\"%s\" in the options file (rc) is not an option", words.v[optind]);
}

void enter_root(const char *root)
{
	if (strcmp(root, "/") != 0)
		sysroot_is(root);
}

static void apply(struct session *s)
{
	struct options *o = &s->opt;

	/* stacks are strings, and wanted whole */
	if (stacks_are_names(s) && !session_defines(s, "MAXSTRINGLEN"))
		s->lim.maxstringlen = FOLDED_STRINGLEN;
	if (stacks_are_names(s) && !session_defines(s, "MAXBACKTRACE"))
		s->lim.maxbacktrace = FOLDED_FRAMES;
	if ((is_unprivileged(o) || o->follow) && o->runtime == RT_AUTO)
		o->runtime = RT_USER;
	if (o->suppress_errors)
		s->lim.maxskipped = INT32_MAX;
	if (o->no_time_limits)
		s->lim.maxaction = INT32_MAX;
	if (o->no_time_limits || session_defines(s, "STP_NO_OVERLOAD"))
		s->lim.overload_threshold = 0;
	if (o->list == LIST_POINTS || o->list == LIST_VARIABLES)
		o->unoptimized = o->skip_badvars = o->no_warnings = true;
	limits_settle(&s->lim);
	diag_set_quiet_warnings(o->no_warnings);
	diag_set_strict(o->warnings_are_errors);
}

enum options_result options_parse(struct session *s, int argc, char **argv)
{
	int before = diag_errors();

	limits_default(&s->lim);
	s->opt.stop_after = 5;
	s->opt.compatible = COMPATIBLE;
	s->opt.privilege = "stapdev";
	diag_set_color("auto");
	for (int i = 1; i < argc; i++)
		vec_push(&s->opt.words, argv[i]);
	take_rc(s);
	if (take_words(s, argc, argv))
		return OPTIONS_DONE;
	if (s->opt.otlp && s->opt.format == FORMAT_TEXT)
		s->opt.format = FORMAT_OTLP;
	if (!s->opt.exprs.n && optind < argc)
		s->opt.script_file = argv[optind++];
	if (s->opt.example && s->opt.script_file)
		s->opt.script_file = example_path(s->opt.script_file);
	s->opt.argc = argc - optind;
	s->opt.argv = argv + optind;
	environment_options(s);
	if (!s->opt.remote.n) {
		find_processes(s);
		enter_root(s->opt.roots.n ? s->opt.roots.v[s->opt.roots.n - 1] : "/");
	}
	if (diag_errors() == before)
		check_together(&s->opt);
	if (diag_errors() == before)
		check_remote_options(s);
	apply(s);
	return diag_errors() > before ? OPTIONS_WRONG : OPTIONS_OK;
}
