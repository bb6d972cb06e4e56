/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exporter: the process ustap-export, which serves or writes the metrics of the run, or posts its
 * output as OTLP.
 *
 * It starts before staprun has opened anything, drops its privileges before exec, and has a socket,
 * and another one for OTLP. A page is sent as a memory file, without waiting: if ustap-export does
 * not read, it keeps its older page. Its requests are foreign data, as it talks to the network:
 * pages are made at most twice a second, its texts are bounded and masked, and its numbers only
 * compared with those of staprun.
 */
#include "base/message.h"
#include "base/privilege.h"
#include "output/frames.h"
#include "output/metrics.h"
#include "output/output.h"
#include "session/run.h"
#include "wire_export.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { START_MS = 5000, END_MS = 3000, WARNINGS_MAX = 10 };
#define SPACING_NS  500000000ull   /* between two views for requests */
#define INTERVAL_NS 10000000000ull /* between two files */
#define POST_NS     8000000000ull  /* for the rest of what is posted, at the end */

enum mode { SERVE, WRITE, POST };

struct exporter {
	pid_t pid;
	enum mode mode;
	const char *option; /* for messages */
	int socket;         /* -1: it has ended */
	bool wanted, took_last;
	uint64_t due;   /* ns: time of the next file; of the next view at the earliest */
	uint64_t begun; /* ns since 1970 */
	unsigned warnings;
	struct metrics *newest;
	struct frames *frames;                 /* POST; that of the output */
	uint64_t accepted[UST_EXPORT_SIGNALS]; /* POST: see UST_EXPORT_ACCEPTED */
	uint64_t rejected;
};

bool exporter_is_file(const char *value)
{
	size_t n = strlen(value);

	return n > 5 && !strcmp(value + n - 5, ".prom");
}

/* ------------------------------------------------------------- the process */

static int open_beside(const char *dir, const char *sub)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof path, "%s/%sustap-export", dir, sub);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The program lies beside staprun in the build tree, and below libexec where it is installed. */
static int open_program(void)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	int fd = -1;

	privilege_suspend();
	self[n > 0 ? n : 0] = 0;
	if (strrchr(self, '/')) {
		*strrchr(self, '/') = 0;
		fd = open_beside(self, "");
		if (fd < 0)
			fd = open_beside(self, "../libexec/ustap/");
	}
	if (fd < 0)
		fd = open_beside(PKGLIBEXECDIR, "");
	privilege_resume();
	return fd;
}

/* A file is written as the caller, as with -o; what uses the network has no rights at all. */
static bool drop_rights(enum mode mode)
{
	uid_t uid = getuid();

	if (mode == WRITE)
		return privilege_drop();
	return uid ? privilege_leave(uid, getgid()) : privilege_leave(ANONYMOUS_ID, ANONYMOUS_ID);
}

/* Fill ENV with the variables that ustap-export needs. The certificate is a file, so root's is not
 * used: it might be that of another user. */
static void choose_variables(enum mode mode, char *env[3])
{
	static const char *const names[] = {"OTEL_EXPORTER_OTLP_HEADERS",
					    "OTEL_EXPORTER_OTLP_CERTIFICATE"};
	size_t n = 0, most = mode != POST ? 0 : getuid() ? 2 : 1;

	for (size_t i = 0; i < most; i++) {
		const char *value = getenv(names[i]);
		size_t size = value ? strlen(names[i]) + strlen(value) + 2 : 0;

		if (!value)
			continue;
		env[n] = xrealloc(NULL, size);
		snprintf(env[n++], size, "%s=%s", names[i], value);
	}
	env[n] = NULL;
}

/* Descriptor FD becomes NUMBER; -1 is skipped. */
static bool place(int fd, int number) { return fd < 0 || dup2(fd, number) >= 0; }

static void exporter_main(const struct exporter *x, int socket, int frames, int program,
			  const char *value)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	static char *const words[] = {[SERVE] = "http", [WRITE] = "file", [POST] = "otlp"};
	char *const argv[] = {"ustap-export", words[x->mode], (char *)value, NULL};
	char *env[3];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* it ends when staprun closes the socket, with the last page */
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	program = fcntl(program, F_DUPFD_CLOEXEC, UST_EXPORT_FRAMES + 1);
	socket = fcntl(socket, F_DUPFD_CLOEXEC, UST_EXPORT_FRAMES + 1);
	if (frames >= 0)
		frames = fcntl(frames, F_DUPFD_CLOEXEC, UST_EXPORT_FRAMES + 1);
	choose_variables(x->mode, env);
	if (program < 0 || socket < 0 || !place(socket, UST_EXPORT_SOCKET) ||
	    !place(frames, UST_EXPORT_FRAMES) || !drop_rights(x->mode))
		_exit(1);
	syscall(SYS_execveat, program, "", argv, env, AT_EMPTY_PATH);
	_exit(1);
}

