/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options: the command line to struct options and struct limits. */
#include "config.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "passes.h"

static const char help_text[] =
	"Usage: ustap [OPTION]... SCRIPT [ARGUMENT]...\n"
	"       ustap [OPTION]... -e TEXT [ARGUMENT]...\n"
	"       ustap --prepare [-r RELEASE]\n"
	"       ustap -l PATTERN | -L PATTERN\n"
	"       ustap --dump-probe-types | --dump-probe-aliases | --dump-functions\n"
	"Trace user-space programs with a SystemTap script.\n"
	"\n"
	"Script\n"
	"  -e TEXT            the script itself instead of a file; \"-\" as SCRIPT reads standard "
	"input\n"
	"  -E TEXT            this script too\n"
	"  -I DIR             look for library functions there first\n"
	"  -D NAME=VALUE      set a limit: MAXACTION, MAXNESTING, MAXSTRINGLEN, MAXMAPENTRIES,\n"
	"                     MAXERRORS, MAXSKIPPED, MAXBACKTRACE\n"
	"  -G NAME=VALUE      the initial value of a global\n"
	"  -g                 guru mode: allow what may do harm\n"
	"  -u                 do not optimise\n"
	"  -w, -W             no warnings; warnings are errors\n"
	"  -d FILE, --ldd     the symbols of FILE, of all libraries, are wanted\n"
	"      --no-demangle  print symbols of C++ and Rust as the program has them\n"
	"      --skip-badvars  target variables that are not there read as 0\n"
	"      --compatible V  what scripts ask of systemtap_v, up to " COMPATIBLE "\n"
	"      --check-version  say what depends on that version\n"
	"      --privilege=L, --unprivileged  only what stapusr (stapsys, stapdev) may do\n"
	"      --no-global-var-display  do not show globals that nothing reads at the end\n"
	"      --no-end-after-error  run no end probes after a run-time error, as SystemTap\n"
	"List\n"
	"  -l PATTERN         the probe points that PATTERN stands for\n"
	"  -L PATTERN         the same, with the variables there\n"
	"Target\n"
	"  -c COMMAND         run COMMAND, trace it alone, stop when it ends\n"
	"  -x PID | NAME      trace this process alone, stop when it ends; may be repeated\n"
	"      --children     with -c or -x: and the processes it starts\n"
	"      --target-status  exit with the status of the -c COMMAND\n"
	"      --ready-fd=N   write \"ready\" to descriptor N when all probes are armed\n"
	"      --ready-command=COMMAND  run COMMAND then\n"
	"      --quiet        do not say on standard error when probing begins\n"
	"Run\n"
	"  -o FILE            write the output there; %d and the like as in strftime(3)\n"
	"      --output=FORMAT  text, json, folded (stacks for flame graphs) or trace-event\n"
	"                     (for Perfetto and Chrome)\n"
	"  -S MB[,N]          with -o: begin another file after MB, keep N files\n"
	"  -s MB              buffer of each processor in megabytes (1)\n"
	"  -T SECONDS         stop after that time\n"
	"      --timeout=SECONDS  end it and the command after that time, and exit with status "
	"124\n"
	"      --strict       what is lost, cut, skipped or not placed is a failure: status 4\n"
	"      --expect-hits  so is a probe of processes that was not hit: status 5\n"
	"      --report=tap|junit[:FILE]  at the end what was to hold, and whether it did, for "
	"programs\n"
	"  -F                 leave the script running, with -o in the background\n"
	"  -i, --interactive  type the script line by line\n"
	"      --language-server  serve an editor by LSP on standard input and output\n"
	"  -t                 how often each probe was hit, and how long its handler took\n"
	"      --monitor[=N]  show this and the globals every N seconds (1)\n"
	"      --suppress-handler-errors  errors in probes are counted, nothing else\n"
	"      --suppress-time-limits     no MAXACTION; needs -g\n"
	"      --runtime=R    kernel (a module), user (code in the traced process: no root, no\n"
	"                     kernel headers), or auto: kernel where it works, else user (auto)\n"
	"Build\n"
	"  -p N               stop after pass 1 parse, 2 analysis, 3 C text, 4 build, 5 run\n"
	"  -r RELEASE         build for that kernel, or for the kernel build tree of that name\n"
	"  -m NAME            name of the module, which is also put here: NAME.ko or NAME.ust\n"
	"      --sign-module=KEY,CERT  sign the module, for Secure Boot; without a value with the "
	"key of dkms\n"
	"      --modinfo N=V  put this into the module's information\n"
	"  -R DIR             sources of the runtime\n"
	"  -k                 keep the temporary directory\n"
	"      --tmpdir=DIR   which is this\n"
	"      --prepare      make scripts for this kernel (-r) build fast, and exit\n"
	"      --cache        show what the cache holds: entries, size, last use; with -v "
	"each entry\n"
	"      --clean-cache, --disable-cache, --poison-cache  empty it; do not use it; do not "
	"read it\n"
	"      --rlimit-as=N, -cpu, -nproc, -stack, -fsize  limits of ustap itself, see "
	"setrlimit(2)\n"
	"Look\n"
	"      --list         list scripts in processes and loaded modules, and exit\n"
	"      --cleanup=PID  remove what killed runs have left in that process; or a "
	"module, by its name\n"
	"  -v, --vp=N...      say what is done and how long it takes; -vv, -vvv say more; of pass "
	"N\n"
	"      --explain      say where each probe point is, which variables are there, and what "
	"was hit\n"
	"      --color=WHEN   never, always, or auto: on a terminal\n"
	"      --dump=PASS    print what PASS made, and exit: parse, aliases, resolve, elide,\n"
	"                     points, prune, types, pointers, fold, display, locks, emit\n"
	"  -V, --version      print the version\n"
	"  -h, --help         print this\n"
	"\n"
	"Other options of stap(1) are taken or refused with what to do instead; see ustap(1).\n"
	"Exit status: 0 all went well; 1 an error in the script or while it ran; 2 a wrong "
	"option;\n"
	"others are staprun(8)'s.\n";

