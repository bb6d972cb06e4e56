/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `ustap bundle': a directory or an archive that runs a script on machines without ustap.
 *
 * It contains one build for each kernel release and each tree of programs, staprun with the shared
 * libraries that it needs, the program `run', and SHA256SUMS. A child process makes each build by
 * the options of the command line, as `ustap -p4' does. The files are written beside the result,
 * which appears by rename(2), so an interrupted command leaves no incomplete bundle.
 */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/subprocess.h"
#include "bundle.h"
#include "passes.h"

struct bundle {
	struct bundle_words words;
	const char *top; /* temporary directory, which the directory of FILES is in */
	struct bundle_files files;
	int (*compile)(int argc, char **argv);
};

/* ---------------------------------------------------------------------- builds */

struct compile {
	const struct bundle *b;
	const arg_vec *words; /* which NULL ends */
};

/* In a child: compile, and print the path of the result. */
static int compile_child(void *arg)
{
	const struct compile *c = arg;

	return c->b->compile((int)c->words->n - 1, (char **)c->words->v);
}

/* Add one build; the values are NULL where the option is absent. */
static bool add_build(struct bundle *b, const char *runtime, const char *release, const char *root)
{
	arg_vec words = {0};
	char *path;

	vec_push(&words, "ustap");
	vec_push(&words, "-p4");
	if (runtime)
		vec_push(&words, xprintf("--runtime=%s", runtime));
	if (release)
		vec_push(&words, xprintf("-r%s", release));
	if (root)
		vec_push(&words, xprintf("--sysroot=%s", root));
	for (size_t i = 0; i < b->words.rest.n; i++)
		vec_push(&words, b->words.rest.v[i]);
	vec_push(&words, NULL);
	path = child_output(compile_child, &(struct compile){b, &words});
	if (!path || *path != '/') {
		diag_error(E_BUILD, (struct loc){0}, "the build%s%s%s%s failed",
			   release ? " for kernel " : "", release ? release : "",
			   root ? " for the programs in " : "", root ? root : "");
		return false;
	}
	path[strcspn(path, "\n")] = 0;
	return bundle_add_artifact(&b->files, path);
}

/* One build for each runtime, kernel release and tree of programs; NULL stands for an empty
 * list. */
static bool add_builds(struct bundle *b)
{
	struct bundle_words *w = &b->words;

	if (!w->runtime.n)
		vec_push(&w->runtime, NULL);
	if (!w->releases.n)
		vec_push(&w->releases, NULL);
	if (!w->roots.n)
		vec_push(&w->roots, NULL);
	for (size_t i = 0; i < w->runtime.n; i++) {
		bool user = w->runtime.v[i] && !strcmp(w->runtime.v[i], "user");

		for (size_t k = 0; k < (user ? 1 : w->releases.n); k++)
			for (size_t r = 0; r < w->roots.n; r++)
				if (!add_build(b, w->runtime.v[i], user ? NULL : w->releases.v[k],
					       w->roots.v[r]))
					return false;
	}
	return true;
}

/* ---------------------------------------------------------------------- result */

/* Length of NAME without a suffix of archives; 0 if NAME is not one of an archive. */
static size_t archive_stem(const char *name)
{
	static const char *const suffixes[] = {".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.zst"};
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		size_t m = strlen(suffixes[i]);

		if (n > m && !strcmp(name + n - m, suffixes[i]))
			return n - m;
	}
	return 0;
}

static bool pack(const struct bundle *b)
{
	const char *made = xprintf("%s/%s", b->top, base_name(b->words.output));
	bool ok = bundle_pack(&b->files, made) &&
		  (!rename(made, b->words.output) || bundle_failed("write", b->words.output));

	unlink(made);
	return ok;
}

static bool deliver(const struct bundle *b)
{
	if (archive_stem(base_name(b->words.output)))
		return pack(b);
	return (!chmod(b->files.dir, 0777 & ~creation_mask()) &&
		!rename(b->files.dir, b->words.output)) ||
	       bundle_failed("make", b->words.output);
}

/* A temporary directory beside the result, and in it the bundle's. */
static bool begin(struct bundle *b)
{
	const char *name = base_name(b->words.output);
	size_t stem = archive_stem(name);
	char *top = xprintf("%s.XXXXXX", b->words.output);

	if (!mkdtemp(top))
		return bundle_failed("make", top);
	b->top = top;
	b->files.dir = xprintf("%s/%s", top, stem ? xstrndup(name, stem) : name);
	return !mkdir(b->files.dir, 0755) || bundle_failed("make", b->files.dir);
}

static void clean_up(const struct bundle *b)
{
	bundle_remove(&b->files);
	rmdir(b->top);
}

static bool fill(struct bundle *b, const struct session *s)
{
	const char *sum;

	if (!add_builds(b) || !bundle_add_staprun(&b->files) || !bundle_add_run(&b->files, s) ||
	    (b->words.key && !bundle_add_time(&b->files)))
		return false;
	sum = bundle_add_sums(&b->files);
	if (!sum || (b->words.key && !bundle_sign(&b->files, b->words.key)) || !deliver(b))
		return false;
	printf("%s  %s\n", sum, b->words.output);
	return true;
}

/* --------------------------------------------------------------- command line */

static void check_output(const struct bundle *b)
{
	const char *name = b->words.output ? base_name(b->words.output) : "";
	struct stat st;

	if (!*name || !strcmp(name, ".") || !strcmp(name, "..")) {
		option_error("bundle: give the directory or the archive to be made with -o");
		diag_hint("for example: ustap bundle script.stp -o script.tar.gz");
	} else if (!archive_stem(name) && !lstat(b->words.output, &st)) {
		option_error("bundle: %s exists", b->words.output);
		diag_hint("remove it, or give another name with -o");
	}
}

/* Options that have no meaning for scripts that run elsewhere. */
static void check_options(const struct session *s)
{
	if (s->opt.stop_after != 4 || s->opt.dump || s->opt.list || s->opt.explain ||
	    s->opt.prepare || s->opt.interactive || s->opt.language_server || s->opt.show_cache ||
	    s->opt.clean_cache || s->opt.list_runs || s->opt.cleanup)
		option_error("bundle: leave out the options that do not build a script");
	if (s->opt.pids.n)
		option_error("bundle: -x names a process of this machine; give -x to `run' of the "
			     "bundle");
	if (s->opt.module_name)
		option_error("bundle: leave out -m: the builds of a script have different names");
	if (s->opt.no_cache)
		option_error("bundle: leave out --disable-cache; --poison-cache also builds anew");
	if (s->opt.otlp)
		option_error("bundle: leave out --otlp, whose sender is not in a bundle; "
			     "--output=otlp writes the same to a file");
	if (s->opt.prometheus)
		option_error("bundle: leave out --prometheus, whose server is not in a bundle");
	if (s->opt.ready_fd)
		option_error("bundle: give --ready-fd to `run' of the bundle");
}

/* Read the options as each compile will; false after an error. */
static bool check_words(const struct bundle *b, struct session *s)
{
	arg_vec words = {0};

	vec_push(&words, "ustap");
	vec_push(&words, "-p4");
	for (size_t i = 0; i < b->words.rest.n; i++)
		vec_push(&words, b->words.rest.v[i]);
	vec_push(&words, NULL);
	if (options_parse(s, (int)words.n - 1, (char **)words.v) != OPTIONS_OK)
		return false;
	check_output(b);
	check_options(s);
	return !diag_errors();
}

int make_bundle(int argc, char **argv, int (*compile_words)(int argc, char **argv))
{
	struct bundle b = {.compile = compile_words};
	struct session s = {0};
	bool ok;

	bundle_words_sort(&b.words, argc, argv);
	if (!check_words(&b, &s))
		return diag_errors() ? 2 : EXIT_SUCCESS;
	ok = begin(&b) && fill(&b, &s);
	if (b.top)
		clean_up(&b);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
