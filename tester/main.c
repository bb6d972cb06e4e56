/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ustap test: what to run, several at a time, and what came out. */
#include "tester.h"
#include "report/test_points.h"
#include "base/message.h"
#include "standard_output.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_OK, STATUS_FAILED, STATUS_USAGE };

static const char usage[] =
	"Usage: ustap test [OPTION]... DIRECTORY|FILE...\n"
	"Run scripts (*.stp) as tests, whose comments contain the expected output.\n"
	"\n"
	"  -j, --jobs=N         run N tests at a time (default: the number of CPUs)\n"
	"      --only=WORD      run only tests whose names contain WORD; may be repeated\n"
	"      --timeout=SECONDS  limit the time of each run (default: 60)\n"
	"      --programs=DIR   directory of `program:' files that are not beside the test\n"
	"      --root=DIR       base of `script:' paths (default: the test's directory)\n"
	"      --runtime=R      compile for the runtime user (default) or kernel\n"
	"      --report=tap|junit[:FILE]  write the results in this format, or also to FILE\n"
	"      --list           list the names of the tests, and exit\n"
	"      --keep           keep the directory of the run, and print its path\n"
	"  -h, --help           print this summary\n"
	"\n"
	"See ustap-test(1) for the comments.\n"
	"Exit status: 0 all tests passed; 1 a test failed; 2 a wrong option, or no tests found.\n";

static struct options_of_main {
	struct setting set;
	struct strings only;
	const char *report, *report_file, *name;
	bool list;
} opt;

/* --------------------------------------------------------------------- options */

static bool take_number(const char *text, unsigned *value)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*value = (unsigned)n;
	return *end || !n || n > 1000000 ? fail("\"%s\" is not a positive number", text) : true;
}

static bool take_directory(const char **dir)
{
	*dir = realpath(optarg, NULL);
	return *dir || fail("%s: %s", optarg, strerror(errno));
}

static bool one_option(int c)
{
	switch (c) {
	case 'j':
		return take_number(optarg, &opt.set.jobs);
	case 'o':
		strings_add(&opt.only, optarg, strlen(optarg));
		return true;
	case 't':
		return take_number(optarg, &opt.set.timeout);
	case 'p':
		return take_directory(&opt.set.programs);
	case 'R':
		return take_directory(&opt.set.root);
	case 'r':
		opt.set.runtime = optarg;
		return !strcmp(optarg, "user") || !strcmp(optarg, "kernel") ||
		       fail("--runtime is user or kernel, not %s", optarg);
	case 'T':
		opt.report = optarg;
		return points_kind(optarg, &opt.report_file) ||
		       fail("--report %s: unknown report type; use tap or junit", optarg);
	case 'l':
		opt.list = true;
		return true;
	case 'k':
		opt.set.keep = true;
		return true;
	}
	return hint("see: ustap test --help");
}

static const struct option long_options[] = {{"jobs", required_argument, NULL, 'j'},
					     {"only", required_argument, NULL, 'o'},
					     {"timeout", required_argument, NULL, 't'},
					     {"programs", required_argument, NULL, 'p'},
					     {"root", required_argument, NULL, 'R'},
					     {"runtime", required_argument, NULL, 'r'},
					     {"report", required_argument, NULL, 'T'},
					     {"list", no_argument, NULL, 'l'},
					     {"keep", no_argument, NULL, 'k'},
					     {"help", no_argument, NULL, 'h'},
					     {0}};

/* Beside this program in the build tree, else where they are installed. */
static const char *find_program(const char *name)
{
	char path[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 32);

	path[n > 0 ? n : 0] = 0;
	slash = strrchr(path, '/');
	if (slash) {
		strcpy(slash + 1, name);
		if (!access(path, X_OK))
			return xstrndup(path, strlen(path));
	}
	snprintf(path, sizeof path, "%s/%s", BINDIR, name);
	return xstrndup(path, strlen(path));
}

/* ---------------------------------------------------------------- what there is */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_wanted(const char *name)
{
	for (size_t i = 0; i < opt.only.n; i++)
		if (strstr(name, opt.only.v[i]))
			return true;
	return !opt.only.n;
}

