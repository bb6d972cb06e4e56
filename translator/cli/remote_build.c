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
	const char *release;
	int (*compile)(struct session *s);
};

/* In a child. */
static int compile_child(void *arg)
{
	struct compile *c = arg;
	struct options *o = &c->s->opt;
	struct unusable why;
	int status;

	o->stop_after = 4;
	o->release = c->release;
	if (!c->release) {
		o->runtime = RT_USER;
	} else if (o->runtime == RT_AUTO && !backends[RT_KERNEL]->usable(c->s, &why)) {
		fprintf(stderr, "ustap: runtime: user (%s)\n", why.msg);
		o->runtime = RT_USER;
		o->release = NULL;
	}
	status = c->compile(c->s);
	private_dir_remove(o->keep);
	return status;
}

void remote_build_start(remote_builds *all, struct session *s, int (*compile)(struct session *s))
{
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i]->state == BUILD_RUNS)
			return;
	for (size_t i = 0; i < all->n; i++) {
		struct remote_build *b = all->v[i];
		struct compile c = {s, b->release, compile};

		if (b->state != BUILD_WAITS)
			continue;
		b->child = child_start(compile_child, &c, &b->out);
		b->state = b->child < 0 ? BUILD_FAILED : BUILD_RUNS;
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

static bool pack(struct remote_build *b, const struct session *s, const char *artifact)
{
	const char *top = private_dir(), *archive = xprintf("%s/bundle.tar", top), *sum;
	struct bundle_files files = {.dir = xprintf("%s/bundle", top)};
	bool ok;

	if (!top)
		return false;
	if (mkdir(files.dir, 0755))
		return bundle_failed("make", files.dir);
	sum = bundle_add_artifact(&files, artifact) && bundle_add_staprun(&files) &&
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

void remote_build_read(struct remote_build *b, const struct session *s)
{
	enum { LONGEST_PATH = 4096 };
	char buf[512];
	ssize_t n = read(b->out, buf, sizeof buf);
	bool ok;

	if (n > 0 && b->path.n < LONGEST_PATH)
		sb_addn(&b->path, buf, (size_t)n);
	if (n > 0 || (n < 0 && errno == EINTR))
		return;
	close(b->out);
	b->out = -1;
	ok = wait_for_child(b->child) == 0 && b->path.n && *b->path.s == '/';
	if (ok) {
		b->path.s[strcspn(b->path.s, "\n")] = 0;
		ok = pack(b, s, b->path.s);
	}
	b->state = ok ? BUILD_READY : BUILD_FAILED;
}
