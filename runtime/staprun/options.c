/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command line -> struct options; refuses what makes no sense together. */
#include "output/output_format.h"
#include "report/test_points.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_CHILDREN = 256,
	OPT_TARGET_STATUS,
	OPT_MONITOR,
	OPT_COUNTS,
	OPT_EXPLAIN,
	OPT_EXPECT_HITS,
	OPT_STRICT,
	OPT_TIMEOUT,
	OPT_OUTPUT,
	OPT_REPORT,
	OPT_REPORT_NAME,
	OPT_REPORT_FAILED,
	OPT_FD,
	OPT_QUIET,
	OPT_READY_FD,
	OPT_READY_COMMAND,
	OPT_NAME,
	OPT_PERMIT,
	OPT_LIST,
	OPT_CLEANUP
};

static const struct option long_options[] = {
	{"children", no_argument, NULL, OPT_CHILDREN},
	{"target-status", no_argument, NULL, OPT_TARGET_STATUS},
	{"counts", required_argument, NULL, OPT_COUNTS},
	{"output", required_argument, NULL, OPT_OUTPUT},
	{"report", required_argument, NULL, OPT_REPORT},
	{"report-failed", required_argument, NULL, OPT_REPORT_FAILED},
	{"report-name", required_argument, NULL, OPT_REPORT_NAME},
	{"explain", no_argument, NULL, OPT_EXPLAIN},
	{"expect-hits", no_argument, NULL, OPT_EXPECT_HITS},
	{"strict", no_argument, NULL, OPT_STRICT},
	{"timeout", required_argument, NULL, OPT_TIMEOUT},
	{"monitor", optional_argument, NULL, OPT_MONITOR},
	{"fd", required_argument, NULL, OPT_FD},
	{"quiet", no_argument, NULL, OPT_QUIET},
	{"ready-fd", required_argument, NULL, OPT_READY_FD},
	{"ready-command", required_argument, NULL, OPT_READY_COMMAND},
	{"name", required_argument, NULL, OPT_NAME},
	{"permit", required_argument, NULL, OPT_PERMIT},
	{"list", no_argument, NULL, OPT_LIST},
	{"cleanup", required_argument, NULL, OPT_CLEANUP},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{0}};

static const char usage[] =
	"usage: staprun [options] SCRIPT [NAME=VALUE]...  load, run, unload; SCRIPT: what ustap "
	"-p4 built,\n"
	"                                        NAME: one of its globals\n"
	"       staprun -A [options] [NAME]      attach to a module that was left running\n"
	"       staprun -d [NAME]                remove a module that was left over\n"
	"       staprun --list                   list scripts in processes and loaded modules\n"
	"       staprun --cleanup=PID            remove what killed runs have left in that "
	"process; or\n"
	"                                        a module, by its name\n"
	"  -c CMD           run CMD, trace it, stop when it ends\n"
	"  -x PID           trace this process, stop when it ends; may be given several\n"
	"                   times where the script was built for the user runtime\n"
	"  -o FILE          write the script's output to FILE\n"
	"  -s MB            size of the buffer of each processor\n"
	"  --output=FORMAT  text, json, folded or trace-event, of scripts built with ustap "
	"--output\n"
	"  -S MB[,N]        with -o: begin FILE.1 when FILE.0 has MB megabytes; keep N files\n"
	"  -T SECONDS       stop after this time\n"
	"  -L               load, start and leave running; prints the module's name\n"
	"  -A, -d           as above; without NAME: list what is loaded\n"
	"  --children       with -c or -x: trace descendants too\n"
	"  --target-status  with -c: exit with the status of CMD\n"
	"  --monitor[=N]    show globals and hits every N seconds (1), of scripts built with\n"
	"                   ustap --monitor\n"
	"  --counts=FILE    write there how often handlers ran, of scripts that count it\n"
	"  --explain        say at the end what was hit, and why not, of scripts that count it\n"
	"  --timeout=SECONDS  end the run and its command after that time; exit with status 124\n"
	"  --strict         what is lost, cut, skipped or not placed is a failure: status 4\n"
	"  --expect-hits    so is a probe without a hit: status 5; of scripts that count them\n"
	"  --report=tap|junit[:FILE]  at the end, what was to hold and whether it did, for "
	"programs\n"
	"  --report-name=TEXT  what the report is about (the script's file)\n"
	"  --ready-fd=N     write \"ready\" to the open descriptor N when all probes are armed\n"
	"  --ready-command=CMD  run CMD then\n"
	"  --quiet          do not say on standard error when probing begins\n"
	"  --name=TEXT      what ps and --monitor show as the script's name\n"
	"  --fd=N           read SCRIPT from the open descriptor N; SCRIPT is only its name\n"
	"  -w               no warnings of the script\n"
	"  -v               say what is done\n"
	"  -h, -V           this text; the version\n";

