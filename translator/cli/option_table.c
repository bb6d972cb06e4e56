/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Option table: one row for each option of ustap and of stap(1).  A row says how its value gets
 * into struct options; what has no meaning here is refused with the thing to do instead.
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "options.h"
#include "arch/arch.h"
#include "base/environment.h"
#include "base/installed.h"
#include "dwarf/address_maps.h"
#include "passes.h"

/* ------------------------------------------------------------- values */

void option_error(const char *fmt, ...)
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

int64_t option_number(const char *option, const char *text, int64_t min, int64_t max)
{
	char *end;
	int64_t n;

	errno = 0;
	n = strtoll(text, &end, 0);
	if (errno || end == text || *end || n < min || n > max) {
		option_error("%s takes a number from %" PRId64 " to %" PRId64 ", not \"%s\"",
			     option, min, max, text);
		return min;
	}
	return n;
}

static void set_stop_after(struct session *s, const char *arg)
{
	s->opt.stop_after = (int)option_number("-p", arg, 1, 5);
}
static void set_time_limit(struct session *s, const char *arg)
{
	s->opt.time_limit = option_number("-T", arg, 1, INT32_MAX);
}
static void set_timeout(struct session *s, const char *arg)
{
	s->opt.timeout = option_number("--timeout", arg, 1, 315360000);
}
static void set_buffer(struct session *s, const char *arg)
{
	s->opt.buffer_mb = option_number("-s", arg, 1, 4095);
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

static void set_monitor(struct session *s, const char *arg)
{
	s->opt.monitor = arg ? option_number("--monitor", arg, 1, 86400) : 1;
}

const char *const format_names[] = {"text", "json", "folded", "trace-event"};

static void set_format(struct session *s, const char *arg)
{
	for (size_t i = 0; i <= FORMAT_TRACE; i++)
		if (!strcmp(arg, format_names[i])) {
			s->opt.format = (enum format)i;
			return;
		}
	option_error("--output takes text, json, folded or trace-event, not \"%s\"", arg);
	diag_hint("the file to write to is named by -o");
}

static void set_report(struct session *s, const char *arg)
{
	size_t kind = strcspn(arg, ":");

	s->opt.report = arg;
	if ((strncmp(arg, "tap", kind) || kind != 3) && (strncmp(arg, "junit", kind) || kind != 5))
		option_error("--report takes tap or junit, and :FILE behind it, not \"%s\"", arg);
}

static void more_verbose(struct session *s, const char *arg)
{
	(void)s, (void)arg;
	verbose++;
}

/* --vp 00201: as many more -v for each pass. */
static void set_pass_verbose(struct session *s, const char *arg)
{
	size_t n = strlen(arg);

	if (!n || n > ARRAY_LEN(s->opt.pass_verbose) || strspn(arg, "0123456789") != n) {
		option_error("--vp takes 1 to 5 digits, one for each pass, not \"%s\"", arg);
		return;
	}
	for (size_t i = 0; i < n; i++)
		s->opt.pass_verbose[i] += arg[i] - '0';
}

static void set_runtime(struct session *s, const char *arg)
{
	static const struct {
		const char *name;
		enum runtime runtime;
	} names[] = {
		{"auto", RT_AUTO},
		{"kernel", RT_KERNEL},
		{"user", RT_USER},
		{"dyninst", RT_USER},
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(arg, names[i].name)) {
			s->opt.runtime = names[i].runtime;
			return;
		}
	option_error("--runtime takes auto, kernel or user, not \"%s\"", arg);
}

static void set_dyninst(struct session *s, const char *arg)
{
	(void)arg;
	s->opt.runtime = RT_USER;
}

static void set_dump(struct session *s, const char *pass)
{
	size_t n = 0;
	const char *near;

	s->opt.dump = pass;
	for (; dump_passes[n]; n++)
		if (!strcmp(dump_passes[n], pass))
			return;
	option_error("--dump: there is no pass \"%s\"", pass);
	near = nearest(pass, dump_passes, n);
	if (near)
		diag_hint("did you mean --dump=%s?", near);
	else
		diag_hint("passes are parse, aliases, resolve, elide, points, prune, types, "
			  "pointers, fold, display, locks, emit");
}

static void set_module_name(struct session *s, const char *name)
{
	size_t ok = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	s->opt.module_name = name;
	if (!*name || name[ok])
		option_error("-m: a module's name is letters, digits and _, not \"%s\"", name);
	else if (strlen(name) > 50)
		option_error("-m: a module's name has at most 50 characters");
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

static void add_include(struct session *s, const char *dir)
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

static void add_define(struct session *s, const char *define)
{
	vec_push(&s->opt.defines, define);
	limits_set(s, define);
}

static void add_modinfo(struct session *s, const char *text)
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
	if (strcmp(arch, arch_host()->name))
		option_error("-a %s: ustap builds for the machine it runs on only, which is %s",
			     arch, arch_host()->name);
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
	names_stay_raw();
}

static void set_color(struct session *s, const char *when)
{
	(void)s;
	if (!diag_set_color(when ? when : "always"))
		option_error("--color takes never, always or auto, not \"%s\"", when);
}

/* Parameters are found at a function's entry by the calling convention, so there is no prologue to
 * search. */
static void check_prologue(struct session *s, const char *when)
{
	static const char *const known[] = {"never", "always", "auto"};

	(void)s;
	for (size_t i = 0; when && i < ARRAY_LEN(known); i++)
		if (!strcmp(when, known[i]))
			return;
	if (when)
		option_error("--prologue-searching takes never, always or auto, not \"%s\"", when);
}

static void set_privilege(struct session *s, const char *level)
{
	s->opt.privilege = level ? level : "stapusr";
	if (level && strcmp(level, "stapusr") && strcmp(level, "stapsys") &&
	    strcmp(level, "stapdev"))
		option_error("--privilege takes stapusr, stapsys or stapdev, not \"%s\"", level);
}

static void set_compatible(struct session *s, const char *version)
{
	s->opt.compatible = version;
	if (strspn(version, "0123456789.") != strlen(version) || version[0] < '0' ||
	    version[0] > '9')
		option_error("--compatible takes a version of SystemTap such as 1.8, not \"%s\"",
			     version);
	else if (strverscmp(version, COMPATIBLE) > 0)
		option_error("--compatible %s: this is the language of SystemTap " COMPATIBLE,
			     version);
}

/* 12 or 12,3: a size in MB, and how many files are kept. */
static void set_rotate(struct session *s, const char *arg)
{
	const char *comma = strchr(arg, ',');

	s->opt.rotate = arg;
	option_number("-S", comma ? xstrndup(arg, (size_t)(comma - arg)) : arg, 1, 1 << 20);
	if (comma)
		option_number("-S SIZE,", comma + 1, 1, INT32_MAX);
}

static void download(struct session *s, const char *when)
{
	(void)s;
	if (when && !strcmp(when, "no"))
		return;
	option_error("--download-debuginfo: debug information comes by debuginfod: set "
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

static void limit_as(struct session *s, const char *a)
{
	(void)s, limit_resource("--rlimit-as", RLIMIT_AS, a);
}
static void limit_cpu(struct session *s, const char *a)
{
	(void)s, limit_resource("--rlimit-cpu", RLIMIT_CPU, a);
}
static void limit_nproc(struct session *s, const char *a)
{
	(void)s, limit_resource("--rlimit-nproc", RLIMIT_NPROC, a);
}
static void limit_stack(struct session *s, const char *a)
{
	(void)s, limit_resource("--rlimit-stack", RLIMIT_STACK, a);
}
static void limit_fsize(struct session *s, const char *a)
{
	(void)s, limit_resource("--rlimit-fsize", RLIMIT_FSIZE, a);
}

/* ------------------------------------------------------------- lists */

static void list_types(struct session *s, const char *arg)
{
	(void)arg, s->opt.list = LIST_PROBE_TYPES;
}
static void list_aliases(struct session *s, const char *arg)
{
	(void)arg, s->opt.list = LIST_ALIASES;
}
static void list_functions(struct session *s, const char *arg)
{
	(void)arg, s->opt.list = LIST_FUNCTIONS;
}

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
		option_error("-l and -L take one pattern; \"A, B\" is one, too");
	s->opt.list = what;
	vec_push(&s->opt.exprs, xprintf("probe %s { }", pattern));
}

static void list_points(struct session *s, const char *arg) { list_what(s, arg, LIST_POINTS); }
static void list_variables(struct session *s, const char *arg)
{
	list_what(s, arg, LIST_VARIABLES);
}

/* ------------------------------------------------------------- the rows */

#define O(member) offsetof(struct options, member)
#define REMOTE                                                                                   \
	"a script runs where ustap runs: log in there, or take what -p4 built there and run it " \
	"with staprun"
#define SERVER                                                                               \
	"ustap compiles on this machine; on another, use -p4, and run the result here with " \
	"staprun"

/* clang-format off */
const struct option_row option_rows[] = {
	{NULL, 'e', VALUE, TEXTS, O(exprs), NULL, NULL},
	{NULL, 'E', VALUE, TEXTS, O(extras), NULL, NULL},
	{NULL, 'I', VALUE, CALL, 0, add_include, NULL},
	{NULL, 'D', VALUE, CALL, 0, add_define, NULL},
	{NULL, 'G', VALUE, CALL, 0, set_global, NULL},
	{NULL, 'g', NO_VALUE, FLAG, O(guru), NULL, NULL},
	{NULL, 'u', NO_VALUE, FLAG, O(unoptimized), NULL, NULL},
	{NULL, 'w', NO_VALUE, FLAG, O(no_warnings), NULL, NULL},
	{NULL, 'W', NO_VALUE, FLAG, O(warnings_are_errors), NULL, NULL},
	{NULL, 'P', NO_VALUE, CALL, 0, check_prologue, NULL},
	{"prologue-searching", 0, MAY_HAVE_VALUE, CALL, 0, check_prologue, NULL},
	{"skip-badvars", 0, NO_VALUE, FLAG, O(skip_badvars), NULL, NULL},
	{"compatible", 0, VALUE, CALL, 0, set_compatible, NULL},
	{"check-version", 0, NO_VALUE, FLAG, O(check_version), NULL, NULL},
	{"privilege", 0, MAY_HAVE_VALUE, CALL, 0, set_privilege, NULL},
	{"unprivileged", 0, NO_VALUE, CALL, 0, set_privilege, NULL},
	{"no-global-var-display", 0, NO_VALUE, FLAG, O(no_global_display), NULL, NULL},
	{"no-end-after-error", 0, NO_VALUE, FLAG, O(no_end_after_error), NULL, NULL},
	{NULL, 'd', VALUE, TEXTS, O(symbols), NULL, NULL},
	{"ldd", 0, NO_VALUE, FLAG, O(ldd), NULL, NULL},
	{"no-demangle", 0, NO_VALUE, CALL, 0, set_raw_names, NULL},
	{"all-modules", 0, NO_VALUE, FLAG, O(all_modules), NULL, NULL},

	{NULL, 'c', VALUE, TEXT, O(cmd), NULL, NULL},
	{NULL, 'x', VALUE, CALL, 0, add_process, NULL},
	{"children", 0, NO_VALUE, FLAG, O(children), NULL, NULL},
	{"target-status", 0, NO_VALUE, FLAG, O(target_status), NULL, NULL},
	{"ready-fd", 0, VALUE, CALL, 0, set_ready_fd, NULL},
	{"ready-command", 0, VALUE, TEXT, O(ready_command), NULL, NULL},
	{"quiet", 0, NO_VALUE, FLAG, O(quiet), NULL, NULL},

	{NULL, 'o', VALUE, TEXT, O(output), NULL, NULL},
	{"output", 0, VALUE, CALL, 0, set_format, NULL},
	{NULL, 'S', VALUE, CALL, 0, set_rotate, NULL},
	{NULL, 's', VALUE, CALL, 0, set_buffer, NULL},
	{NULL, 'T', VALUE, CALL, 0, set_time_limit, NULL},
	{NULL, 'F', NO_VALUE, FLAG, O(flight), NULL, NULL},
	{NULL, 't', NO_VALUE, FLAG, O(timing), NULL, NULL},
	{"monitor", 0, MAY_HAVE_VALUE, CALL, 0, set_monitor, NULL},
	{"language-server", 0, NO_VALUE, FLAG, O(language_server), NULL, NULL},
	{"interactive", 'i', NO_VALUE, FLAG, O(interactive), NULL, NULL},
	{"suppress-handler-errors", 0, NO_VALUE, FLAG, O(suppress_errors), NULL, NULL},
	{"suppress-time-limits", 0, NO_VALUE, FLAG, O(no_time_limits), NULL, NULL},
	{"runtime", 0, VALUE, CALL, 0, set_runtime, NULL},
	{"dyninst", 0, NO_VALUE, CALL, 0, set_dyninst, NULL},

	{NULL, 'p', VALUE, CALL, 0, set_stop_after, NULL},
	{NULL, 'r', VALUE, TEXT, O(release), NULL, NULL},
	{NULL, 'R', VALUE, CALL, 0, set_runtime_sources, NULL},
	{NULL, 'a', VALUE, CALL, 0, set_arch, NULL},
	{NULL, 'm', VALUE, CALL, 0, set_module_name, NULL},
	{"modinfo", 0, VALUE, CALL, 0, add_modinfo, NULL},
	{NULL, 'k', NO_VALUE, FLAG, O(keep), NULL, NULL},
	{"tmpdir", 0, VALUE, CALL, 0, set_tmpdir, NULL},
	{"prepare", 0, NO_VALUE, FLAG, O(prepare), NULL, NULL},
	{"cache", 0, NO_VALUE, FLAG, O(show_cache), NULL, NULL},
	{"list", 0, NO_VALUE, FLAG, O(list_runs), NULL, NULL},
	{"cleanup", 0, VALUE, TEXT, O(cleanup), NULL, NULL},
	{"clean-cache", 0, NO_VALUE, FLAG, O(clean_cache), NULL, NULL},
	{"disable-cache", 0, NO_VALUE, FLAG, O(no_cache), NULL, NULL},
	{"poison-cache", 0, NO_VALUE, FLAG, O(poison_cache), NULL, NULL},
	{"save-uprobes", 0, NO_VALUE, NO_MEANING, 0, NULL, NULL},
	{"rlimit-as", 0, VALUE, CALL, 0, limit_as, NULL},
	{"rlimit-cpu", 0, VALUE, CALL, 0, limit_cpu, NULL},
	{"rlimit-nproc", 0, VALUE, CALL, 0, limit_nproc, NULL},
	{"rlimit-stack", 0, VALUE, CALL, 0, limit_stack, NULL},
	{"rlimit-fsize", 0, VALUE, CALL, 0, limit_fsize, NULL},

	{NULL, 'v', NO_VALUE, CALL, 0, more_verbose, NULL},
	{"vp", 0, VALUE, CALL, 0, set_pass_verbose, NULL},
	{"explain", 0, NO_VALUE, FLAG, O(explain), NULL, NULL},
	{"expect-hits", 0, NO_VALUE, FLAG, O(expect_hits), NULL, NULL},
	{"report", 0, VALUE, CALL, 0, set_report, NULL},
	{"strict", 0, NO_VALUE, FLAG, O(run_strict), NULL, NULL},
	{"timeout", 0, VALUE, CALL, 0, set_timeout, NULL},
	{"color", 0, MAY_HAVE_VALUE, CALL, 0, set_color, NULL},
	{"colour", 0, MAY_HAVE_VALUE, CALL, 0, set_color, NULL},
	{"dump", 0, VALUE, CALL, 0, set_dump, NULL},
	{"dump-probe-types", 0, NO_VALUE, CALL, 0, list_types, NULL},
	{"dump-probe-aliases", 0, NO_VALUE, CALL, 0, list_aliases, NULL},
	{"dump-functions", 0, NO_VALUE, CALL, 0, list_functions, NULL},
	{"version", 'V', NO_VALUE, NO_MEANING, 0, NULL, NULL},
	{"help", 'h', NO_VALUE, NO_MEANING, 0, NULL, NULL},
	{"download-debuginfo", 0, MAY_HAVE_VALUE, CALL, 0, download, NULL},

	{NULL, 'l', VALUE, CALL, 0, list_points, NULL},
	{NULL, 'L', VALUE, CALL, 0, list_variables, NULL},
	{NULL, 'b', NO_VALUE, REFUSED, 0, NULL,
		"output is always collected for each processor and put in order; leave it out"},
	{NULL, 'B', VALUE, REFUSED, 0, NULL,
		"scripts are compiled just as the kernel was; change its headers' configuration "
		"(-r DIR)"},
	{NULL, 'q', NO_VALUE, REFUSED, 0, NULL,
		"there is no database of tapset coverage; -v says which library files are used"},
	{"bpf", 0, NO_VALUE, REFUSED, 0, NULL,
		"there is no BPF runtime; use --runtime=user where no module can be loaded"},
	{"sysroot", 0, VALUE, REFUSED, 0, NULL,
		"ustap looks at the system it runs in: run it in there, with chroot or nsenter"},
	{"sysenv", 0, VALUE, REFUSED, 0, NULL,
		"set the variable itself, as in: env NAME=VALUE ustap ..."},
	{"target-namespaces", 0, VALUE, REFUSED, 0, NULL,
		"process ids are those of the namespace ustap runs in: run it in there, with "
		"nsenter"},
	{"example", 0, VALUE, REFUSED, 0, NULL, "give the example's path"},
	{"remote", 0, VALUE, REFUSED, 0, NULL, REMOTE},
	{"remote-prefix", 0, NO_VALUE, REFUSED, 0, NULL, REMOTE},
	{"use-server", 0, MAY_HAVE_VALUE, REFUSED, 0, NULL, SERVER},
	{"use-server-on-error", 0, MAY_HAVE_VALUE, REFUSED, 0, NULL, SERVER},
	{"list-servers", 0, MAY_HAVE_VALUE, REFUSED, 0, NULL, SERVER},
	{"trust-servers", 0, MAY_HAVE_VALUE, REFUSED, 0, NULL, SERVER},
	{"build-as", 0, VALUE, REFUSED, 0, NULL, SERVER},
	{"sign-module", 0, MAY_HAVE_VALUE, CALL, 0, set_sign_module, NULL},
};
/* clang-format on */

const size_t option_count = ARRAY_LEN(option_rows);