const char *const dump_passes[] = {"parse", "aliases", "resolve",  "elide", "points",
				   "prune", "types",   "pointers", "fold",  "display",
				   "locks", "emit",    NULL};

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

static const char *option_name(int c)
{
	return c >= LONG_BASE ? xprintf("--%s", option_rows[c - LONG_BASE].name)
			      : xprintf("-%c", c);
}

/* ------------------------------------------------------------- errors */

static void unknown_long(const char *word)
{
	name_vec names = {0};
	const char *near;

	for (size_t i = 0; i < option_count; i++)
		if (option_rows[i].name && option_rows[i].how != REFUSED)
			vec_push(&names, option_rows[i].name);
	option_error("there is no option %s", word);
	near = nearest(xstrndup(word + 2, strcspn(word + 2, "=")), names.v, names.n);
	if (near)
		diag_hint("did you mean --%s?", near);
	else
		diag_hint("ustap --help lists them; -- goes before arguments of the script that "
			  "begin with -");
}

/* getopt_long() returned '?' or ':'; optopt is the option, 0 for an unknown long one. */
static void bad_option(int what, char **argv)
{
	if (what == ':') {
		option_error("%s needs a value", option_name(optopt));
	} else if (optopt >= LONG_BASE) {
		option_error("%s takes no value", option_name(optopt));
	} else if (optopt) {
		option_error("there is no option -%c", optopt);
		diag_hint("ustap --help lists them; -- goes before arguments of the script that "
			  "begin with -");
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
	       !o->interactive && !o->language_server && o->list == LIST_NOTHING;
}

static void check_together(const struct options *o)
{
	if (o->cmd && o->pids.n)
		option_error("-c and -x exclude each other: one run has one target");
	/* of -p4 the target is named to staprun */
	if (o->children && !o->cmd && !o->pids.n && o->stop_after >= 5)
		option_error("--children needs a target: -c or -x");
	if (o->target_status && !o->cmd && o->stop_after >= 5)
		option_error("--target-status needs the command whose status it is: -c");
	if (o->release && o->runtime == RT_USER)
		option_error("-r names a kernel to build for, and --runtime=user builds for none");
	if (is_unprivileged(o) && o->guru)
		option_error("-g is for the privileged: leave out --privilege or -g");
	if (is_unprivileged(o) && o->runtime == RT_KERNEL)
		option_error("the kernel runtime is for the privileged: leave out --privilege or "
			     "use --runtime=user");
	if (o->no_time_limits && !o->guru)
		option_error(
			"--suppress-time-limits may hang the machine: it needs guru mode (-g)");
	if ((o->explain || o->expect_hits || o->run_strict || o->timeout || o->report) && o->flight)
		option_error("-F does not wait for the end, which --explain, --expect-hits, "
			     "--report, --strict and --timeout are about");
	if (o->format == FORMAT_FOLDED && o->monitor)
		option_error(
			"--monitor has nothing to show in --output=folded: leave out one of them");
	if (o->format > FORMAT_JSON && (o->rotate || o->flight))
		option_error("--output=folded and trace-event make one whole of the output: leave "
			     "out -S and -F");
	if (o->rotate && !o->output)
		option_error("-S cuts a file: give its name with -o");
	if (o->no_warnings && o->warnings_are_errors)
		option_error("-w and -W exclude each other");
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
	case NO_MEANING:
		break;
	case REFUSED:
		option_error("%s is not for ustap", option_name(c));
		diag_hint("%s", row->says);
		break;
	}
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
			fputs(help_text, stdout);
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
		option_error("\"%s\" in a file of options (rc) is none", words.v[optind]);
}

static void apply(struct session *s)
{
	struct options *o = &s->opt;

	/* stacks are strings, and wanted whole */
	if (o->format == FORMAT_FOLDED && !session_defines(s, "MAXSTRINGLEN"))
		s->lim.maxstringlen = FOLDED_STRINGLEN;
	if (o->format == FORMAT_FOLDED && !session_defines(s, "MAXBACKTRACE"))
		s->lim.maxbacktrace = FOLDED_FRAMES;
	if (is_unprivileged(o) && o->runtime == RT_AUTO)
		o->runtime = RT_USER;
	if (o->suppress_errors)
		s->lim.maxskipped = INT32_MAX;
	if (o->no_time_limits)
		s->lim.maxaction = INT32_MAX;
	if (o->no_time_limits || session_defines(s, "STP_NO_OVERLOAD"))
		s->lim.overload_threshold = 0;
	if (o->list == LIST_POINTS || o->list == LIST_VARIABLES)
		o->unoptimized = o->skip_badvars = o->no_warnings = true;
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
	take_rc(s);
	if (take_words(s, argc, argv))
		return OPTIONS_DONE;
	if (!s->opt.exprs.n && optind < argc)
		s->opt.script_file = argv[optind++];
	s->opt.argc = argc - optind;
	s->opt.argv = argv + optind;
	environment_options(s);
	if (diag_errors() == before)
		check_together(&s->opt);
	apply(s);
	return diag_errors() > before ? OPTIONS_WRONG : OPTIONS_OK;
}
