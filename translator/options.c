/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options: the command line to struct options and struct limits. */
#include "config.h"
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "options.h"

static const char help_text[] =
	"Usage: ustap [OPTION]... SCRIPT [ARGUMENT]...\n"
	"       ustap [OPTION]... -e TEXT [ARGUMENT]...\n"
	"       ustap --prepare [-r RELEASE]\n"
	"Trace user-space programs with a SystemTap script.\n"
	"\n"
	"Script\n"
	"  -e TEXT            the script itself instead of a file; \"-\" as SCRIPT reads standard input\n"
	"  -I DIR             look for library functions there first\n"
	"  -D NAME=VALUE      set a limit: MAXACTION, MAXNESTING, MAXSTRINGLEN, MAXMAPENTRIES,\n"
	"                     MAXERRORS, MAXSKIPPED\n"
	"  -g                 guru mode (accepted; nothing needs it yet)\n"
	"  -w                 no warnings\n"
	"Target\n"
	"  -c COMMAND         run COMMAND, trace it alone, stop when it ends\n"
	"  -x PID             trace process PID alone, stop when it ends; may be repeated\n"
	"      --children     with -c or -x: and the processes it starts\n"
	"      --target-status  exit with the status of the -c COMMAND\n"
	"Run\n"
	"  -o FILE            write the output there\n"
	"  -s MB              buffer of each processor in megabytes (1)\n"
	"  -T SECONDS         stop after that time\n"
	"      --runtime=R    kernel (a module), user (code in the traced process: no root, no\n"
	"                     kernel headers), or auto: kernel where it works, else user (auto)\n"
	"Build\n"
	"  -p N               stop after pass 1 parse, 2 analysis, 3 C text, 4 build, 5 run\n"
	"  -r RELEASE         build for that kernel, or for the kernel build tree of that name\n"
	"  -m NAME            name of the module, which is also put here: NAME.ko or NAME.ust\n"
	"  -k                 keep the temporary directory\n"
	"      --prepare      make scripts for this kernel (-r) build fast, and exit\n"
	"Look\n"
	"  -v                 say what is done and how long it takes; -vv, -vvv say more\n"
	"      --dump=PASS    print what PASS made, and exit: parse, resolve, points, prune,\n"
	"                     types, locks, emit\n"
	"  -V, --version      print the version\n"
	"  -h, --help         print this\n"
	"\n"
	"Exit status: 0 all went well; 1 an error in the script or while it ran; 2 a wrong option;\n"
	"others are staprun(8)'s.\n";

enum { OPT_DUMP = 256, OPT_RUNTIME, OPT_PREPARE, OPT_CHILDREN, OPT_TARGET_STATUS };

/* Options may follow the script, as in `ustap t.stp -x 5`; "--" ends them. */
static const char short_options[] = ":e:o:p:vkm:r:D:I:T:wgc:x:s:Vh";

