/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other commands of SystemTap: stap-prep, stap-report and stap-merge are links to ustap, which
 * `configure --enable-stap-alias' installs. Each is a command line of ustap, or the reason why
 * there is nothing to do.
 */
#include <stdio.h>
#include <string.h>
#include "base/kernel_target.h"
#include "base/subprocess.h"
#include "config.h"
#include "dwarf/kernel/kernel_image.h"
#include "options.h"

enum { STATUS_USAGE = 2 };

struct stap_name {
	const char *name, *usage;
	int most; /* words that are not options; -1: any */
	int (*run)(int argc, char **argv, int (*compile_words)(int argc, char **argv));
};

/* -------------------------------------------------------------- stap-prep */

/* Can PACKAGE be installed, as far as apt knows? */
static bool is_available(const char *package)
{
	const char *apt = find_tool("apt-cache");
	const char *const show[] = {apt, "show", package, NULL};

	return apt && command_output(show);
}

static void say_package(const char *package)
{
	if (is_available(package))
		printf("  apt install %s\n", package);
	else
		printf("  package %s is not in this system's package lists\n", package);
}

static void say_kernel(const struct kernel_target *k)
{
	const char *debug = kernel_debug_file(k->release);
	bool headers = kernel_has_headers(k);

	printf("kernel: %s\n", printable(k->release));
	printf("headers: %s\n", headers ? printable(k->build) : "missing");
	if (!headers)
		say_package(kernel_headers_package(printable(k->release)));
	printf("debug information: %s\n",
	       debug ? printable(debug)
		     : "missing; only lines, inlined functions and local variables of the kernel "
		       "need it");
	if (!debug)
		say_package(kernel_debug_package(printable(k->release)));
	fflush(stdout);
}

static int stap_prep(int argc, char **argv, int (*compile_words)(int argc, char **argv))
{
	char *words[] = {"ustap", "--prepare", argc > 1 ? "-r" : NULL, argv[1], NULL};
	struct kernel_target k = kernel_target(argv[1]);
	int status;

	say_kernel(&k);
	status = compile_words(argc > 1 ? 4 : 2, words);
	if (!status)
		puts("the kernel runtime is ready");
	return status;
}

/* ------------------------------------------------- stap-report, stap-merge */

static int stap_report(int argc, char **argv, int (*compile_words)(int argc, char **argv))
{
	char *words[] = {"ustap", "--system-report", NULL};

	(void)argc;
	(void)argv;
	return compile_words(2, words);
}

static int stap_merge(int argc, char **argv, int (*compile_words)(int argc, char **argv))
{
	(void)argc;
	(void)argv;
	(void)compile_words;
	option_error("stap-merge merges the files of stap -b, one for each CPU, which ustap does "
		     "not write");
	diag_hint("ustap -o FILE writes the output of all CPUs to one file, in the order of time; "
		  "merge files of SystemTap with SystemTap's stap-merge");
	return 1;
}

/* ------------------------------------------------------------------- names */

static const struct stap_name names[] = {
	{"stap-prep",
	 "Usage: stap-prep [RELEASE]\n"
	 "Print which packages the kernel RELEASE (default: the running one) needs, and build the\n"
	 "parts of the kernel runtime that scripts share (ustap --prepare). See stap-prep(1).\n",
	 1, stap_prep},
	{"stap-report",
	 "Usage: stap-report\n"
	 "Print facts about this system for a bug report (ustap --system-report). See "
	 "stap-prep(1).\n",
	 0, stap_report},
	{"stap-merge",
	 "Usage: stap-merge [OPTION]... FILE...\n"
	 "Not needed: ustap -o writes one file, in the order of time. See stap-prep(1).\n",
	 -1, stap_merge},
};

static const struct stap_name *find_name(const char *program)
{
	const char *slash = program ? strrchr(program, '/') : NULL;
	const char *name = slash ? slash + 1 : program;

	for (size_t i = 0; name && i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i].name))
			return &names[i];
	return NULL;
}

bool is_stap_name(const char *program) { return find_name(program) != NULL; }

int do_stap_name(int argc, char **argv, int (*compile_words)(int argc, char **argv))
{
	const struct stap_name *n = find_name(argv[0]);

	diag_set_color("auto");
	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		fputs(n->usage, stdout);
		return 0;
	}
	if (argc > 1 && (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version"))) {
		puts("ustap " PACKAGE_VERSION);
		return 0;
	}
	if (n->most >= 0 && (argc - 1 > n->most || (argc > 1 && argv[1][0] == '-'))) {
		option_error("%s: unexpected argument \"%s\"", n->name,
			     printable(argv[argc - 1 > n->most ? n->most + 1 : 1]));
		diag_hint("see %s --help", n->name);
		return STATUS_USAGE;
	}
	return n->run(argc, argv, compile_words);
}
