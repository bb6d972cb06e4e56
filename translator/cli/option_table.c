/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Option table: the rows of options.def for ustap, and the functions that take the values of those
 * that are more than a field of struct options.
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "options.h"
#include "arch/arch.h"
#include "base/environment.h"
#include "base/installed.h"
#include "base/proc_root.h"
#include "dwarf/address_maps.h"
#include "passes.h"

/* ------------------------------------------------------------- values */

name_vec option_choices(const char *option)
{
	const struct option_row *row = option_rows;
	name_vec words = {0};

	while (strcmp(option_row_name(row), option))
		row++;
	for (const char *p = row->choices; *p; p += *p == ' ') {
		size_t n = strcspn(p, " ");

		vec_push(&words, xstrndup(p, n));
		p += n;
	}
	return words;
}

/* The index of WORD in the choices of OPTION; -1 if it is not among them. */
static int find_choice(const char *option, const char *word)
{
	name_vec words = option_choices(option);

	for (size_t i = 0; i < words.n; i++)
		if (!strcmp(words.v[i], word))
			return (int)i;
	return -1;
}

/* The choices of OPTION: "a, b or c". */
static const char *either(const char *option)
{
	name_vec words = option_choices(option);
	struct strbuf sb = {0};

	for (size_t i = 0; i < words.n; i++)
		sb_printf(&sb, "%s%s", !i ? "" : i + 1 < words.n ? ", " : " or ", words.v[i]);
	return sb.s;
}

static void wrong_choice(const char *option, const char *word)
{
	option_error("%s takes %s, not \"%s\"", option, either(option), word);
}

static void set_stop_after(struct session *s, const char *arg)
{
	s->opt.stop_after = (int)option_number("-p", arg, 1, 5);
}
/* Compilers that ustap runs shall not hold it open. */
static void set_ready_fd(struct session *s, const char *arg)
{
	int before = diag_errors();

	s->opt.ready_fd = option_number("--ready-fd", arg, 1, INT32_MAX);
	if (diag_errors() == before &&
	    fcntl((int)s->opt.ready_fd, F_SETFD, s->opt.ready_fd > STDERR_FILENO ? FD_CLOEXEC : 0))
		option_error("--ready-fd=%s: %s", arg, strerror(errno));
}

static void set_format(struct session *s, const char *arg)
{
	int i = find_choice("--output", arg);

	if (i >= 0) {
		s->opt.format = (enum format)i;
		return;
	}
	wrong_choice("--output", arg);
	diag_hint("name the output file with -o");
}

static void set_sysroot(struct session *s, const char *arg)
{
	char real[PATH_MAX];

	if (!realpath(arg, real))
		option_error("--sysroot %s: %s", arg, strerror(errno));
	else
		vec_push(&s->opt.roots, xstrdup(real));
}

static void set_report(struct session *s, const char *arg)
{
	s->opt.report = arg;
	if (find_choice("--report", xstrndup(arg, strcspn(arg, ":"))) < 0)
		option_error("--report takes %s, optionally followed by :FILE, not \"%s\"",
			     either("--report"), arg);
}

static void set_verbose(struct session *s, const char *arg)
{
	(void)s, (void)arg;
	verbose++;
}

/* --vp 00201: as many more -v for each pass. */
static void set_pass_verbose(struct session *s, const char *arg)
{
	size_t n = strlen(arg);

	if (!n || n > ARRAY_LEN(s->opt.pass_verbose) || strspn(arg, "0123456789") != n) {
		option_error("--vp takes 1 to 5 digits, one per pass, not \"%s\"", arg);
		return;
	}
	for (size_t i = 0; i < n; i++)
		s->opt.pass_verbose[i] += arg[i] - '0';
}

static void set_runtime(struct session *s, const char *arg)
{
	int i = find_choice("--runtime", strcmp(arg, "dyninst") ? arg : "user");

	if (i >= 0)
		s->opt.runtime = (enum runtime)i;
	else
		wrong_choice("--runtime", arg);
}

static void set_dyninst(struct session *s, const char *arg)
{
	(void)arg;
	s->opt.runtime = RT_USER;
}

static void set_dump(struct session *s, const char *pass)
{
	name_vec passes = option_choices("--dump");
	const char *near;

	s->opt.dump = pass;
	if (find_choice("--dump", pass) >= 0)
		return;
	option_error("--dump: unknown pass \"%s\"", pass);
	near = nearest(pass, passes.v, passes.n);
	if (near)
		diag_hint("did you mean --dump=%s?", near);
	else
		diag_hint("passes are %s", either("--dump"));
}