static void read_file(struct tests *all, const char *path, const char *name, bool named)
{
	char *full = realpath(path, NULL), *plain = xstrndup(name, strlen(name) - strlen(".stp"));

	directives_read(all, full ? full : path, plain, named);
	free(full);
	free(plain);
}

static bool is_script(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && !strcmp(name + n - 4, ".stp");
}

/* Add the tests in directory PATH. BELOW is its path below the first directory, "" or ending
 * with a slash. */
static bool read_directory(struct tests *all, const char *path, const char *below)
{
	DIR *d = opendir(path);
	struct strings names = {0};
	struct dirent *e;

	if (!d)
		return fail("%s: %s", path, strerror(errno));
	while ((e = readdir(d)))
		if (*e->d_name != '.')
			strings_add(&names, e->d_name, strlen(e->d_name));
	closedir(d);
	if (names.n)
		qsort(names.v, names.n, sizeof *names.v, by_name);
	for (size_t i = 0; i < names.n; i++) {
		char full[PATH_MAX], name[PATH_MAX];
		struct stat st;

		snprintf(full, sizeof full, "%s/%s", path, names.v[i]);
		snprintf(name, sizeof name, "%s%s", below, names.v[i]);
		if (stat(full, &st))
			continue;
		if (S_ISREG(st.st_mode) && is_script(name))
			read_file(all, full, name, false);
		strcat(name, "/");
		if (S_ISDIR(st.st_mode) && !read_directory(all, full, name))
			return false;
		free(names.v[i]);
	}
	free(names.v);
	return true;
}

static bool read_all(struct tests *all, char **paths)
{
	for (; *paths; paths++) {
		const char *slash = strrchr(*paths, '/');
		struct stat st;

		if (stat(*paths, &st))
			return fail("%s: %s", *paths, strerror(errno));
		if (S_ISDIR(st.st_mode) && !read_directory(all, *paths, ""))
			return false;
		if (!S_ISDIR(st.st_mode) && !is_script(*paths))
			return fail("%s: the name of a script must end in .stp", *paths);
		if (!S_ISDIR(st.st_mode))
			read_file(all, *paths, slash ? slash + 1 : *paths, true);
	}
	return true;
}

/* Only those that are wanted. */
static void narrow(struct tests *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (is_wanted(all->v[i].name))
			all->v[n++] = all->v[i];
	all->n = n;
	for (size_t i = 0; i < n; i++)
		script_locate(&opt.set, &all->v[i]);
}

/* ---------------------------------------------------------------------- running */

static struct {
	struct tests *all;
	size_t next, shown;
	pthread_mutex_t lock;
} work = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void show(const struct test *t)
{
	if (opt.report && !opt.report_file)
		return;
	if (t->skipped) {
		printf("skip %s: %s\n", t->name, t->skipped);
	} else if (!t->problems.n) {
		printf("ok   %s (%.1f s)\n", t->name, t->seconds);
	} else {
		printf("FAIL %s (%.1f s)\n", t->name, t->seconds);
		for (size_t i = 0; i < t->problems.n; i++)
			printf("  %s%s", t->problems.v[i],
			       t->problems.v[i][strlen(t->problems.v[i]) - 1] == '\n' ? "" : "\n");
	}
	fflush(stdout);
}

/* In order of the tests, as soon as all before are done. */
static void show_done(void)
{
	while (work.shown < work.all->n && work.all->v[work.shown].done)
		show(&work.all->v[work.shown++]);
}

static void *worker(void *arg)
{
	for (;;) {
		struct test *t;

		pthread_mutex_lock(&work.lock);
		t = work.next < work.all->n ? &work.all->v[work.next++] : NULL;
		pthread_mutex_unlock(&work.lock);
		if (!t)
			return arg;
		test_run(&opt.set, t);
		pthread_mutex_lock(&work.lock);
		t->done = true;
		show_done();
		pthread_mutex_unlock(&work.lock);
	}
}

static void run_all(struct tests *all)
{
	pthread_t threads[opt.set.jobs];
	unsigned n = 0;

	work.all = all;
	while (n + 1 < opt.set.jobs && n + 1 < all->n &&
	       !pthread_create(&threads[n], NULL, worker, NULL))
		n++;
	worker(NULL);
	while (n)
		pthread_join(threads[--n], NULL);
}

