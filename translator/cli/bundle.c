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
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "createfile.h"
#include "base/digest.h"
#include "base/installed.h"
#include "base/subprocess.h"
#include "bundle.h"
#include "passes.h"

struct bundle {
	struct bundle_words words;
	const char *top, *dir;     /* temporary directory, and the bundle's directory in it */
	text_vec files, artifacts; /* names in DIR; ARTIFACTS are in both */
	struct strbuf sums;        /* SHA256SUMS */
	const char *interpreter;   /* name of the dynamic linker in DIR; NULL: staprun is static */
	int (*compile)(int argc, char **argv);
};

static bool failed(const char *what, const char *path)
{
	diag_error(E_IO, (struct loc){0}, "cannot %s %s: %s", what, path, strerror(errno));
	return false;
}

/* ----------------------------------------------------------------------- files */

static mode_t mask(void)
{
	mode_t m = umask(0);

	umask(m);
	return m;
}

/* Add the file NAME with the N bytes of DATA to the bundle. */
static bool add_file(struct bundle *b, const char *name, const char *data, size_t n, mode_t mode)
{
	const char *path = xprintf("%s/%s", b->dir, name);
	unsigned char sum[DIGEST_SIZE];
	int fd = private_open(path, O_WRONLY | O_EXCL);
	bool ok;

	if (fd < 0)
		return failed("write", path);
	vec_push(&b->files, name);
	ok = write(fd, data, n) == (ssize_t)n && !fchmod(fd, mode & ~mask());
	ok = !close(fd) && ok;
	if (!ok)
		return failed("write", path);
	digest_bytes(data, n, sum);
	for (size_t i = 0; i < sizeof sum; i++)
		sb_printf(&b->sums, "%02x", sum[i]);
	sb_printf(&b->sums, "  %s\n", name);
	return true;
}

static bool has(const text_vec *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i], name))
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Copy the file at PATH; several targets may share one. */
static bool add_copy(struct bundle *b, const char *path, mode_t mode)
{
	const char *name = base_name(path);
	size_t n;
	char *data;

	if (has(&b->files, name))
		return true;
	data = read_file(path, &n);
	return data ? add_file(b, name, data, n, mode) : failed("read", path);
}

/* Copy staprun and what ldd(1) lists: lines "NAME => PATH (ADDRESS)", and "PATH (ADDRESS)" of the
 * dynamic linker. */
