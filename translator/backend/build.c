/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pass 4 and what follows: choose the runtime, have its backend build the
 * emitted C, hand the result to the loader.
 */
#include "ustap.h"
#include "backend.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void report(const struct unusable *why)
{
	diag_error(why->tag, why->loc, "%s", why->msg);
	if (why->hint)
		diag_hint("%s", why->hint);
}

/* The user runtime does not have the point PP;
 * KERNEL says why not to take the other, or is NULL. */
static void lacks_point(struct loc loc, const char *pp, const struct unusable *kernel,
			struct unusable *why)
{
	*why = (struct unusable){
		.tag = E_UNSUPPORTED,
		.loc = loc,
		.msg = xprintf("%s needs the kernel runtime%s%s", pp, kernel ? ": " : "",
			       kernel ? kernel->msg : ""),
		.hint = kernel ? kernel->hint : "use --runtime=kernel",
	};
}

void report_needs_kernel(const struct session *s, struct loc loc, const char *pp)
{
	struct unusable kernel, why;
	bool choice = s->opt.runtime == RT_AUTO && !backend_kernel.usable(s, &kernel);

	lacks_point(loc, pp, choice ? &kernel : NULL, &why);
	report(&why);
}

static bool reads_kernel(const access_vec *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].in_kernel)
			return true;
	return false;
}

static bool see_kernel_call(struct node *n, void *found)
{
	if (n->kind == N_CALL && n->call.builtin && n->call.builtin->flags & BF_KERNEL)
		*(const struct node **)found = n;
	return true;
}

/* A call of what only the kernel runtime has. */
static const struct node *kernel_call(const struct program *p)
{
	const struct node *found = NULL;

	for (size_t i = 0; i < p->probes.n && !found; i++)
		node_walk(p->probes.v[i]->body, see_kernel_call, NULL, &found);
	for (size_t i = 0; i < p->funcs.n && !found; i++)
		node_walk(p->funcs.v[i]->body, see_kernel_call, NULL, &found);
	return found;
}

/* Types of the kernel are known everywhere, but what has them is in the kernel. */
static bool needs_kernel(const struct program *p, struct unusable *why)
{
	const struct node *call = kernel_call(p);
	struct loc loc = {0};

	if (call) {
		*why = (struct unusable){
			.tag = E_UNSUPPORTED,
			.loc = call->loc,
			.hint = "use --runtime=kernel",
			.msg = xprintf("%s needs the kernel runtime", call->call.name)};
		return true;
	}
	for (size_t i = 0; i < p->probes.n && !loc.src; i++)
		if (reads_kernel(&p->probes.v[i]->accesses))
			loc = p->probes.v[i]->loc;
	for (size_t i = 0; i < p->funcs.n && !loc.src; i++)
		if (reads_kernel(&p->funcs.v[i]->accesses))
			loc = p->funcs.v[i]->loc;
	*why = (struct unusable){
		.tag = E_UNSUPPORTED,
		.loc = loc,
		.msg = "it reads memory of the kernel, which the user runtime cannot",
		.hint = "use --runtime=kernel"};
	return loc.src;
}

static void lacks_target(const struct unusable *kernel, struct unusable *why)
{
	*why = (struct unusable){
		.tag = E_OPTION,
		.msg = "no process to trace: give -c COMMAND or -x PID",
		.hint = xprintf(
			"the user runtime traces what these name; the kernel runtime traces all "
			"processes%s%s",
			kernel ? ", but " : "", kernel ? kernel->msg : ""),
	};
}

/* Process ids of process(PID) are as if given with -x, unless others are.  False: WHY says what
 * does not fit. */
static bool take_pids(struct session *s, struct unusable *why)
{
	bool given = s->opt.pids.n;

	for (size_t i = 0; i < s->program.probes.n; i++) {
		const struct probe *p = s->program.probes.v[i];
		int64_t pid = p->kind->of_process && !p->program ? p->value : p->pid;
		size_t at = 0;

		while (at < s->opt.pids.n && s->opt.pids.v[at] != pid)
			at++;
		if (!pid || at < s->opt.pids.n)
			continue;
		if (given || s->opt.cmd) {
			*why = (struct unusable){
				E_OPTION,
				xprintf("process %" PRId64 " is none of those that are traced",
					pid),
				xprintf(s->opt.cmd ? "the user runtime traces the command; without "
						     "-c it is process %" PRId64
						   : "add -x %" PRId64,
					pid),
				p->point};
			return false;
		}
		if (s->opt.stop_after >= 5)
			vec_push(&s->opt.pids, pid);
	}
	return true;
}

