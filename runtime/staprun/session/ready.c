/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notification that probing has started: a line on standard error with the attached processes,
 * --ready-fd and --ready-command. While arming takes long, the line shows the progress.
 */
#include "base/message.h"
#include "base/signal.h"
#include "session/run.h"
#include "session/session_ops.h"
#include "wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAMED_MOST = 4 };       /* maximum number of targets listed by name */
#define QUIET_NS 1000000000ull /* delay before the first progress line */

static bool wants_line(const struct run *r)
{
	return !r->opt->quiet && !r->opt->leave && !r->child.pid;
}

/* "redis-server (pid 811)" for a few targets, "3 processes" for many. */
static void name_targets(const struct run *r, char *text, size_t size)
{
	size_t n = 0;

	if (r->nwatched > NAMED_MOST) {
		snprintf(text, size, "%zu processes", r->nwatched);
		return;
	}
	*text = 0;
	for (size_t i = 0; i < r->nwatched && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%s (pid %d)", i ? ", " : "",
				      r->watched[i].name, (int)r->watched[i].pid);
}

static void put(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return; /* standard error is not writable */
}

/* On a terminal the line replaces the previous one. */
void ready_progress(struct run *r)
{
	bool terminal = isatty(STDERR_FILENO);
	uint64_t now = clock_ns();
	struct ust_status st;
	char who[256], text[384];

	if (!r->progress_due) {
		r->progress_step = QUIET_NS;
		r->progress_due = now + QUIET_NS;
	}
	if (!wants_line(r) || now < r->progress_due || !session_status(&r->session, &st) ||
	    !st.sites)
		return;
	name_targets(r, who, sizeof who);
	snprintf(text, sizeof text, "%sattaching%s%s: %u sites so far%s", terminal ? "\r" : "",
		 r->nwatched ? " to " : "", who, st.sites, terminal ? "\033[K" : "\n");
	put(text);
	r->progress_line = terminal;
	/* in a file each line remains: print them at growing intervals */
	r->progress_step = terminal ? QUIET_NS / 5 : 2 * r->progress_step;
	r->progress_due = now + r->progress_step;
}

static void end_progress(struct run *r)
{
	if (r->progress_line)
		put("\r\033[K");
	r->progress_line = false;
}

void ready_cancel(struct run *r) { end_progress(r); }

static void tell_followed(const struct run *r)
{
	char path[256], text[384];

	snprintf(path, sizeof path, "%s", r->opt->follow);
	mask_controls(path, strlen(path));
	if (r->last.sites)
		snprintf(text, sizeof text, "following %s: %u site%s\n", path, r->last.sites,
			 r->last.sites == 1 ? "" : "s");
	else
		snprintf(text, sizeof text, "following %s: no process runs it yet\n", path);
	put(text);
}

/* True if a user of -x may have named another program than the one that runs; the kernel runtime
 * arms the files of all programs. */
static bool lacks_sites(const struct run *r)
{
	return r->session.user && r->nwatched && !r->last.sites && !r->last.unplaced &&
	       session_has_sites(&r->session);
}

static void tell_attached(struct run *r)
{
	char who[256], text[384];

	end_progress(r);
	if (!wants_line(r) || (!r->last.sites && !r->opt->follow && !lacks_sites(r)))
		return;
	if (r->opt->follow) {
		tell_followed(r);
		return;
	}
	name_targets(r, who, sizeof who);
	snprintf(text, sizeof text, "attached%s%s: %u site%s%s\n", r->nwatched ? " to " : "", who,
		 r->last.sites, r->last.sites == 1 ? "" : "s",
		 lacks_sites(r) ? ", as no probed file is mapped" : "");
	put(text);
}

void ready_notify(struct run *r)
{
	static const char word[] = "ready\n";
	const struct runner caller = {0};

	tell_attached(r);
	if (r->opt->ready_fd >= 0) {
		if (write(r->opt->ready_fd, word, sizeof word - 1) < 0)
			warning("--ready-fd %d: %s", r->opt->ready_fd, strerror(errno));
		if (r->opt->ready_fd > STDERR_FILENO)
			close(r->opt->ready_fd);
	}
	if (r->opt->ready_command)
		command_in_background(r->opt->ready_command, &caller);
}