/* ---------------------------------------------------------------------- results */

static const char *reasons(const struct test *t)
{
	struct text s = {0};

	text_put(&s, t->skipped ? t->skipped : "");
	for (size_t i = 0; i < t->problems.n; i++) {
		text_put(&s, t->problems.v[i]);
		text_put(&s, "\n");
	}
	return s.s;
}

static bool write_report(const struct tests *all, double seconds)
{
	struct point *v = xrealloc(NULL, all->n * sizeof *v);
	struct text s = {0};
	bool ok;

	for (size_t i = 0; i < all->n; i++) {
		const struct test *t = &all->v[i];

		v[i] = (struct point){t->skipped      ? POINT_SKIPPED
				      : t->problems.n ? POINT_FAILED
						      : POINT_PASSED,
				      t->name, reasons(t), t->seconds};
	}
	if (!strcmp(opt.report, "tap"))
		points_tap(&s, v, all->n);
	else
		points_junit(&s, "ustap test", v, all->n, seconds);
	ok = points_write(opt.report_file, &s);
	if (!ok)
		fail("%s: %s", opt.report_file ? opt.report_file : "standard output",
		     strerror(errno));
	free(v);
	free(s.s);
	return ok;
}

static int finish(const struct tests *all, double seconds)
{
	size_t failed = 0, skipped = 0;
	bool written = !opt.report || write_report(all, seconds);

	for (size_t i = 0; i < all->n; i++) {
		failed += !all->v[i].skipped && all->v[i].problems.n;
		skipped += all->v[i].skipped != NULL;
	}
	if (!opt.report || opt.report_file)
		printf("%zu passed, %zu failed, %zu skipped\n", all->n - failed - skipped, failed,
		       skipped);
	return failed || !written ? STATUS_FAILED : STATUS_OK;
}

static void remove_work(void)
{
	int status = 0;
	pid_t pid;

	if (opt.set.keep) {
		say("kept %s", opt.set.work);
		return;
	}
	pid = fork();
	if (!pid) {
		execlp("rm", "rm", "-rf", opt.set.work, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		say("cannot remove %s", opt.set.work);
}

static bool make_work(void)
{
	const char *tmp = getenv("TMPDIR");
	char *path = NULL;

	if (asprintf(&path, "%s/ustap-test-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0 ||
	    !mkdtemp(path))
		return fail("cannot make a directory %s: %s", path ? path : "", strerror(errno));
	opt.set.work = path;
	return true;
}

static int run_and_tell(struct tests *all)
{
	uint64_t begun = clock_ns();
	int status;

	if (!make_work())
		return STATUS_FAILED;
	run_all(all);
	status = finish(all, (double)(clock_ns() - begun) / 1e9);
	remove_work();
	return status;
}

/* STATUS, or STATUS_FAILED if a part of the output was lost. */
static int end_output(int status)
{
	const char *why = standard_output_end();

	if (why)
		say("cannot write to standard output: %s", why);
	return why ? STATUS_FAILED : status;
}

int main(int argc, char **argv)
{
	struct tests all = {0};
	int c;

	messages_from("ustap test: ");
	if (argc > 1 && !strcmp(argv[1], "--suite"))
		return suite_main(argc - 2, argv + 2);
	opt.set = (struct setting){.ustap = find_program("ustap"),
				   .staprun = find_program("staprun"),
				   .runtime = "user",
				   .timeout = 60,
				   .jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN)};
	while ((c = getopt_long(argc, argv, "j:h", long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			return end_output(STATUS_OK);
		}
		if (!one_option(c))
			return STATUS_USAGE;
	}
	if (optind == argc) {
		say("no tests given: name a directory or files");
		hint("see: ustap test --help");
		return STATUS_USAGE;
	}
	if (!read_all(&all, argv + optind))
		return STATUS_USAGE;
	narrow(&all);
	if (!all.n) {
		say("no tests found");
		return STATUS_USAGE;
	}
	if (!opt.list)
		return end_output(run_and_tell(&all));
	for (size_t i = 0; i < all.n; i++)
		puts(all.v[i].name);
	return end_output(STATUS_OK);
}