static const struct option long_options[] = {
	{"dump", required_argument, NULL, OPT_DUMP},
	{"runtime", required_argument, NULL, OPT_RUNTIME},
	{"prepare", no_argument, NULL, OPT_PREPARE},
	{"children", no_argument, NULL, OPT_CHILDREN},
	{"target-status", no_argument, NULL, OPT_TARGET_STATUS},
	{"version", no_argument, NULL, 'V'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

const char *const dump_passes[] = {"parse", "resolve", "points", "prune", "types", "locks", "emit", NULL};

/* ------------------------------------------------------------- values */

static void option_error(const char *fmt, ...)
{
	va_list ap, ap2;
	int n;
	char *msg;

	va_start(ap, fmt);
	va_copy(ap2, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	msg = xalloc((size_t)n + 1);
	vsnprintf(msg, (size_t)n + 1, fmt, ap2);
	va_end(ap2);
	va_end(ap);
	diag_error(E_OPTION, (struct loc){0}, "%s", msg);
}

static int64_t number(const char *option, const char *text, int64_t min, int64_t max)
{
	char *end;
	int64_t n;

	errno = 0;
	n = strtoll(text, &end, 0);
	if (errno || end == text || *end || n < min || n > max) {
		option_error("%s takes a number from %" PRId64 " to %" PRId64 ", not \"%s\"", option, min,
			     max, text);
		return min;
	}
	return n;
}

static enum runtime runtime_named(const char *text)
{
	static const char *const names[] = {"auto", "kernel", "user"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(text, names[i]))
			return (enum runtime)i;
	option_error("--runtime takes auto, kernel or user, not \"%s\"", text);
	return RT_AUTO;
}

static void check_dump(const char *pass)
{
	size_t n = 0;
	const char *near;

	for (; dump_passes[n]; n++)
		if (!strcmp(dump_passes[n], pass))
			return;
	option_error("--dump: there is no pass \"%s\"", pass);
	near = nearest(pass, dump_passes, n);
	if (near)
		diag_hint("did you mean --dump=%s?", near);
	else
		diag_hint("passes are parse, resolve, points, prune, types, locks, emit");
}

static void check_module_name(const char *name)
{
	size_t ok = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	if (!*name || name[ok])
		option_error("-m: a module's name is letters, digits and _, not \"%s\"", name);
	else if (strlen(name) > 50)
		option_error("-m: a module's name has at most 50 characters");
}

static void check_directory(const char *dir)
{
	struct stat st;

	if (stat(dir, &st))
		option_error("-I %s: %s", dir, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		option_error("-I %s: %s", dir, strerror(ENOTDIR));
}

/* ------------------------------------------------------------- limits */

struct limit_name { const char *name; size_t offset; int64_t min, max, def; };

#define LIMIT(name, field, min, max, def) {name, offsetof(struct limits, field), min, max, def}
static const struct limit_name limit_names[] = {
	LIMIT("MAXACTION", maxaction, 1, INT32_MAX, 1000),
	LIMIT("MAXNESTING", maxnesting, 1, 100, 10),
	LIMIT("MAXSTRINGLEN", maxstringlen, 16, 4096, 512),
	LIMIT("MAXMAPENTRIES", maxmapentries, 1, 1 << 24, 2048),
	LIMIT("MAXERRORS", maxerrors, 0, INT32_MAX, 0),
	LIMIT("MAXSKIPPED", maxskipped, 0, INT32_MAX, 100),
};

static int64_t *limit_value(struct limits *lim, const struct limit_name *l)
{
	return (int64_t *)((char *)lim + l->offset);
}

static void unknown_limit(const char *name)
{
	const char *names[ARRAY_LEN(limit_names)], *near;

	for (size_t i = 0; i < ARRAY_LEN(limit_names); i++)
		names[i] = limit_names[i].name;
	option_error("-D: there is no limit \"%s\"", name);
	near = nearest(name, names, ARRAY_LEN(names));
	if (near)
		diag_hint("did you mean %s?", near);
	else
		diag_hint("limits are MAXACTION MAXNESTING MAXSTRINGLEN MAXMAPENTRIES MAXERRORS MAXSKIPPED");
}

static void set_limit(struct limits *lim, const char *define)
{
	const char *eq = strchr(define, '=');
	const char *name = eq ? xstrndup(define, (size_t)(eq - define)) : define;

	for (size_t i = 0; i < ARRAY_LEN(limit_names); i++) {
		const struct limit_name *l = &limit_names[i];

		if (strcmp(l->name, name))
			continue;
		if (eq)
			*limit_value(lim, l) = number(xprintf("-D %s", name), eq + 1, l->min, l->max);
		else
			option_error("-D %s needs a value: -D %s=N", name, name);
		return;
	}
	unknown_limit(name);
}

/* ------------------------------------------------------------- options */

static void set_option(struct session *s, int opt, const char *arg)
{
	struct options *o = &s->opt;

	switch (opt) {
	case 'e': vec_push(&o->exprs, arg); break;
	case 'o': o->output = arg; break;
	case 'p': o->stop_after = (int)number("-p", arg, 1, 5); break;
	case 'v': verbose++; break;
	case 'k': o->keep = true; break;
	case 'm': o->module_name = arg, check_module_name(arg); break;
	case 'r': o->release = arg; break;
	case 'D':
		vec_push(&o->defines, arg);
		set_limit(&s->lim, arg);
		break;
	case 'I':
		vec_push(&o->includes, arg);
		check_directory(arg);
		break;
	case 'T': o->time_limit = number("-T", arg, 1, INT32_MAX); break;
	case 'w': o->no_warnings = true; break;
	case 'g': o->guru = true; break;
	case 'c': o->cmd = arg; break;
	case 'x': vec_push(&o->pids, number("-x", arg, 1, INT32_MAX)); break;
	case 's': o->buffer_mb = number("-s", arg, 1, 4095); break;
	case OPT_DUMP: o->dump = arg, check_dump(arg); break;
	case OPT_RUNTIME: o->runtime = runtime_named(arg); break;
	case OPT_PREPARE: o->prepare = true; break;
	case OPT_CHILDREN: o->children = true; break;
	case OPT_TARGET_STATUS: o->target_status = true; break;
	}
}

static const char *long_name(int val)
{
	for (size_t i = 0; i < ARRAY_LEN(long_options) - 1; i++)
		if (long_options[i].val == val)
			return long_options[i].name;
	return NULL;
}

static const char *option_name(int val) { return val < 256 ? xprintf("-%c", val) : xprintf("--%s", long_name(val)); }

static void unknown_long(const char *word)
{
	const char *names[ARRAY_LEN(long_options)], *near;
	size_t n = 0;

	for (; long_options[n].name; n++)
		names[n] = long_options[n].name;
	option_error("there is no option %s", word);
	near = nearest(xstrndup(word + 2, strcspn(word + 2, "=")), names, n);
	if (near)
		diag_hint("did you mean --%s?", near);
	else
		diag_hint("ustap --help lists them; -- goes before arguments of the script that begin with -");
}

/* getopt_long() returned '?' or ':'; optopt is the option, 0 for an unknown long one. */
static void bad_option(int what, char **argv)
{
	if (what == ':') {
		option_error("%s needs a value", option_name(optopt));
	} else if (optopt && long_name(optopt)) {
		option_error("--%s takes no value", long_name(optopt));
	} else if (optopt) {
		option_error("there is no option -%c", optopt);
		diag_hint("ustap --help lists them; -- goes before arguments of the script that begin with -");
	} else {
		unknown_long(argv[optind - 1]);
	}
}

static void check_together(const struct options *o)
{
	if (o->cmd && o->pids.n)
		option_error("-c and -x exclude each other: one run has one target");
	if (o->children && !o->cmd && !o->pids.n)
		option_error("--children needs a target: -c or -x");
	if (o->target_status && !o->cmd)
		option_error("--target-status needs the command whose status it is: -c");
	if (o->release && o->runtime == RT_USER)
		option_error("-r names a kernel to build for, and --runtime=user builds for none");
	if (!o->exprs.n && !o->script_file && !o->prepare) {
		option_error("no script: give a file or -e TEXT");
		diag_hint("for example: ustap -e 'probe begin { println(\"hello\") exit() }'");
	}
}

enum options_result options_parse(struct session *s, int argc, char **argv)
{
	int c;

	for (size_t i = 0; i < ARRAY_LEN(limit_names); i++)
		*limit_value(&s->lim, &limit_names[i]) = limit_names[i].def;
	s->opt.stop_after = 5;
	opterr = 0;
	while ((c = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(help_text, stdout);
			return OPTIONS_DONE;
		}
		if (c == 'V') {
			puts("ustap " PACKAGE_VERSION);
			return OPTIONS_DONE;
		}
		if (c == '?' || c == ':')
			bad_option(c, argv);
		else
			set_option(s, c, optarg);
	}
	if (!s->opt.exprs.n && optind < argc)
		s->opt.script_file = argv[optind++];
	s->opt.argc = argc - optind;
	s->opt.argv = argv + optind;
	check_together(&s->opt);
	diag_set_quiet_warnings(s->opt.no_warnings);
	return diag_errors() ? OPTIONS_WRONG : OPTIONS_OK;
}
