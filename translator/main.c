/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Main: the passes, in order. */
#include "config.h"
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "cli/options.h"
#include "passes.h"
#include "base/cache.h"
#include "base/cleanup.h"
#include "base/crash_guard.h"
#include "base/environment.h"
#include "base/stack_limit.h"
#include "sema/sema.h"
#include "standard_output.h"

enum { EXIT_OK, EXIT_SCRIPT, EXIT_USAGE, EXIT_LOST = 4 };

static void dump_parsed(struct strbuf *out, const struct session *s)
{
	dump_script(out, &s->script);
}
static void dump_c(struct strbuf *out, const struct session *s) { sb_add(out, s->c_text.s); }

/* Summary of a pass's result for -v. */

static void say_script(struct strbuf *out, const struct session *s)
{
	sb_printf(out, "probes %zu, functions %zu, globals %zu", s->script.probes.n,
		  s->script.funcs.n, s->script.globals.n);
}

static void say_program(struct strbuf *out, const struct session *s)
{
	size_t sites = 0;

	for (size_t i = 0; i < s->program.probes.n; i++)
		sites += s->program.probes.v[i]->sites.n;
	sb_printf(out, "handlers %zu, sites %zu, functions %zu, globals %zu", s->program.probes.n,
		  sites, s->program.funcs.n, s->program.globals.n);
}

static void say_c(struct strbuf *out, const struct session *s)
{
	sb_printf(out, "%zu bytes of C", s->c_text.n);
}
static void say_module(struct strbuf *out, const struct session *s)
{
	sb_add(out, s->artifact ? s->artifact : "");
}

const struct pass passes[] = {
	{"parse", 1, pass_parse, say_script, dump_parsed},
	{"aliases", 2, pass_aliases, say_script, dump_parsed},
	{"resolve", 2, pass_resolve, say_script, dump_parsed},
	{"elide", 2, pass_elide, say_script, dump_parsed},
	{"points", 2, pass_points, say_program, dump_program},
	{"prune", 2, pass_prune, say_program, dump_program},
	{"types", 2, pass_types, say_program, dump_program},
	{"pointers", 2, pass_pointers, say_program, dump_program},
	{"fold", 2, pass_fold, say_program, dump_program},
	{"display", 2, pass_display, say_program, dump_program},
	{"locks", 2, pass_locks, say_program, dump_program},
	{"emit", 3, pass_emit, say_c, dump_c},
	{"build", 4, pass_build, say_module, NULL},
	{NULL, 0, NULL, NULL, NULL},
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void run_pass(struct session *s, const struct pass *p)
{
	uint64_t start = now_ns(), ns;
	struct strbuf made = {0};

	verbose += s->opt.pass_verbose[p->number - 1];
	p->run(s);
	ns = now_ns() - start;
	s->pass_ns[p - passes] = ns;
	p->say(&made, s);
	vlog(1, "pass %d %-8s %9.3f ms  %s", p->number, p->name, (double)ns / 1e6, made.s);
	verbose -= s->opt.pass_verbose[p->number - 1];
}

static void print_dump(const struct session *s, const struct pass *p)
{
	struct strbuf out = {0};

	p->dump(&out, s);
	fwrite(out.s, 1, out.n, stdout);
}

static bool is_dumped(const struct session *s, const struct pass *p)
{
	return s->opt.dump && !strcmp(s->opt.dump, p->name);
}

/* Print the result of the last pass with -p1 to -p4. */
static void print_result(const struct session *s)
{
	static const char *const last[] = {NULL, "parse", "locks", "emit"};

	if (s->opt.stop_after == 4) {
		puts(s->artifact);
		return;
	}
	for (size_t i = 0; passes[i].name; i++)
		if (!strcmp(passes[i].name, last[s->opt.stop_after]))
			print_dump(s, &passes[i]);
}

static bool lists_points(const struct session *s)
{
	return s->opt.list == LIST_POINTS || s->opt.list == LIST_VARIABLES;
}

static int compile_and_run(struct session *s)
{
	if (!sign_key_usable(s))
		return EXIT_SCRIPT;
	for (size_t i = 0; passes[i].name && passes[i].number <= s->opt.stop_after; i++) {
		run_pass(s, &passes[i]);
		if (diag_errors())
			return EXIT_SCRIPT;
		if (lists_points(s) &&
		    passes[i].run == (s->opt.list == LIST_POINTS ? pass_points : pass_types)) {
			print_points(s);
			return EXIT_OK;
		}
		if (s->opt.explain && passes[i].run == pass_locks) {
			explain(s);
			if (s->opt.stop_after == passes[i].number)
				return EXIT_OK;
		}
		if (is_dumped(s, &passes[i])) {
			print_dump(s, &passes[i]);
			return EXIT_OK;
		}
	}
	if (s->opt.stop_after < 5) {
		print_result(s);
		return EXIT_OK;
	}
	return pass_run(s);
}

/* Does this session end with a run of a script? */
static bool is_run(const struct session *s)
{
	return s->opt.stop_after >= 5 && !s->opt.dump && !s->opt.list && !s->opt.prepare;
}

static int do_session(struct session *s)
{
	int status;

	if (s->opt.build_as) {
		bool runs = is_run(s);

		status = build_as(s, runs, do_session);
		if (status && s->opt.report)
			run_was_not(s);
		if (status || !runs)
			return status;
		environment_clean();
		return pass_run(s);
	}
	environment_clean();
	if (s->opt.no_cache && !cache_be_private())
		return EXIT_SCRIPT;
	if (s->opt.language_server)
		return language_server(s);
	if (s->opt.interactive && !s->opt.list)
		return interactive(s, compile_and_run);
	if (s->opt.system_report) {
		system_report(s);
		return EXIT_OK;
	}
	if (s->opt.hosts.n)
		return remote_run(s, compile_and_run);
	if (s->opt.list_runs || s->opt.cleanup)
		return run_leftovers(s);
	if (s->opt.clean_cache)
		cache_clean();
	else if (s->opt.show_cache)
		cache_show();
	else if (s->opt.list && !lists_points(s))
		print_list(s);
	else if (s->opt.prepare)
		prepare(s);
	else {
		status = compile_and_run(s);
		if (s->opt.report && diag_errors())
			run_was_not(s);
		return status;
	}
	return diag_errors() ? EXIT_SCRIPT : EXIT_OK;
}

#ifndef HAVE_JSON_C
int language_server(struct session *s)
{
	(void)s;
	option_error("--language-server: this ustap was built without json-c: install "
		     "libjson-c-dev, run configure again");
	return EXIT_USAGE;
}
#endif

/* ARGV begins with the command NAME; a script of this name is not one. */
static bool is_command(int argc, char **argv, const char *name)
{
	return argc > 1 && !strcmp(argv[1], name) && access(name, F_OK);
}

static enum options_result parse(struct session *s, int argc, char **argv)
{
	bool record = is_command(argc, argv, "record");
	enum options_result result = OPTIONS_OK;

	if (record || is_command(argc, argv, "time")) {
		argc--;
		argv++;
		result = record ? record_options(&argc, &argv) : time_options(s, &argc, &argv);
	}
	return result == OPTIONS_OK ? options_parse(s, argc, argv) : result;
}

/* A compile and staprun have up to 20 files open at a time; with fewer, each of them would report
 * the lack as a fault of its own. */
static bool may_open_files(void)
{
	enum { FEWEST = 24 };
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= FEWEST)
		return true;
	diag_error(E_IO, (struct loc){0}, "only %llu files may be open at a time",
		   (unsigned long long)files.rlim_cur);
	diag_hint("raise the limit: ulimit -n 1024");
	return false;
}