static bool add_staprun(struct bundle *b)
{
	const char *staprun = staprun_path(), *ldd = find_tool("ldd");
	char *list = staprun && ldd ? command_output((const char *const[]){ldd, staprun, NULL})
				    : NULL;

	if (!staprun) {
		errno = ENOENT;
		return failed("find", "staprun");
	}
	for (char *line = list ? strtok(list, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		const char *path = strchr(line, '/');

		if (!path)
			continue;
		path = xstrndup(path, strcspn(path, " "));
		if (!strstr(line, "=>"))
			b->interpreter = base_name(path);
		if (!add_copy(b, path, 0755))
			return false;
	}
	return add_copy(b, staprun, 0755);
}

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
	if (!has(&b->artifacts, base_name(path)))
		vec_push(&b->artifacts, base_name(path));
	return add_copy(b, path, 0644);
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

/* ------------------------------------------------------------------------- run */

/* TEXT as one word of a shell. */
static void add_word(struct strbuf *sb, const char *text)
{
	sb_add(sb, " '");
	for (; *text; text++)
		if (*text == '\'')
			sb_add(sb, "'\\''");
		else
			sb_addn(sb, text, 1);
	sb_add(sb, "'");
}

static const char run_begin[] =
	"#!/bin/sh\n"
	"# Run a script that `ustap bundle' compiled: check the files of the bundle, choose the\n"
	"# build for this machine, and start staprun(8) with it.\n"
	"# usage: run [--manifest=SHA256] [OPTION OF STAPRUN]... [GLOBAL=VALUE]...\n"
	"unset POSIXLY_CORRECT\n"
	"fail() { echo \"$0: $*\" >&2; exit 3; }\n"
	"here=$(cd -- \"$(dirname -- \"$0\")\" && pwd -P) || exit 3\n"
	"case $here in\n"
	"*[:\\;]*) fail \"$here: the path of a bundle cannot contain a colon or semicolon\" ;;\n"
	"esac\n"
	"case ${1-} in\n"
	"--manifest=*)\n"
	"	sum=$(sha256sum < \"$here/SHA256SUMS\") || exit 3\n"
	"	[ \"${sum%% *}\" = \"${1#--manifest=}\" ] ||\n"
	"		fail \"SHA256SUMS does not have the hash of --manifest: copy the bundle "
	"again\"\n"
	"	shift ;;\n"
	"esac\n"
	"report=$(cd -- \"$here\" && sha256sum -c SHA256SUMS 2>&1) || {\n"
	"	printf '%s\\n' \"$report\" | grep -v ': OK$' >&2\n"
	"	fail \"a file differs from SHA256SUMS: copy the bundle again\"\n"
	"}\n";

/* The command that starts staprun: by the bundle's own dynamic linker and libraries. */
static const char *staprun_command(const struct bundle *b)
{
	if (!b->interpreter)
		return "\"$here/staprun\"";
	return xprintf("\"$here/%s\" --library-path \"$here\" \"$here/staprun\"", b->interpreter);
}

/* S: the options of the command line. */
static bool add_run(struct bundle *b, const struct session *s)
{
	struct strbuf run = {0};
	arg_vec args = {0};

	sb_add(&run, run_begin);
	sb_printf(&run, "artifact=$(%s --choose", staprun_command(b));
	for (size_t i = 0; i < b->artifacts.n; i++)
		sb_printf(&run, " \\\n\t\"$here/%s\"", b->artifacts.v[i]);
	sb_printf(&run, ") || exit\nexec %s", staprun_command(b));
	vec_push(&args, "--name");
	vec_push(&args, s->opt.script_file ? base_name(s->opt.script_file) : "ustap -e");
	if (s->opt.flight)
		vec_push(&args, "-L");
	loader_args(s, &args);
	for (size_t i = 0; i < args.n; i++)
		add_word(&run, args.v[i]);
	sb_add(&run, " \"$artifact\" \"$@\"\n");
	return add_file(b, "run", run.s, run.n, 0755);
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

/* Equal bundles make equal archives. */
static bool pack(const struct bundle *b)
{
	const char *name = base_name(b->words.output), *tar = find_tool("tar");
	const char *made = xprintf("%s/%s", b->top, name);
	const char *const argv[] = {tar,
				    "--sort=name",
				    "--owner=0",
				    "--group=0",
				    "--numeric-owner",
				    "--mtime=@0",
				    "-C",
				    b->top,
				    "-caf",
				    made,
				    "--",
				    base_name(b->dir),
				    NULL};
	bool ok;

	if (!tar || run_command(argv, NULL, NULL)) {
		diag_error(E_IO, (struct loc){0}, "tar cannot make %s", b->words.output);
		diag_hint("apt install tar, and gzip, xz-utils or zstd for its compression");
		unlink(made);
		return false;
	}
	ok = !rename(made, b->words.output);
	if (!ok)
		failed("write", b->words.output);
	unlink(made);
	return ok;
}

static bool deliver(const struct bundle *b)
{
	if (archive_stem(base_name(b->words.output)))
		return pack(b);
	return !chmod(b->dir, 0777 & ~mask()) && !rename(b->dir, b->words.output)
		       ? true
		       : failed("make", b->words.output);
}

/* A temporary directory beside the result, and in it the bundle's. */
static bool begin(struct bundle *b)
{
	const char *name = base_name(b->words.output);
	size_t stem = archive_stem(name);
	char *top = xprintf("%s.XXXXXX", b->words.output);

	if (!mkdtemp(top))
		return failed("make", top);
	b->top = top;
	b->dir = xprintf("%s/%s", top, stem ? xstrndup(name, stem) : name);
	return !mkdir(b->dir, 0755) || failed("make", b->dir);
}

static void clean_up(const struct bundle *b)
{
	for (size_t i = 0; i < b->files.n; i++)
		unlink(xprintf("%s/%s", b->dir, b->files.v[i]));
	rmdir(b->dir);
	rmdir(b->top);
}

static bool fill(struct bundle *b, const struct session *s)
{
	unsigned char sum[DIGEST_SIZE];
	struct strbuf sums;

	if (!add_builds(b) || !add_staprun(b) || !add_run(b, s))
		return false;
	sums = b->sums;
	if (!add_file(b, "SHA256SUMS", sums.s, sums.n, 0644) || !deliver(b))
		return false;
	digest_bytes(sums.s, sums.n, sum);
	for (size_t i = 0; i < sizeof sum; i++)
		printf("%02x", sum[i]);
	printf("  %s\n", b->words.output);
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