/* Can the user runtime run this script, with these options? */
static bool user_fits(struct session *s, const struct unusable *kernel, struct unusable *why)
{
	bool pids = take_pids(s, why);
	bool target = s->opt.cmd || s->opt.pids.n || s->opt.stop_after < 5, sites = false;

	for (size_t i = 0; i < s->program.probes.n; i++) {
		const struct probe *p = s->program.probes.v[i];

		sites |= p->sites.n > 0 || p->kind->of_process;
		if (p->kind->lacking & 1u << RT_USER) {
			lacks_point(p->point, p->pp, kernel, why);
			return false;
		}
	}
	if (needs_kernel(&s->program, why))
		return false;
	if (sites && !target)
		lacks_target(kernel, why);
	return pids && (target || !sites);
}

/* auto: the kernel runtime where it works, else the one in the process.  What
 * was taken is only worth a line if it is not the usual one. */
static void choose_auto(struct session *s)
{
	struct unusable kernel, user;

	if (backend_kernel.usable(s, &kernel)) {
		s->backend = &backend_kernel;
		vlog(1, "runtime: kernel");
	} else if (s->opt.release) {
		report(&kernel);
	} else if (user_fits(s, &kernel, &user) && backend_user.usable(s, &user)) {
		s->backend = &backend_user;
		fprintf(stderr, "ustap: runtime: user (%s)\n", kernel.msg);
	} else {
		report(&user);
	}
}

enum runtime early_runtime(const struct session *s)
{
	struct unusable why;

	if (s->opt.runtime != RT_AUTO)
		return s->opt.runtime;
	return s->opt.release || backend_kernel.usable(s, &why) ? RT_KERNEL : RT_USER;
}

static void choose_backend(struct session *s)
{
	const struct backend *b = s->opt.runtime == RT_USER ? &backend_user : &backend_kernel;
	struct unusable why;

	if (s->backend)
		return;
	if (s->opt.runtime == RT_AUTO)
		choose_auto(s);
	else if ((b == &backend_kernel || user_fits(s, NULL, &why)) && b->usable(s, &why))
		s->backend = b;
	else
		report(&why);
}

void pass_build(struct session *s)
{
	choose_backend(s);
	if (s->backend)
		s->backend->build(s);
}

void prepare(struct session *s)
{
	const struct backend *b = s->opt.runtime == RT_USER ? &backend_user : &backend_kernel;

	b->prepare(s);
}

/* ------------------------------------------------------------------ running */

/* staprun lies beside this program, in the build tree as where it is installed. */
static const char *find_staprun(void)
{
	const char *own = environment_path("USTAP_STAPRUN");
	char *path = xprintf("%s/staprun", program_dir());

	if (own)
		return own;
	if (!access(path, X_OK))
		return path;
	path = xprintf("%s/staprun", BINDIR);
	return access(path, X_OK) ? find_tool("staprun") : path;
}

int run_tests(char **argv)
{
	char *path = xprintf("%s/ustap-test", program_dir());

	if (access(path, X_OK))
		path = xprintf("%s/ustap-test", PKGLIBEXECDIR);
	execv(path, argv);
	fprintf(stderr, "ustap: cannot run %s: %s\n", path, strerror(errno));
	return EXIT_FAILURE;
}

typedef VEC(const char *) arg_vec;

static void add(arg_vec *a, const char *option, const char *value)
{
	vec_push(a, option);
	if (value)
		vec_push(a, value);
}

/* %d and the like in a file's name, as strftime(3) has them. */
static const char *dated(const char *name)
{
	time_t now = time(NULL);
	char buf[PATH_MAX];

	if (!strchr(name, '%'))
		return name;
	return strftime(buf, sizeof buf, name, localtime(&now)) ? xstrdup(buf) : name;
}