static bool start_process(struct exporter *x, const char *value)
{
	int sockets[2], frames[2] = {-1, -1}, program = open_program();

	if (program < 0) {
		say("%s: cannot find ustap-export, which belongs to ustap: %s", x->option,
		    strerror(errno));
		return hint("install all of ustap, or put ustap-export beside staprun");
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		close(program);
		return fail("%s: %s", x->option, strerror(errno));
	}
	x->socket = sockets[0];
	if (x->mode == POST && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, frames))
		x->frames = frames_new(frames[0]);
	x->pid = x->mode != POST || x->frames ? fork() : -1;
	if (!x->pid)
		exporter_main(x, sockets[1], frames[1], program, value);
	close(program);
	close(sockets[1]);
	if (frames[1] >= 0)
		close(frames[1]);
	fcntl(x->socket, F_SETFL, O_NONBLOCK);
	return x->pid > 0 || fail("%s: %s", x->option, strerror(errno));
}

/* --------------------------------------------------------------- messages */

/* Receive a packet as text with a NUL. Returns its kind, 0: none, -1: the process has ended. */
static int receive(struct exporter *x, char text[UST_EXPORT_MAX + 1])
{
	ssize_t n = recv(x->socket, text, UST_EXPORT_MAX, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -1;
	text[n] = 0;
	mask_controls(text, (size_t)n);
	return (unsigned char)*text;
}

static void lose(struct exporter *x)
{
	warning("%s: ustap-export has ended; the run goes on without it", x->option);
	close(x->socket);
	x->socket = -1;
}

static void take_accepted(struct exporter *x, const char *text)
{
	uint64_t *a = x->accepted, n[UST_EXPORT_SIGNALS + 1];

	if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &n[0], &n[1], &n[2],
		   &n[UST_EXPORT_SIGNALS]) != UST_EXPORT_SIGNALS + 1)
		return;
	memcpy(a, n, sizeof x->accepted);
	x->rejected = n[UST_EXPORT_SIGNALS];
}

static void take_message(struct exporter *x, int kind, const char *text)
{
	if (kind == UST_EXPORT_REFRESH)
		x->wanted = true;
	else if (kind == UST_EXPORT_ACCEPTED)
		take_accepted(x, text);
	else if (kind == UST_EXPORT_WARNING && x->warnings++ < WARNINGS_MAX)
		warning("%s: %s", x->option, text);
}

void exporter_take(struct run *r)
{
	struct exporter *x = r->exporter;
	char text[UST_EXPORT_MAX + 1];
	int kind;

	while (x->socket >= 0 && (kind = receive(x, text))) {
		if (kind < 0)
			lose(x);
		else
			take_message(x, kind, text + 1);
	}
}

/* Wait until it serves; false after its message. */
static bool await_ready(struct exporter *x, bool quiet)
{
	struct pollfd p = {.fd = x->socket, .events = POLLIN};
	char text[UST_EXPORT_MAX + 1], remedy[UST_EXPORT_MAX + 1] = "";

	while (poll(&p, 1, START_MS) > 0) {
		int kind = receive(x, text);

		if (kind == UST_EXPORT_READY) {
			if (!quiet)
				say(x->mode == POST ? "posting to %s" : "metrics at %s", text + 1);
			return true;
		}
		if (kind == UST_EXPORT_HINT)
			snprintf(remedy, sizeof remedy, "%s", text + 1);
		if (kind == UST_EXPORT_FAILED) {
			say("%s: %s", x->option, text + 1);
			return *remedy ? hint("%s", remedy) : false;
		}
		if (kind < 0)
			break;
	}
	return fail("%s: ustap-export does not start", x->option);
}

/* ------------------------------------------------------------------ pages */

static int memory_file(const struct text *page)
{
	int fd = memfd_create("metrics", MFD_CLOEXEC);

	for (size_t at = 0; fd >= 0 && at < page->n;) {
		ssize_t n = write(fd, page->s + at, page->n - at);

		if (n <= 0) {
			close(fd);
			return -1;
		}
		at += (size_t)n;
	}
	return fd;
}

