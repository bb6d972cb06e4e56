/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bundles for the hosts of --remote: one for each kernel release, or one for the user runtime. A
 * child process compiles, one at a time, while hosts connect and others already run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/environment.h"
#include "base/subprocess.h"
#include "base/trust.h"
#include "bundle.h"
#include "remote.h"

static const char *own_machine(void)
{
	static struct utsname u;

	uname(&u);
	return u.machine;
}

/* The kernel release to build for on this host; NULL: the user runtime. */
static const char *release_for(const struct session *s, const struct remote_system *system)
{
	if (s->opt.runtime == RT_USER || (s->opt.runtime == RT_AUTO && !system->root))
		return NULL;
	return system->release;
}

struct remote_build *remote_build_for(remote_builds *all, const struct session *s,
				      const struct remote_system *system, const char **why)
{
	const char *release = release_for(s, system);
	struct remote_build *b;

	if (strcmp(system->machine, own_machine()) != 0) {
		*why = xprintf("scripts are built for %s only, the host is %s", own_machine(),
			       system->machine);
		return NULL;
	}
	for (size_t i = 0; i < all->n; i++) {
		b = all->v[i];
		if (!release == !b->release && (!release || !strcmp(release, b->release)))
			return b;
	}
	b = xalloc(sizeof *b);
	b->release = release ? xstrdup(release) : NULL;
	b->out = -1;
	vec_push(all, b);
	return b;
}

/* ----------------------------------------------------------------- compiling */

struct compile {
	struct session *s;
	const struct remote_build *b;
};

/* In a child: compile for the next --sysroot. */
static int compile_child(void *arg)
{
	struct compile *c = arg;
	struct options *o = &c->s->opt;
	const char *release = c->b->release;
	struct unusable why;
	int status;

	o->stop_after = 4;
	o->release = release;
	if (o->roots.n)
		enter_root(o->roots.v[c->b->artifacts.n]);
	if (!release) {
		o->runtime = RT_USER;
	} else if (o->runtime == RT_AUTO && !backends[RT_KERNEL]->usable(c->s, &why)) {
		fprintf(stderr, "ustap: runtime: user (%s)\n", why.msg);
		o->runtime = RT_USER;
		o->release = NULL;
	}
	status = c->b->compile(c->s);
	private_dir_remove(o->keep);
	return status;
}

static void start_child(struct remote_build *b, struct session *s)
{
	struct compile c = {s, b};

	b->path.n = 0;
	b->child = child_start(compile_child, &c, &b->out);
	b->state = b->child < 0 ? BUILD_FAILED : BUILD_RUNS;
}

void remote_build_start(remote_builds *all, struct session *s, int (*compile)(struct session *s))
{
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i]->state == BUILD_RUNS)
			return;
	for (size_t i = 0; i < all->n; i++) {
		if (all->v[i]->state != BUILD_WAITS)
			continue;
		all->v[i]->compile = compile;
		start_child(all->v[i], s);
		return;
	}
}

/* ------------------------------------------------------------------- packing */

static bool map_archive(struct remote_build *b, const char *archive)
{
	int fd = open_regular(archive);
	struct stat st;
	void *map = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st))
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return bundle_failed("read", archive);
	b->archive = map;
	b->size = (size_t)st.st_size;
	return true;
}

static bool add_artifacts(struct bundle_files *files, const text_vec *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		if (!bundle_add_artifact(files, paths->v[i]))
			return false;
	return true;
}

static bool pack(struct remote_build *b, const struct session *s)
{
	const char *top = private_dir(), *archive = xprintf("%s/bundle.tar", top), *sum;
	struct bundle_files files = {.dir = xprintf("%s/bundle", top)};
	bool ok;

	if (!top)
		return false;
	if (mkdir(files.dir, 0755))
		return bundle_failed("make", files.dir);
	sum = add_artifacts(&files, &b->artifacts) && bundle_add_staprun(&files) &&
			      bundle_add_run(&files, s)
		      ? bundle_add_sums(&files)
		      : NULL;
	ok = sum && bundle_pack(&files, archive) && map_archive(b, archive);
	bundle_remove(&files);
	unlink(archive);
	if (ok)
		b->archive_start = xprintf("%zu %s\n", b->size, sum);
	return ok;
}

/* The child's exit status. */
static int wait_for_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

void remote_build_read(struct remote_build *b, struct session *s)
{
	enum { LONGEST_PATH = 4096 };
	char buf[512];
	ssize_t n = read(b->out, buf, sizeof buf);

	if (n > 0 && b->path.n < LONGEST_PATH)
		sb_addn(&b->path, buf, (size_t)n);
	if (n > 0 || (n < 0 && errno == EINTR))
		return;
	close(b->out);
	b->out = -1;
	if (wait_for_child(b->child) != 0 || !b->path.n || *b->path.s != '/') {
		b->state = BUILD_FAILED;
		return;
	}
	vec_push(&b->artifacts, xstrndup(b->path.s, strcspn(b->path.s, "\n")));
	if (b->artifacts.n < s->opt.roots.n)
		start_child(b, s);
	else
		b->state = pack(b, s) ? BUILD_READY : BUILD_FAILED;
}
