/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `ustap --remote': one loop that serves the connections of all hosts, and the report at the end.
 * Each host has an ssh, whose standard input brings the bundle and later signals, and whose output
 * is printed line by line behind the name of the host.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "createfile.h"
#include "base/subprocess.h"
#include "passes.h"
#include "remote.h"

enum {
	STATUS_LOAD = 3,   /* of staprun: the script could not be started */
	STATUS_LOST = 4,   /* output was lost */
	STATUS_HOSTS = 6,  /* fewer hosts than --min-hosts completed the run */
	LOGINS = 16,       /* hosts that connect at once; servers refuse more */
	PATIENCE = 30,     /* s */
	LONGEST_WAIT = 500 /* ms */
};

/* --------------------------------------------------------------------- start */

static const char *make_nonce(void)
{
	uint64_t bits;

	if (getrandom(&bits, sizeof bits, 0) != sizeof bits)
		return NULL;
	return xprintf("ustap-%016" PRIx64, bits);
}

/* The user's options come first, since ssh uses the first value of each. */
static bool make_ssh_words(struct remote_run *r)
{
	const struct options *o = &r->s->opt;
	const char *ssh = find_tool("ssh");

	if (!ssh) {
		diag_error(E_IO, (struct loc){0}, "ssh is not installed");
		diag_hint("apt install openssh-client");
		return false;
	}
	vec_push(&r->ssh, ssh);
	for (size_t i = 0; i < o->ssh_options.n; i++)
		vec_push(&r->ssh, o->ssh_options.v[i]);
	vec_push(&r->ssh, "-T");
	vec_push(&r->ssh, "-oBatchMode=yes");
	vec_push(&r->ssh, xprintf("-oServerAliveInterval=%" PRId64,
				  r->patience_ms >= 3000 ? r->patience_ms / 3000 : 1));
	vec_push(&r->ssh, "-oServerAliveCountMax=3");
	return true;
}

static bool open_output(struct remote_run *r)
{
	const char *name = r->s->opt.output;

	r->output = stdout;
	r->escapes = isatty(STDOUT_FILENO);
	if (!name)
		return true;
	name = dated_name(name);
	r->output = file_create_stream(name);
	r->escapes = false;
	r->s->opt.output = NULL; /* of the hosts */
	if (r->output)
		return true;
	diag_error(E_IO, (struct loc){0}, "cannot write %s: %s", name, file_create_error(errno));
	return false;
}

static bool begin(struct remote_run *r)
{
	const struct options *o = &r->s->opt;
	struct rlimit files;

	r->patience_ms = (o->host_timeout ? o->host_timeout : PATIENCE) * 1000;
	r->nonce = make_nonce();
	for (size_t i = 0; i < o->hosts.n; i++) {
		struct remote_host *h = xalloc(sizeof *h);

		h->name = o->hosts.v[i];
		h->number = i + 1;
		h->in = h->out = h->err = -1;
		vec_push(&r->hosts, h);
	}
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return r->nonce && make_ssh_words(r) && open_output(r);
}

/* Build for the user runtime, which is the same for all hosts and merges their globals, before any
 * connection. */
static bool build_first(struct remote_run *r, int (*compile)(struct session *s))
{
	struct remote_build *b;

	if (r->s->opt.runtime != RT_USER && !r->s->opt.merge)
		return true;
	b = xalloc(sizeof *b);
	vec_push(&r->builds, b);
	r->merger = r->s->opt.merge ? b : NULL;
	remote_build_start(&r->builds, r->s, compile);
	while (b->state == BUILD_RUNS)
		remote_build_read(b, r->s);
	return b->state == BUILD_READY;
}

/* ---------------------------------------------------------------------- loop */

static size_t count_hosts(const struct remote_run *r, bool connecting)
{
	size_t n = 0;

	for (size_t i = 0; i < r->hosts.n; i++) {
		const struct remote_host *h = r->hosts.v[i];

		n += connecting ? h->state == HOST_CONNECTS
				: h->state != HOST_WAITS && h->state != HOST_ENDED;
	}
	return n;
}

static bool all_ended(const struct remote_run *r)
{
	for (size_t i = 0; i < r->hosts.n; i++)
		if (r->hosts.v[i]->state != HOST_ENDED)
			return false;
	return true;
}

static void connect_hosts(struct remote_run *r)
{
	size_t most = r->s->opt.jobs ? (size_t)r->s->opt.jobs : r->hosts.n;
	size_t connecting = count_hosts(r, true), active = count_hosts(r, false);

	for (size_t i = 0; i < r->hosts.n && connecting < LOGINS && active < most; i++) {
		if (r->hosts.v[i]->state != HOST_WAITS)
			continue;
		remote_host_connect(r, r->hosts.v[i]);
		connecting++, active++;
	}
}

static void stop_hosts(struct remote_run *r, const char *signal)
{
	for (size_t i = 0; i < r->hosts.n; i++)
		remote_host_stop(r, r->hosts.v[i], signal);
	for (size_t i = 0; i < r->builds.n; i++)
		if (r->builds.v[i]->state == BUILD_RUNS)
			kill(r->builds.v[i]->child, SIGTERM);
}

/* The first signals are passed on, as at home; a third one ends ustap. */
static void take_signal(struct remote_run *r, int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof info) != sizeof info || info.ssi_signo == SIGCHLD)
		return;
	r->signal = (int)info.ssi_signo;
	r->interrupts++;
	stop_hosts(r, info.ssi_signo == SIGINT ? "INT" : "TERM");
	for (size_t i = 0; i < r->hosts.n && r->interrupts > 2; i++)
		remote_host_give_up(r->hosts.v[i], "interrupted");
}

/* Every descriptor that the loop waits for: the signals, then for each host three and for each
 * build one, -1 if it is closed or there is nothing to do. */
typedef VEC(struct pollfd) poll_vec;
static void list_events(const struct remote_run *r, int signals, poll_vec *out)
{
	out->n = 0;
	vec_push(out, ((struct pollfd){signals, POLLIN, 0}));
	for (size_t i = 0; i < r->hosts.n; i++) {
		const struct remote_host *h = r->hosts.v[i];

		vec_push(out, ((struct pollfd){remote_host_writes(h) ? h->in : -1, POLLOUT, 0}));
		vec_push(out, ((struct pollfd){h->out, POLLIN, 0}));
		vec_push(out, ((struct pollfd){h->err, POLLIN, 0}));
	}
	for (size_t i = 0; i < r->builds.n; i++)
		vec_push(out, ((struct pollfd){r->builds.v[i]->out, POLLIN, 0}));
}

static void serve_events(struct remote_run *r, const struct pollfd *e, size_t builds)
{
	if (e->revents)
		take_signal(r, e->fd);
	e++;
	for (size_t i = 0; i < r->hosts.n; i++, e += 3) {
		struct remote_host *h = r->hosts.v[i];

		if (e[0].revents && h->in >= 0 && remote_host_writes(h))
			remote_host_write(r, h);
		if (e[2].revents && h->err >= 0)
			remote_host_read(r, h, true);
		if (e[1].revents && h->out >= 0)
			remote_host_read(r, h, false);
	}
	for (size_t i = 0; i < builds; i++, e++)
		if (e->revents)
			remote_build_read(r->builds.v[i], r->s);
}

/* Print what the hosts sent. If the reader has ended, the runs end; so they do on an error. */
static void flush_output(struct remote_run *r)
{
	if (r->output_error || !fflush(r->output))
		return;
	r->output_error = errno;
	if (errno != EPIPE)
		fprintf(stderr, "ustap: cannot write the output: %s\n", strerror(errno));
	stop_hosts(r, "TERM");
}

/* While a slow reader of the output blocks the loop, no host is late. */
static void postpone(struct remote_run *r, int64_t ms)
{
	for (size_t i = 0; i < r->hosts.n; i++)
		if (r->hosts.v[i]->deadline)
			r->hosts.v[i]->deadline += ms;
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void serve(struct remote_run *r, int (*compile)(struct session *s))
{
	int signals = open_signals();
	poll_vec events = {0};

	while (!all_ended(r)) {
		size_t builds;
		int64_t start;

		connect_hosts(r);
		remote_build_start(&r->builds, r->s, compile);
		list_events(r, signals, &events);
		builds = r->builds.n;
		if (poll(events.v, events.n, LONGEST_WAIT) < 0)
			continue;
		start = remote_now();
		serve_events(r, events.v, builds);
		remote_merge_interval(r, remote_now());
		flush_output(r);
		postpone(r, remote_now() - start);
		for (size_t i = 0; i < r->hosts.n; i++)
			remote_host_check(r, r->hosts.v[i]);
	}
	flush_output(r);
	close(signals);
}

/* -------------------------------------------------------------------- report */

static bool is_complete(const struct remote_host *h)
{
	return h->finished && h->status != STATUS_LOAD;
}

static void report_host(const struct remote_host *h)
{
	uint64_t dropped = h->output.dropped_bytes + h->messages.dropped_bytes;

	if (!h->finished)
		fprintf(stderr, "ustap: %s: %s (%" PRIu64 " lines received)\n", h->name, h->failure,
			h->printed);
	else if (!is_complete(h))
		fprintf(stderr, "ustap: %s: not started: %s\n", h->name,
			h->last_message ? printable(h->last_message) : "exit status 3");
	else if (h->status)
		fprintf(stderr, "ustap: %s: exit status %d\n", h->name, h->status);
	if (dropped)
		fprintf(stderr,
			"ustap: %s: %" PRIu64 " bytes of incomplete or too long lines were "
			"dropped\n",
			h->name, dropped);
}

/* The exit status that the failure of H means. */
static int failure_status(const struct remote_host *h)
{
	if (h->unbuilt)
		return EXIT_FAILURE;
	return h->finished ? STATUS_LOAD : STATUS_HOSTS;
}

/* The exit status is the largest of the hosts that completed the run, or, if these are too few, of
 * the failures. */
static int report(const struct remote_run *r)
{
	size_t complete = 0, least = r->s->opt.min_hosts ? (size_t)r->s->opt.min_hosts : r->hosts.n;
	int status = 0, failure = 0;

	for (size_t i = 0; i < r->hosts.n; i++) {
		const struct remote_host *h = r->hosts.v[i];

		report_host(h);
		complete += is_complete(h);
		if (is_complete(h) && h->status > status)
			status = h->status;
		if (!is_complete(h) && failure_status(h) > failure)
			failure = failure_status(h);
		if (h->finished && h->output.dropped_bytes && status < STATUS_LOST)
			status = STATUS_LOST;
	}
	if (complete < r->hosts.n)
		fprintf(stderr, "ustap: %zu of %zu hosts completed the run\n", complete,
			r->hosts.n);
	if (r->interrupts && !complete)
		return 128 + r->signal;
	if (r->output_error && r->output_error != EPIPE)
		return STATUS_LOST;
	return complete < least ? failure : status;
}

int remote_run(struct session *s, int (*compile)(struct session *s))
{
	struct remote_run r = {.s = s};
	int status, merged;

	if (!begin(&r) || !build_first(&r, compile))
		return EXIT_FAILURE;
	serve(&r, compile);
	merged = r.merger ? remote_merge(&r, remote_now()) : 0;
	status = report(&r);
	if (status < merged)
		status = merged;
	if (r.output != stdout && fclose(r.output) && !status)
		status = STATUS_LOST;
	return status;
}