/* Recursion beyond the stack would end ustap by a signal. */
static bool may_use_stack(void)
{
	unsigned long long kib = stack_limit_raise();

	if (!kib)
		return true;
	diag_error(E_IO, (struct loc){0}, "the stack may have only %llu KiB", kib);
	diag_hint("raise the hard limit: ulimit -H -s 8192");
	return false;
}

/* The program's own directory, processes and their memory are found in /proc; /dev/null takes the
 * place of descriptors that programs must not have. */
static bool has_files_of_system(void)
{
	if (access("/proc/self/exe", F_OK)) {
		diag_error(E_IO, (struct loc){0}, "/proc is not mounted");
		diag_hint("mount it: mount -t proc proc /proc");
		return false;
	}
	if (access("/dev/null", R_OK | W_OK)) {
		diag_error(E_IO, (struct loc){0}, "cannot open /dev/null: %s", strerror(errno));
		diag_hint("make it: mknod -m 666 /dev/null c 1 3");
		return false;
	}
	return true;
}

/* Do what the words of a command line say. */
static int do_words(int argc, char **argv)
{
	struct session s = {0};
	int status = EXIT_OK;

	if (!may_open_files() || !may_use_stack())
		return EXIT_SCRIPT;
	switch (parse(&s, argc, argv)) {
	case OPTIONS_WRONG:
		status = EXIT_USAGE;
		break;
	case OPTIONS_DONE:
		break;
	case OPTIONS_OK:
		status = has_files_of_system() ? do_session(&s) : EXIT_SCRIPT;
		break;
	}
	modules_close();
	/* -p4 --disable-cache keeps the file that it printed */
	if (!s.opt.no_cache || s.opt.stop_after != 4 || status)
		private_dir_remove(s.opt.keep);
	return status;
}

int main(int argc, char **argv)
{
	const char *why;
	int status;

	guard_mappings();
	clean_at_signals();
	if (argc > 1 && !strcmp(argv[1], "--complete"))
		return complete_words(argc - 2, argv + 2);
	if (is_command(argc, argv, "test"))
		return run_tool("ustap-test", argv + 1);
	if (is_command(argc, argv, "report") || is_command(argc, argv, "replay"))
		return run_tool("ustap-report", argv + 1);
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* there may be many messages */
	if (is_stap_name(argv[0]))
		status = do_stap_name(argc, argv, do_words);
	else if (is_command(argc, argv, "bundle"))
		status = make_bundle(argc - 1, argv + 1, do_words);
	else
		status = do_words(argc, argv);
	why = standard_output_end();
	if (why)
		diag_error(E_IO, (struct loc){0}, "cannot write to standard output: %s", why);
	arena_free_all();
	return why && status == EXIT_OK ? EXIT_LOST : status;
}
