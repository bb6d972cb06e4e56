/* SPDX-License-Identifier: GPL-2.0-or-later */
/* staprun: loads a script that ustap built, runs it, reads its output, unloads it. */
#include "base/exit_status.h"
#include "base/message.h"
#include "base/privilege.h"
#include "inject/user_runtime.h"
#include "module/kernel_module.h"
#include "options.h"
#include "process_title.h"
#include "report/report.h"
#include "session/reload.h"
#include "session/run.h"
#include "session/session_ops.h"
#include "standard_output.h"

#include <stdbool.h>
#include <sys/types.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef STAPRUN_VERSION
#define STAPRUN_VERSION "unknown"
#endif

static int refuse_caller(void)
{
	if (geteuid() == 0) {
		say("you are not a member of group stapdev, stapsys or stapusr");
		hint("ask an administrator: usermod -aG stapusr USER (modules that root "
		     "installed), "
		     "or stapdev (all modules)");
	} else {
		say("loading kernel modules requires root");
		hint("run it with sudo");
	}
	return EXIT_LOAD;
}

/* Find the loaded module for ARG: a module's name, or a module file. */
static bool module_named(const char *arg, char name[NAME_SIZE])
{
	size_t n = strlen(arg);
	struct image im;
	bool ok;

	if (!strchr(arg, '/') && (n < 3 || strcmp(arg + n - 3, ".ko")))
		return session_find(arg, name);
	ok = module_file_read(&im, arg, ROLE_DEV) && module_file_check(&im, arg) &&
	     session_find(im.name, name);
	free(im.data);
	return ok;
}

static int remove_module(const char *name)
{
	struct session s;

	if (!session_open(&s, name, false))
		return EXIT_LOAD;
	session_close(&s);
	return module_unload(name) ? EXIT_OK : EXIT_LOAD;
}

static int act(const struct options *o, enum role role)
{
	char name[NAME_SIZE];

	if (o->action == ACT_LIST) {
		session_list();
		return EXIT_OK;
	}
	if (o->action == ACT_RUN)
		return run_script(o, role);
	if (!module_named(o->module, name))
		return EXIT_LOAD;
	return o->action == ACT_ATTACH ? run_attach(o, name) : remove_module(name);
}

/* Checked with the caller's rights. */
static bool is_blob(const char *path)
{
	bool is;

	privilege_suspend();
	is = blob_is(path);
	privilege_resume();
	return is;
}

/* Report a module file that the caller cannot read; checked before the right to load it. */
static bool is_missing(const char *path)
{
	if (!path || !strchr(path, '/') || !access(path, R_OK))
		return false;
	say("%s: %s", path, strerror(errno));
	hint("build it with: ustap -p4 SCRIPT");
	return true;
}

/* List processes with the caller's rights, and modules if the caller may load them. */
static int list_runs(void)
{
	privilege_suspend();
	leftovers_list();
	privilege_resume();
	if (caller_role() != ROLE_NONE)
		session_list();
	return EXIT_OK;
}

static int cleanup(const char *what)
{
	pid_t pid = what[strspn(what, "0123456789")] || !*what ? 0 : atoi(what);
	char name[NAME_SIZE];

	if (pid > 0) {
		privilege_suspend();
		return leftovers_cleanup(pid) ? EXIT_OK : EXIT_LOAD;
	}
	if (caller_role() == ROLE_NONE)
		return refuse_caller();
	return module_named(what, name) ? remove_module(name) : EXIT_LOAD;
}

/* Processes and their memory are found there. */
static bool has_proc(void)
{
	if (!access("/proc/self/stat", F_OK))
		return true;
	say("/proc is not mounted");
	return hint("mount it: mount -t proc proc /proc");
}

static int run(const struct options *o)
{
	enum role role;

	if (!has_proc())
		return EXIT_LOAD;
	if (o->action == ACT_LIST_RUNS)
		return list_runs();
	if (o->action == ACT_CLEANUP)
		return cleanup(o->cleanup);
	if (o->action == ACT_CHOOSE)
		return privilege_drop() ? choose_script(o->choices, o->nchoices) : EXIT_LOAD;
	if (o->module && is_blob(o->module)) {
		if (o->action == ACT_RUN)
			return run_user(o);
		say("%s: -A and -d are for kernel modules; this is a script for the user runtime",
		    o->module);
		return EXIT_USAGE;
	}
	role = caller_role();
	if (role == ROLE_NONE)
		return is_missing(o->module) ? EXIT_LOAD : refuse_caller();
	return act(o, role);
}

static int end_output(void)
{
	const char *why = standard_output_end();

	if (why)
		fail("cannot write to standard output: %s", why);
	return why ? EXIT_LOST : EXIT_OK;
}

int main(int argc, char **argv)
{
	struct options o;
	int status;

	if (!secure_descriptors())
		return EXIT_LOAD;
	reload_take_words(argc);
	argv = title_take(argc, argv);
	if (!parse_options(&o, argc, argv))
		return EXIT_USAGE;
	title_set(&o);
	if (o.action == ACT_HELP) {
		print_help();
		return end_output();
	}
	if (o.action == ACT_VERSION) {
		puts("staprun (ustap) " STAPRUN_VERSION);
		return end_output();
	}
	if (o.action == ACT_PERMIT)
		return privilege_drop() && trace_permission_check(o.pids[0]) ? EXIT_OK : EXIT_LOAD;
	test_report_begin();
	status = o.action == ACT_REPORT ? EXIT_SCRIPT : run(&o);
	if (status == EXIT_LOAD)
		reload_go_back(&o);
	if (status == EXIT_OK)
		status = o.reloaded.status;
	if (!test_report_write(&o) && status == EXIT_OK)
		status = EXIT_LOST;
	if (status == EXIT_OK)
		status = end_output();
	free(o.pids);
	free(o.merge);
	return status;
}
