/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Report at the end of a run: errors, dropped records, skipped and missed probes. */
#include "base/exit_status.h"
#include "base/message.h"
#include "output/hits.h"
#include "output/output.h"
#include "report/report.h"
#include "session/run.h"
#include "wire.h"

#include <stdbool.h>
#include <stdint.h>

typedef unsigned long long ull;

static void report_errors(const struct ust_status *st)
{
	uint64_t skipped = st->skipped_context + st->skipped_stack + st->skipped_nested;

	if (!st->errors && !skipped)
		return;
	if (!skipped) {
		warning("Number of errors: %llu, skipped probes: 0", (ull)st->errors);
		return;
	}
	warning("Number of errors: %llu, skipped probes: %llu (no context: %llu, stack nearly "
		"full: %llu, "
		"inside a handler: %llu)",
		(ull)st->errors, (ull)skipped, (ull)st->skipped_context, (ull)st->skipped_stack,
		(ull)st->skipped_nested);
}

uint64_t records_lost(const struct run *r)
{
	uint64_t gaps = reader_gaps(&r->reader), lost = r->last.lost_records;

	return gaps > lost ? gaps : lost;
}

/* Records that the module could not store are gaps in the sequence, too. */
static bool report_lost(const struct run *r)
{
	if (!records_lost(r))
		return false;
	warning("%llu records lost (%llu bytes): the buffers were full; use larger ones with -s, "
		"or print less",
		(ull)records_lost(r), (ull)r->last.lost_bytes);
	return true;
}

/* The message of the error that ended the script is a record like any other. */
static void report_lost_error(const struct run *r)
{
	if (r->last.failed && !r->out.has_error)
		say("a run-time error ended the script; its message was lost: the buffers were "
		    "full");
}

static bool report_output(const struct run *r)
{
	if (!output_lost(&r->out))
		return false;
	warning("%llu bytes of output were not written", (ull)r->out.discarded);
	return true;
}

static bool report_damage(const struct run *r)
{
	if (!reader_damaged(&r->reader))
		return false;
	warning("the script's buffers hold invalid records; output is missing");
	return true;
}

static void report_cut(const struct ust_status *st)
{
	if (st->cut_strings == 1)
		warning("1 string was cut at %u bytes: see -D MAXSTRINGLEN=", st->string_max);
	else if (st->cut_strings)
		warning("%llu strings were cut at %u bytes: see -D MAXSTRINGLEN=",
			(ull)st->cut_strings, st->string_max);
}

/* Not an error, but it explains the cost of probes. */
static void report_slow_reads(const struct ust_status *st)
{
	if (st->slow_reads && (verbose || explain_mode))
		say("%u process%s: probe handlers read memory through system calls (1 us or more "
		    "each): the process ignores SIGSEGV or SIGBUS, or has handlers for them that "
		    "the runtime cannot replace",
		    st->slow_reads, st->slow_reads == 1 ? "" : "es");
}

static void report_returns(const struct ust_status *st)
{
	const struct {
		__u64 n;
		const char *why;
	} left[] = {
		{st->missed_returns, "were missed: too many return probes were pending"},
		{st->made_callers, "to code that the program made at run time were not probed: "
				   "such code may read return addresses"},
		{st->copied_stacks, "were not probed in programs that copy parts of their stacks"},
		{st->other_stacks, "on other stacks than those of threads were not probed: the "
				   "kernel expects one stack for each thread"},
	};

	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		if (left[i].n)
			warning("%llu returns %s", (ull)left[i].n, left[i].why);
}

static void report_missed_lookups(const struct ust_status *st)
{
	if (!st->missed_lookups)
		return;
	warning("%llu look-up%s in the memory map of a program failed: names, or parts of stacks, "
		"are missing",
		(ull)st->missed_lookups, st->missed_lookups == 1 ? "" : "s");
	hint("the map was being changed by another thread, before Linux 6.1, or by the code that "
	     "a probe interrupted");
}

static void report_unfollowed(const struct ust_status *st)
{
	if (!st->unfollowed)
		return;
	warning("%u exec calls could not be followed; the new programs are not traced",
		st->unfollowed);
	hint("the process runs in a seccomp sandbox, or the tracer was busy for seconds; trace it "
	     "with -x");
}

static void report_pauses(const struct ust_status *st)
{
	if (!st->pauses)
		return;
	warning("the script was paused %u time%s: no handler ran after its staprun was killed",
		st->pauses, st->pauses == 1 ? "" : "s");
}

/* True for skipped handlers, missed returns and look-ups, unarmed sites and truncated strings. */
static bool skipped(const struct ust_status *st)
{
	return st->skipped_context || st->skipped_stack || st->skipped_nested ||
	       st->missed_returns || st->made_callers || st->copied_stacks || st->other_stacks ||
	       st->missed_lookups || st->unplaced || st->cut_strings || st->unfollowed ||
	       st->pauses;
}

static void summarize(const struct run *r, bool lost)
{
	const struct ust_status *st = &r->last;

	test_report_point(true, NULL, "the script is loaded");
	test_report_point(!st->errors && !st->failed,
			  *test_report_errors() ? test_report_errors() : messages_text(),
			  "no run-time error");
	test_report_point(!lost, messages_text(),
			  r->opt->strict ? "nothing is lost, truncated, skipped or left unarmed"
					 : "no output is lost");
}

int run_report(struct run *r)
{
	bool lost, hit = true;

	report_errors(&r->last);
	report_returns(&r->last);
	report_missed_lookups(&r->last);
	report_cut(&r->last);
	report_unfollowed(&r->last);
	report_pauses(&r->last);
	report_slow_reads(&r->last);
	report_lost_error(r);
	lost = report_lost(r);
	lost |= report_output(r);
	lost |= report_damage(r);
	lost |= r->opt->strict && skipped(&r->last);
	summarize(r, lost);
	/* after a script error missed probes are not significant */
	if (r->opt->expect_hits && (!r->last.failed || r->opt->report))
		hit = hits_expected(&r->told);
	if (r->last.failed)
		return EXIT_SCRIPT;
	if (!hit && !lost)
		return EXIT_NOT_HIT;
	return lost ? EXIT_LOST : EXIT_OK;
}