void print_help(void) { fputs(usage, stdout); }

static bool wrong(const char *text)
{
	say("%s", text);
	return hint("see: staprun --help");
}

/* A whole decimal number from 1 to MAX. */
static bool number(const char *text, const char *option, unsigned max, unsigned *value)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && n > 0 && n <= max) {
		*value = (unsigned)n;
		return true;
	}
	return fail("%s %s: not a number from 1 to %u", option, text, max);
}

/* MB[,N] */
static bool rotation(char *text, struct options *o)
{
	char *comma = strchr(text, ',');

	if (comma)
		*comma = 0;
	return number(text, "-S", 1 << 20, &o->file_mb) &&
	       (!comma || number(comma + 1, "-S MB,", INT_MAX, &o->files));
}

static void add_pid(struct options *o, pid_t pid)
{
	for (size_t i = 0; i < o->npids; i++)
		if (o->pids[i] == pid)
			return;
	o->pids = xrealloc(o->pids, (o->npids + 1) * sizeof *o->pids);
	o->pids[o->npids++] = pid;
}

/* KIND[:FILE] */
static bool set_report(struct options *o, char *text)
{
	o->report = text;
	return points_kind(text, &o->report_file) ||
	       fail("--report %s: reports are tap and junit", text);
}

/* --fd=N and the like: the command does not inherit it. */
static bool set_descriptor(const char *option, const char *text, int *to)
{
	unsigned fd;

	if (!number(text, option, INT_MAX, &fd))
		return false;
	*to = (int)fd;
	return !fcntl(*to, F_SETFD, *to > STDERR_FILENO ? FD_CLOEXEC : 0) ||
	       fail("%s %s: %s", option, text, strerror(errno));
}

static bool one_option(struct options *o, int c)
{
	unsigned pid = 0;

	switch (c) {
	case 'c':
		o->command = optarg;
		return true;
	case 'o':
		o->output = optarg;
		return true;
	case 's':
		return number(optarg, "-s", MAX_BUFFER_MB, &o->buffer_mb);
	case 'S':
		return rotation(optarg, o);
	case 'T':
		return number(optarg, "-T", MAX_SECONDS, &o->seconds);
	case 'x':
		if (!number(optarg, "-x", INT_MAX, &pid))
			return false;
		add_pid(o, (pid_t)pid);
		return true;
	case 'L':
		o->leave = true;
		return true;
	case 'A':
		o->action = ACT_ATTACH;
		return true;
	case 'd':
		o->action = ACT_REMOVE;
		return true;
	case 'w':
		o->no_warnings = no_warnings = true;
		return true;
	case 'v':
		verbose++;
		return true;
	case 'h':
		o->action = ACT_HELP;
		return true;
	case 'V':
		o->action = ACT_VERSION;
		return true;
	case OPT_CHILDREN:
		o->children = true;
		return true;
	case OPT_COUNTS:
		o->counts = optarg;
		return true;
	case OPT_OUTPUT:
		o->format = format_find(optarg);
		return o->format ||
		       fail("--output %s: formats are text, json, folded and trace-event", optarg);
	case OPT_REPORT:
		return set_report(o, optarg);
	case OPT_REPORT_FAILED:
		/* ustap's, of a script that does not compile */
		o->action = ACT_REPORT;
		summary_point(false, optarg, "the script compiles");
		return true;
	case OPT_REPORT_NAME:
		o->report_name = optarg;
		return true;
	case OPT_EXPLAIN:
		o->explain = explaining = true;
		return true;
	case OPT_EXPECT_HITS:
		o->expect_hits = true;
		return true;
	case OPT_STRICT:
		o->strict = true;
		return true;
	case OPT_TIMEOUT:
		return number(optarg, "--timeout", MAX_SECONDS, &o->timeout);
	case OPT_MONITOR:
		o->monitor = 1;
		return !optarg || number(optarg, "--monitor", MAX_SECONDS, &o->monitor);
	case OPT_LIST:
		o->action = ACT_LIST_RUNS;
		return true;
	case OPT_CLEANUP:
		o->action = ACT_CLEANUP;
		o->cleanup = optarg;
		return true;
	case OPT_FD:
		return set_descriptor("--fd", optarg, &script_fd);
	case OPT_QUIET:
		o->quiet = true;
		return true;
	case OPT_READY_FD:
		return set_descriptor("--ready-fd", optarg, &o->ready_fd);
	case OPT_READY_COMMAND:
		o->ready_command = optarg;
		return true;
	case OPT_NAME:
		o->name = optarg;
		return true;
	case OPT_PERMIT:
		/* ustap's, which cannot look at a process */
		o->action = ACT_PERMIT;
		if (!number(optarg, "--permit", INT_MAX, &pid))
			return false;
		add_pid(o, (pid_t)pid);
		return true;
	case OPT_TARGET_STATUS:
		o->target_status = true;
		return true;
	}
	return hint("see: staprun --help");
}