/* Without waiting; a page that ustap-export cannot take now is followed by a newer one. */
static void send_page(const struct exporter *x, int fd, bool wait)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char kind = UST_EXPORT_PAGE;
	struct iovec v = {&kind, 1};
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof control};
	struct pollfd p = {.fd = x->socket, .events = POLLOUT};

	control.head = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
	memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	if (wait)
		poll(&p, 1, END_MS);
	if (sendmsg(x->socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		note("--prometheus: a page was not sent: %s", strerror(errno));
}

/* Without the directory of the file, or the text of -e. */
static const char *script_label(const char *name)
{
	const char *slash = strrchr(name, '/');

	if (!strncmp(name, "-e ", 3))
		return "-e";
	return slash ? slash + 1 : name;
}

static void make_page(struct run *r, bool running)
{
	struct exporter *x = r->exporter;
	struct metrics *m = metrics_take(r->out.metrics);
	struct metrics_run about = {.script = script_label(r->out.script),
				    .runtime = r->out.runtime,
				    .version = STAPRUN_VERSION,
				    .begun = x->begun,
				    .running = running,
				    .status = &r->last,
				    .lost = records_lost(r)};
	struct text page = {0};
	int fd;

	if (m) {
		metrics_free(x->newest);
		x->newest = m;
	}
	if (x->socket < 0)
		return;
	prometheus_page(&page, x->newest, &about);
	fd = memory_file(&page);
	if (fd >= 0) {
		send_page(x, fd, !running);
		close(fd);
	}
	free(page.s);
}

void exporter_page(struct run *r) { make_page(r, true); }

/* ------------------------------------------------------------------- times */

int exporter_fd(const struct run *r) { return r->exporter ? r->exporter->socket : -1; }

uint64_t exporter_due(const struct run *r)
{
	const struct exporter *x = r->exporter;

	return x && x->socket >= 0 && (x->mode == WRITE || x->wanted) ? x->due : 0;
}

bool exporter_wants_last(struct run *r)
{
	struct exporter *x = r->exporter;

	if (!x || x->socket < 0 || x->took_last)
		return false;
	x->took_last = true;
	return true;
}

void exporter_asked(struct run *r)
{
	struct exporter *x = r->exporter;

	if (!x)
		return;
	x->wanted = false;
	x->due = clock_ns() + (x->mode == WRITE ? INTERVAL_NS : SPACING_NS);
}

/* --------------------------------------------------------- begin and end */

bool exporter_start(struct run *r)
{
	const char *value = r->opt->otlp ? r->opt->otlp : r->opt->prometheus;
	struct exporter *x;
	struct timespec ts;

	if (!value)
		return true;
	x = xrealloc(NULL, sizeof *x);
	clock_gettime(CLOCK_REALTIME, &ts);
	*x = (struct exporter){.socket = -1,
			       .mode = r->opt->otlp              ? POST
				       : exporter_is_file(value) ? WRITE
								 : SERVE,
			       .option = r->opt->otlp ? "--otlp" : "--prometheus",
			       .due = clock_ns(),
			       .begun = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec};
	r->exporter = x;
	if (x->mode != POST)
		r->out.metrics = metrics_new();
	if (!start_process(x, value) || !await_ready(x, r->opt->quiet))
		return false;
	r->out.frames = x->frames;
	return true;
}

/* Let it write the last page, or post the rest, and take its messages until it ends. */
static void await_end(struct exporter *x)
{
	uint64_t deadline = clock_ns() + (x->mode == POST ? POST_NS : END_MS * 1000000ull), now;
	struct pollfd p = {.fd = x->socket, .events = POLLIN};
	char text[UST_EXPORT_MAX + 1];
	int kind;

	if (x->frames)
		frames_end(x->frames, deadline);
	shutdown(x->socket, SHUT_WR);
	while ((now = clock_ns()) < deadline &&
	       poll(&p, 1, (int)((deadline - now) / 1000000) + 1) > 0 &&
	       (kind = receive(x, text)) >= 0)
		take_message(x, kind, text + 1);
	close(x->socket);
	x->socket = -1;
}

/* Report what the server has not accepted; false if it lacks anything. */
static bool report_posted(const struct exporter *x)
{
	static const char *const what[] = {
		[UST_EXPORT_LOGS] = "log records", [UST_EXPORT_SPANS] = "spans"};
	bool all = !x->rejected;

	for (size_t i = 0; i < UST_EXPORT_SIGNALS; i++) {
		uint64_t handed = frames_number(x->frames, i), accepted = x->accepted[i];

		if (accepted >= handed)
			continue;
		all = false;
		if (what[i])
			warning("--otlp: %" PRIu64 " of %" PRIu64 " %s were not accepted",
				handed - accepted, handed, what[i]);
		else
			warning("--otlp: the last metrics were not accepted");
	}
	if (x->rejected)
		warning("--otlp: %" PRIu64 " data points were rejected", x->rejected);
	return all;
}

static void wait_for_end(const struct exporter *x)
{
	const struct timespec tick = {.tv_nsec = 10000000};

	for (int ms = 0; waitpid(x->pid, NULL, WNOHANG) == 0; ms += 10) {
		if (ms == END_MS)
			kill(x->pid, SIGKILL);
		nanosleep(&tick, NULL);
	}
}

bool exporter_end(struct run *r, bool begun)
{
	struct exporter *x = r->exporter;
	bool ok;

	if (!x)
		return true;
	if (begun && x->mode != POST)
		make_page(r, false);
	if (x->socket >= 0)
		await_end(x);
	if (x->pid > 0)
		wait_for_end(x);
	ok = !begun || x->mode != POST || report_posted(x);
	r->out.frames = NULL;
	frames_free(x->frames);
	metrics_box_free(r->out.metrics);
	r->out.metrics = NULL;
	metrics_free(x->newest);
	free(x);
	r->exporter = NULL;
	return ok;
}