/* For people: the file, or the beginning of -e in one line. */
static const char *script_name(const struct session *s)
{
	enum { SHOWN = 60 };
	char *name;

	if (s->opt.script_file)
		return s->opt.script_file;
	name = xprintf("-e %.*s%s", SHOWN, s->opt.exprs.v[0],
		       strlen(s->opt.exprs.v[0]) > SHOWN ? "..." : "");
	for (char *p = name; *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	return name;
}

static void staprun_args(const struct session *s, arg_vec *a)
{
	const struct options *o = &s->opt;

	add(a, "--name", script_name(s));
	for (int i = 0; i < verbose + o->pass_verbose[4]; i++)
		add(a, "-v", NULL);
	if (o->quiet)
		add(a, "--quiet", NULL);
	if (o->ready_fd)
		add(a, "--ready-fd", xprintf("%" PRId64, o->ready_fd));
	if (o->ready_command)
		add(a, "--ready-command", o->ready_command);
	if (o->cmd)
		add(a, "-c", o->cmd);
	for (size_t i = 0; i < o->pids.n; i++)
		add(a, "-x", xprintf("%" PRId64, o->pids.v[i]));
	if (o->output)
		add(a, "-o", dated(o->output));
	if (o->rotate)
		add(a, "-S", o->rotate);
	if (o->flight && !o->output)
		add(a, "-L", NULL);
	if (o->buffer_mb)
		add(a, "-s", xprintf("%" PRId64, o->buffer_mb));
	if (o->time_limit)
		add(a, "-T", xprintf("%" PRId64, o->time_limit));
	if (o->no_warnings)
		add(a, "-w", NULL);
	if (o->children)
		add(a, "--children", NULL);
	if (o->monitor)
		add(a, xprintf("--monitor=%" PRId64, o->monitor), NULL);
	if (o->format != FORMAT_TEXT)
		add(a, "--output", format_names[o->format]);
	if (o->report) {
		add(a, "--report", o->report);
		add(a, "--report-name", o->script_file ? o->script_file : "ustap -e");
	}
	if (o->counts_file)
		add(a, "--counts", o->counts_file);
	if (o->explain)
		add(a, "--explain", NULL);
	if (o->expect_hits)
		add(a, "--expect-hits", NULL);
	if (o->run_strict)
		add(a, "--strict", NULL);
	if (o->timeout)
		add(a, "--timeout", xprintf("%" PRId64, o->timeout));
	if (o->target_status)
		add(a, "--target-status", NULL);
	/* what was checked, whatever the path names meanwhile */
	add(a, "--fd", xprintf("%d", s->artifact_fd));
	add(a, s->artifact, NULL);
}

/* -F -o: a child goes on in the background; its number is printed.  False in the parent. */
static bool go_behind(void)
{
	pid_t pid = fork();
	int null;

	if (pid) {
		printf("%d\n", (int)pid);
		return false;
	}
	setsid();
	null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	return true;
}

bool staprun_explains(int64_t pid)
{
	const char *staprun = find_staprun();
	const char *const argv[] = {staprun, "--permit", xprintf("%" PRId64, pid), NULL};

	fflush(NULL);
	return staprun && !run_command(argv, NULL, NULL);
}

void run_was_not(const struct session *s)
{
	const char *staprun = find_staprun();
	const char *const argv[] = {staprun,
				    "--report",
				    s->opt.report,
				    "--report-name",
				    s->opt.script_file ? s->opt.script_file : "ustap -e",
				    "--report-failed",
				    diag_first(),
				    NULL};

	fflush(NULL);
	if (staprun)
		run_command(argv, NULL, NULL);
}

int run_leftovers(const struct session *s)
{
	const char *staprun = find_staprun(),
		   *what = s->opt.cleanup ? xprintf("--cleanup=%s", s->opt.cleanup) : "--list";
	const char *argv[] = {staprun, what, NULL};

	if (staprun)
		execv(staprun, (char *const *)argv);
	diag_error(E_IO, (struct loc){0}, "cannot run %s: %s", staprun ? staprun : "staprun",
		   strerror(staprun ? errno : ENOENT));
	return 1;
}

int pass_run(struct session *s)
{
	const char *staprun = find_staprun();
	arg_vec a = {0};

	if (!named_processes_live(s))
		return 1;
	if (s->opt.flight && s->opt.output && !go_behind())
		return EXIT_SUCCESS;
	if (staprun) {
		vec_push(&a, staprun);
		staprun_args(s, &a);
		vec_push(&a, NULL);
		fflush(NULL);
		fcntl(s->artifact_fd, F_SETFD, 0);
		if (s->opt.ready_fd)
			fcntl((int)s->opt.ready_fd, F_SETFD, 0);
		private_dir_remove(s->opt.keep);
		execv(staprun, (char *const *)a.v);
	}
	diag_error(E_IO, (struct loc){0}, "cannot run %s: %s", staprun ? staprun : "staprun",
		   strerror(staprun ? errno : ENOENT));
	return 1;
}