static bool options_agree(const struct options *o)
{
	if (o->command && o->npids)
		return wrong("-c and -x exclude each other");
	if (o->command && o->command[strspn(o->command, " \t\n")] == 0)
		return wrong("-c: the command is empty");
	if (o->action != ACT_RUN && (o->command || o->npids || o->leave))
		return wrong("-c, -x and -L go with a module to load, not with -A or -d");
	if (o->leave && (o->command || o->seconds || o->timeout))
		return wrong("-L leaves the script running: -c, -T and --timeout cannot stop it");
	if (o->leave && (o->explain || o->expect_hits || o->strict || o->report))
		return wrong("-L leaves the script running: nothing can be said of its end");
	if (o->action != ACT_RUN && (o->ready_fd >= 0 || o->ready_command))
		return wrong("--ready-fd and --ready-command go with a module to load, not with -A "
			     "or -d");
	if (o->monitor && (o->leave || o->action != ACT_RUN))
		return wrong("--monitor goes with a module to load and run, not with -L, -A or -d");
	if (o->monitor && !format_is_text(o->format) && !o->format->view_end)
		return wrong("--monitor has nothing to show in this --output");
	if (o->file_mb && !format_is_text(o->format) && o->format != &format_json)
		return wrong("--output=folded and trace-event make one whole of the output: leave "
			     "out -S");
	if (o->file_mb && !o->output)
		return wrong("-S needs the name of the files: -o");
	if (o->target_status && !o->command)
		return wrong("--target-status needs -c");
	if (o->children && !o->command && !o->npids)
		return wrong("--children needs -c or -x");
	return true;
}

bool parse_options(struct options *o, int argc, char **argv)
{
	int c;

	memset(o, 0, sizeof *o);
	o->format = format_find("text");
	o->ready_fd = -1;
	optind = 0; /* start anew, also in a test that parses twice */
	while ((c = getopt_long(argc, argv, "c:x:o:s:S:T:LAdwvhV", long_options, NULL)) != -1)
		if (!one_option(o, c))
			return false;
	if (o->action == ACT_HELP || o->action == ACT_VERSION || o->action == ACT_REPORT ||
	    o->action == ACT_PERMIT || o->action == ACT_LIST_RUNS || o->action == ACT_CLEANUP)
		return true;
	o->module = argv[optind];
	for (o->given = argv + optind + 1; optind + 1 + (int)o->ngiven < argc; o->ngiven++)
		if (!given_check(o->given[o->ngiven]))
			return wrong("one module, and behind it NAME=VALUE only");
	if (o->ngiven && o->action != ACT_RUN)
		return wrong("a global gets its value before the start, not with -A or -d");
	if (!o->module && o->action == ACT_RUN)
		return wrong("no module given");
	if (script_fd >= 0 && o->action != ACT_RUN)
		return wrong("--fd goes with a script to run, not with -A or -d");
	if (!options_agree(o))
		return false;
	if (!o->module && (o->action == ACT_ATTACH || o->action == ACT_REMOVE))
		o->action = ACT_LIST;
	return true;
}

bool options_fit_user(const struct options *o)
{
	if (o->leave)
		return wrong(
			"-L is for kernel modules: a script of the user runtime ends with staprun");
	return true;
}
