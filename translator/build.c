/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pass 4 and what follows: choose the runtime, have its backend build the
 * emitted C, hand the result to the loader.
 */
#include "ustap.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void report(const struct unusable *why)
{
	diag_error(why->tag, (struct loc){0}, "%s", why->msg);
	if (why->hint)
		diag_hint("%s", why->hint);
}

/* auto: the kernel runtime where it works, else the one in the process.  What
 * was taken is only worth a line if it is not the usual one. */
static void choose_auto(struct session *s)
{
	struct unusable kernel, user;

	if (backend_kernel.usable(s, &kernel)) {
		s->backend = &backend_kernel;
		vlog(1, "runtime: kernel");
	} else if (backend_user.usable(s, &user)) {
		s->backend = &backend_user;
		fprintf(stderr, "ustap: runtime: user (%s)\n", kernel.msg);
	} else {
		report(&kernel);
	}
}

static void choose_backend(struct session *s)
{
	const struct backend *b = s->opt.runtime == RT_USER ? &backend_user : &backend_kernel;
	struct unusable why;

	if (s->backend)
		return;
	if (s->opt.runtime == RT_AUTO)
		choose_auto(s);
	else if (b->usable(s, &why))
		s->backend = b;
	else
		report(&why);
}

static bool make_work_dir(struct session *s)
{
	const char *tmp = getenv("TMPDIR");

	if (s->work_dir)
		return true;
	s->work_dir = xprintf("%s/ustapXXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (mkdtemp(s->work_dir))
		return true;
	diag_error(E_IO, (struct loc){0}, "cannot make a directory in %s: %s",
		   tmp && *tmp ? tmp : "/tmp", strerror(errno));
	s->work_dir = NULL;
	return false;
}

static void drop_work_dir(const struct session *s)
{
	const char *const argv[] = {"rm", "-rf", s->work_dir, NULL};

	if (s->opt.keep)
		fprintf(stderr, "ustap: kept %s\n", s->work_dir);
	else
		run_command(argv, NULL, NULL);
}

void pass_build(struct session *s)
{
	choose_backend(s);
	if (!s->backend || !make_work_dir(s))
		return;
	s->backend->build(s);
	drop_work_dir(s);
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
	char buf[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", buf, sizeof buf - 1);
	char *path;

	if (n > 0) {
		buf[n] = 0;
		*strrchr(buf, '/') = 0;
		path = xprintf("%s/staprun", buf);
		if (!access(path, X_OK))
			return path;
	}
	path = xprintf("%s/staprun", BINDIR);
	return access(path, X_OK) ? find_in_path("staprun") : path;
}

typedef VEC(const char *) arg_vec;

static void add(arg_vec *a, const char *option, const char *value)
{
	vec_push(a, option);
	if (value)
		vec_push(a, value);
}

static void staprun_args(const struct session *s, arg_vec *a)
{
	const struct options *o = &s->opt;

	for (int i = 0; i < verbose; i++)
		add(a, "-v", NULL);
	if (o->cmd)
		add(a, "-c", o->cmd);
	if (o->pid)
		add(a, "-x", xprintf("%" PRId64, o->pid));
	if (o->output)
		add(a, "-o", o->output);
	if (o->buffer_mb)
		add(a, "-s", xprintf("%" PRId64, o->buffer_mb));
	if (o->time_limit)
		add(a, "-T", xprintf("%" PRId64, o->time_limit));
	if (o->no_warnings)
		add(a, "-w", NULL);
	if (o->children)
		add(a, "--children", NULL);
	if (o->target_status)
		add(a, "--target-status", NULL);
	add(a, s->artifact, NULL);
}

int pass_run(struct session *s)
{
	const char *staprun = find_staprun();
	arg_vec a = {0};

	if (staprun) {
		vec_push(&a, staprun);
		staprun_args(s, &a);
		vec_push(&a, NULL);
		fflush(NULL);
		execv(staprun, (char *const *)a.v);
	}
	diag_error(E_IO, (struct loc){0}, "cannot run %s: %s", staprun ? staprun : "staprun",
		   strerror(staprun ? errno : ENOENT));
	return 1;
}
