/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ustap report and ustap replay: the options of both. */
#include "recording.h"
#include "base/message.h"
#include "createfile.h"
#include "standard_output.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_OK, STATUS_FAILED, STATUS_USAGE };

static const char report_usage[] =
	"Usage: ustap report [OPTION]... [RECORDING]\n"
	"Print calls and times of the functions in a recording (default: ustap.rec).\n"
	"\n"
	"      --sort=KEY       sort by total (default), self, calls or name\n"
	"      --limit=N        print only the first N functions\n"
	"      --function=NAME  print one function with its callers and callees\n"
	"      --diff=OLD       print the differences from the recording OLD\n"
	"      --thread=TID     count only the calls of one thread\n"
	"      --output=FORMAT  text (default), trace-event for Perfetto and Chrome, or ctf for\n"
	"                       Babeltrace and Trace Compass\n"
	"  -o FILE              write to FILE; with --output=ctf a new directory (default:\n"
	"                       ustap.ctf)\n"
	"  -h, --help           print this summary\n"
	"\n"
	"See ustap-record(1).\n";

static const char replay_usage[] =
	"Usage: ustap replay [OPTION]... [RECORDING]\n"
	"Print the calls in a recording (default: ustap.rec) by time, indented.\n"
	"\n"
	"      --thread=TID     print only the calls of one thread\n"
	"      --from=MS        begin at this number of milliseconds from the start\n"
	"      --to=MS          end at this number of milliseconds from the start\n"
	"      --min-time=US    print only calls that took at least this many microseconds\n"
	"  -h, --help           print this summary\n"
	"\n"
	"See ustap-record(1).\n";

static struct {
	struct report_options report;
	struct replay_options replay;
	const char *format, *file; /* of the report; file: NULL, the default */
	bool help;
} opt = {.format = "text",
	 .report = {.thread = -1},
	 .replay = {.thread = -1, .from = 0, .to = INFINITY}};

static const struct option report_options[] = {
	{"sort", required_argument, NULL, 's'},     {"limit", required_argument, NULL, 'n'},
	{"function", required_argument, NULL, 'f'}, {"diff", required_argument, NULL, 'd'},
	{"thread", required_argument, NULL, 't'},   {"output", required_argument, NULL, 'O'},
	{"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0}};

static const struct option replay_options[] = {
	{"thread", required_argument, NULL, 't'}, {"from", required_argument, NULL, 'F'},
	{"to", required_argument, NULL, 'T'},     {"min-time", required_argument, NULL, 'm'},
	{"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};

static bool take_number(const char *option, int64_t *to)
{
	char *end;
	long long n = strtoll(optarg, &end, 10);

	*to = n;
	return (*optarg && !*end && n >= 0) ||
	       fail("%s: \"%s\" is not a number from 0 on", option, optarg);
}

/* A number of UNITs from 0 on. */
static bool take_time(const char *option, const char *unit, double *to)
{
	char *end;

	*to = strtod(optarg, &end);
	return (*optarg && !*end && *to >= 0) ||
	       fail("%s: \"%s\" is not a number of %s", option, optarg, unit);
}

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

static bool take_sort(void)
{
	static const char *const keys[] = {"total", "self", "calls", "name", NULL};

	opt.report.sort = optarg;
	return is_one_of(optarg, keys) || fail("--sort=%s: use total, self, calls or name", optarg);
}

static bool take_output(void)
{
	static const char *const formats[] = {"text", "trace-event", "ctf", NULL};

	opt.format = optarg;
	return is_one_of(optarg, formats) ||
	       fail("--output=%s: use text, trace-event or ctf", optarg);
}

static bool take_thread(void)
{
	bool ok = take_number("--thread", &opt.report.thread);

	opt.replay.thread = opt.report.thread;
	return ok;
}

static bool one_option(int c)
{
	int64_t n;

	switch (c) {
	case 's':
		return take_sort();
	case 'n':
		if (!take_number("--limit", &n))
			return false;
		opt.report.limit = (size_t)n;
		return true;
	case 'f':
		opt.report.function = optarg;
		return true;
	case 'd':
		opt.report.diff = optarg;
		return true;
	case 't':
		return take_thread();
	case 'O':
		return take_output();
	case 'o':
		opt.file = optarg;
		return true;
	case 'F':
		return take_time("--from", "milliseconds", &opt.replay.from);
	case 'T':
		return take_time("--to", "milliseconds", &opt.replay.to);
	case 'm':
		return take_time("--min-time", "microseconds", &opt.replay.min_us);
	case 'h':
		opt.help = true;
		return true;
	default:
		return false;
	}
}

/* Options that would have no effect are errors. */
static bool check_together(void)
{
	const struct report_options *o = &opt.report;

	if (strcmp(opt.format, "text") != 0 && (o->function || o->diff || o->sort || o->limit))
		return fail("--function, --diff, --sort and --limit cannot be combined with "
			    "--output=%s",
			    opt.format);
	if (o->function && (o->diff || o->sort || o->limit))
		return fail("--diff, --sort and --limit cannot be combined with --function");
	if (o->diff && o->sort)
		return fail("--sort cannot be combined with --diff, which sorts by the change of "
			    "self");
	if (opt.replay.from > opt.replay.to)
		return fail("--from is later than --to: nothing lies between");
	return true;
}

static bool take_options(int argc, char **argv, bool replays)
{
	const struct option *options = replays ? replay_options : report_options;
	int c;

	while ((c = getopt_long(argc, argv, replays ? "h" : "ho:", options, NULL)) != -1)
		if (!one_option(c))
			return false;
	if (argc - optind > 1)
		return fail("\"%s\": only one recording is read", argv[optind + 1]);
	return check_together();
}

/* Print to the file PATH from now on. */
static bool to_file(const char *path)
{
	int fd = file_create(path);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		return fail("cannot write %s: %s", path, file_create_error(errno));
	close(fd);
	return true;
}

static bool print_report(const struct recording *r)
{
	if (!strcmp(opt.format, "ctf"))
		return write_ctf(r, opt.report.thread, opt.file ? opt.file : "ustap.ctf");
	if (opt.file && !to_file(opt.file))
		return false;
	if (!strcmp(opt.format, "text"))
		return report(r, &opt.report);
	print_trace_events(r, opt.report.thread);
	return true;
}

static bool print_all(const struct recording *r, bool replays)
{
	if (!recording_check_thread(r, opt.report.thread))
		return false;
	if (!r->nthreads)
		say("%s: no calls were recorded", r->path);
	if (!replays)
		return print_report(r);
	replay(r, &opt.replay);
	return true;
}

static bool run(const char *path, bool replays)
{
	struct recording r;
	bool ok = recording_open(&r, path) && print_all(&r, replays);
	const char *why = standard_output_end();

	recording_close(&r);
	if (why)
		return fail("cannot write to standard output: %s", why);
	return ok;
}

int main(int argc, char **argv)
{
	bool replays = !strcmp(argv[0], "replay");

	messages_from(replays ? "ustap replay: " : "ustap report: ");
	argv[0] = replays ? "ustap replay" : "ustap report";
	if (!take_options(argc, argv, replays))
		return STATUS_USAGE;
	if (opt.help) {
		fputs(replays ? replay_usage : report_usage, stdout);
		return STATUS_OK;
	}
	return run(optind < argc ? argv[optind] : "ustap.rec", replays) ? STATUS_OK : STATUS_FAILED;
}