static void set_module_name(struct session *s, const char *name)
{
	size_t ok = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	s->opt.module_name = name;
	if (!*name || name[ok])
		option_error("-m: a module name consists of letters, digits and _, not \"%s\"",
			     name);
	else if (strlen(name) > 50)
		option_error("-m: a module name has at most 50 characters");
}

static bool check_directory(const char *option, const char *dir)
{
	struct stat st;

	if (stat(dir, &st))
		option_error("%s %s: %s", option, dir, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		option_error("%s %s: %s", option, dir, strerror(ENOTDIR));
	else
		return true;
	return false;
}

static void set_include(struct session *s, const char *dir)
{
	vec_push(&s->opt.includes, dir);
	check_directory("-I", dir);
}

static void set_tmpdir(struct session *s, const char *dir)
{
	s->opt.tmpdir = dir;
	if (check_directory("--tmpdir", dir))
		private_dir_in(dir);
}

static void set_runtime_sources(struct session *s, const char *dir)
{
	(void)s;
	if (check_directory("-R", dir))
		runtime_sources_are(dir);
}

static void set_define(struct session *s, const char *define)
{
	vec_push(&s->opt.defines, define);
	limits_set(s, define);
}

static void set_modinfo(struct session *s, const char *text)
{
	const char *eq = strchr(text, '=');

	if (!eq || eq == text ||
	    strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") <
		    (size_t)(eq - text))
		option_error("--modinfo takes NAME=VALUE, not \"%s\"", text);
	vec_push(&s->opt.modinfo, text);
}

static void set_arch(struct session *s, const char *arch)
{
	(void)s;
	if (!arch_set_target(arch))
		option_error("-a %s: architectures are %s", arch, arch_names());
}

static void set_sign_module(struct session *s, const char *files)
{
	const char *comma = files ? strchr(files, ',') : NULL;

	s->opt.sign_module = true;
	if (!files)
		return;
	if (!comma || comma == files || !comma[1]) {
		option_error("--sign-module takes KEY,CERT, not \"%s\"", files);
		return;
	}
	s->opt.sign_key = xstrndup(files, (size_t)(comma - files));
	s->opt.sign_cert = comma + 1;
}

static void set_raw_names(struct session *s, const char *value)
{
	(void)s, (void)value;
	names_set_raw();
}

static void set_color(struct session *s, const char *when)
{
	(void)s;
	if (!diag_set_color(when ? when : "always"))
		wrong_choice("--color", when);
}

/* Parameters are found at a function's entry by the calling convention, so there is no prologue to
 * search. */
static void set_prologue(struct session *s, const char *when)
{
	(void)s;
	if (when && find_choice("--prologue-searching", when) < 0)
		wrong_choice("--prologue-searching", when);
}

static void set_privilege(struct session *s, const char *level)
{
	s->opt.privilege = level ? level : "stapusr";
	if (level && find_choice("--privilege", level) < 0)
		wrong_choice("--privilege", level);
}

static void set_compatible(struct session *s, const char *version)
{
	s->opt.compatible = version;
	if (strspn(version, "0123456789.") != strlen(version) || version[0] < '0' ||
	    version[0] > '9')
		option_error("--compatible takes a version of SystemTap such as 1.8, not \"%s\"",
			     version);
	else if (strverscmp(version, NEWEST_COMPATIBLE) > 0)
		option_error("--compatible %s is later than SystemTap " NEWEST_COMPATIBLE
			     ", the newest version whose changes ustap knows",
			     version);
}

/* 12 or 12,3: a size in MB, and how many files are kept. */
static void set_rotation(struct session *s, const char *arg)
{
	const char *comma = strchr(arg, ',');

	s->opt.rotation = arg;
	option_number("-S", comma ? xstrndup(arg, (size_t)(comma - arg)) : arg, 1, 1 << 20);
	if (comma)
		option_number("-S SIZE,", comma + 1, 1, INT32_MAX);
}

static void set_download_debuginfo(struct session *s, const char *when)
{
	(void)s;
	if (when && !strcmp(when, "no"))
		return;
	option_error("--download-debuginfo: ustap downloads debug information with debuginfod: set "
		     "DEBUGINFOD_URLS to its server");
}

/* ------------------------------------------------------------- limits of ustap itself */

static void limit_resource(const char *option, int resource, const char *arg)
{
	int before = diag_errors();
	struct rlimit lim;

	lim.rlim_cur = lim.rlim_max = (rlim_t)option_number(option, arg, 0, INT64_MAX);
	if (diag_errors() == before && setrlimit(resource, &lim))
		option_error("%s=%s: %s", option, arg, strerror(errno));
}

static void set_limit_as(struct session *s, const char *a)
{
	(void)s, limit_resource("--rlimit-as", RLIMIT_AS, a);
}
static void set_limit_cpu(struct session *s, const char *a)
{
	(void)s, limit_resource("--rlimit-cpu", RLIMIT_CPU, a);
}
static void set_limit_nproc(struct session *s, const char *a)
{
	(void)s, limit_resource("--rlimit-nproc", RLIMIT_NPROC, a);
}
static void set_limit_stack(struct session *s, const char *a)
{
	(void)s, limit_resource("--rlimit-stack", RLIMIT_STACK, a);
}
static void set_limit_fsize(struct session *s, const char *a)
{
	(void)s, limit_resource("--rlimit-fsize", RLIMIT_FSIZE, a);
}

/* ------------------------------------------------------------- lists */

static void set_list_types(struct session *s, const char *arg)
{
	(void)arg, s->opt.list = LIST_PROBE_TYPES;
}
static void set_list_aliases(struct session *s, const char *arg)
{
	(void)arg, s->opt.list = LIST_ALIASES;
}
static void set_list_functions(struct session *s, const char *arg)
{
	(void)arg, s->opt.list = LIST_FUNCTIONS;
}

static void set_list_runs(struct session *s, const char *arg)
{
	(void)arg, s->opt.list_runs = true;
}
static void set_cleanup(struct session *s, const char *arg) { s->opt.cleanup = arg; }

static void set_global(struct session *s, const char *arg)
{
	if (!strchr(arg, '=') || *arg == '=')
		option_error("-G takes NAME=VALUE, not \"%s\"", arg);
	else
		vec_push(&s->opt.sets, arg);
}

/* The points of a script that does nothing there. */
static void list_what(struct session *s, const char *pattern, int what)
{
	if (s->opt.list == LIST_POINTS || s->opt.list == LIST_VARIABLES)
		option_error("give one pattern; \"A, B\" as one argument lists both");
	s->opt.list = what;
	vec_push(&s->opt.exprs, xprintf("probe %s { }", pattern));
}

static void set_list_points(struct session *s, const char *arg) { list_what(s, arg, LIST_POINTS); }
static void set_list_variables(struct session *s, const char *arg)
{
	list_what(s, arg, LIST_VARIABLES);
}

/* ------------------------------------------------------------- the rows */

#define SET_FLAG(member)  .how = FLAG, .field = offsetof(struct options, member)
#define SET_TEXT(member)  .how = TEXT, .field = offsetof(struct options, member)
#define SET_TEXTS(member) .how = TEXTS, .field = offsetof(struct options, member)
#define SET_NUMBER(member, max) \
	.how = NUMBER, .field = offsetof(struct options, member), .most = (max)
#define SET_CALL(x)   .how = CALL, .set = set_##x
#define SET_NOTHING() .how = NOTHING

/* clang-format off */
const struct option_row option_rows[] = {
#define ROW(NAME, LETTER, VALUE, FORWARDED, HOW, TAKES, CHOICES, SAYS, ...) \
	{.name = NAME, .letter = LETTER, .value = VALUE, .forwarded = FORWARDED, SET_##HOW, \
	 .takes = TAKES, .choices = CHOICES, .says = SAYS},
#define USTAP_OPTION(name, letter, value, how, ...) \
	ROW(name, letter, value, false, how, __VA_ARGS__)
#define BOTH_OPTION USTAP_OPTION
#define FORWARDED_OPTION(name, letter, value, how, ...) \
	ROW(name, letter, value, true, how, __VA_ARGS__)
#define REFUSED_OPTION(NAME, LETTER, VALUE, INSTEAD) \
	{.name = NAME, .letter = LETTER, .value = VALUE, .how = REFUSED, .instead = INSTEAD},
#include "../../runtime/include/options/options.def"
};
/* clang-format on */

const size_t option_count = ARRAY_LEN(option_rows);

const char *option_row_name(const struct option_row *row)
{
	return row->name ? xprintf("--%s", row->name) : xprintf("-%c", row->letter);
}
