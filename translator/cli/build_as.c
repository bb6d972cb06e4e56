/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --build-as: passes 1 to 4 as another user, the run as root.
 *
 * Scripts, programs, debug information and the compiler's input come from many hands, and reading
 * them needs no privilege. So a child gives up root's ids, groups, capabilities, environment,
 * descriptors and terminal for good before it reads any of them, and compiles. Its standard output
 * and error are pipes that this process copies, since a terminal could be read and typed into. The
 * result comes back in a memory file, which is sealed before staprun checks and loads it, so
 * no process of that user can change it afterwards. The module is
 * still made by that user's process: root trusts the user with what the script may do, but with
 * nothing else.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/environment.h"
#include "options.h"
#include "passes.h"
#include "remote.h"

enum { RESULT_FD = 3, NAME_SIZE_MAX = 80, EXIT_CHILD = 1, STATUS_USAGE = 2 };
/* Chunks read from each pipe after the child has ended; a pipe holds fewer. */
enum { CHUNKS_LEFT_MAX = 1024 };

/* Message of the child that has built the script. */
struct built {
	uint32_t runtime; /* enum runtime */
	char name[NAME_SIZE_MAX];
};

struct streams {
	int out[2], err[2], result[2], memory;
};

/* ---------------------------------------------------------------- the user */

/* The user NAME or number; NULL after an error. */
static const struct passwd *find_user(const char *name)
{
	const struct passwd *pw = getpwnam(name);
	char *end;
	unsigned long uid = strtoul(name, &end, 10);

	if (!pw && *name && !*end && uid <= INT32_MAX)
		pw = getpwuid((uid_t)uid);
	if (!pw)
		option_error("--build-as: no user \"%s\"", printable(name));
	else if (!pw->pw_uid || !pw->pw_gid)
		option_error("--build-as: %s is root or has root's group; name another user",
			     printable(name));
	else
		return pw;
	return NULL;
}

/* Set the environment of PW; the former one is also erased from memory, as it may hold secrets. */
static bool clean_environment(const struct passwd *pw)
{
	static const char *const same[] = {"LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TERM"};
	const char *values[ARRAY_LEN(same)];
	extern char **environ;

	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		values[i] = getenv(same[i]) ? xstrdup(getenv(same[i])) : NULL;
	for (char **p = environ; p && *p; p++)
		explicit_bzero(*p, strlen(*p));
	if (clearenv())
		return false;
	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		if (values[i])
			setenv(same[i], values[i], 1);
	return !setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1) &&
	       !setenv("HOME", pw->pw_dir, 1) && !setenv("USER", pw->pw_name, 1) &&
	       !setenv("LOGNAME", pw->pw_name, 1);
}

/* Become PW for good. False with errno set. */
static bool become(const struct passwd *pw)
{
	if (initgroups(pw->pw_name, pw->pw_gid) || setresgid(pw->pw_gid, pw->pw_gid, pw->pw_gid) ||
	    setresuid(pw->pw_uid, pw->pw_uid, pw->pw_uid))
		return false;
	errno = EPERM;
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && setuid(0) && setgid(0) &&
	       !prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* --------------------------------------------------------------- the child */

static bool reads_script(const struct session *s)
{
	return s->opt.script_file && !strcmp(s->opt.script_file, "-");
}

/* Make FD number TO, which has no other copies in a program that the child runs. */
static bool move(int fd, int to)
{
	return dup2(fd, to) == to && !fcntl(to, F_SETFD, to > STDERR_FILENO ? FD_CLOEXEC : 0);
}

/* Only standard input, if the script is read from it, the pipes and the memory file stay open. */
static bool close_others(const struct session *s, struct streams *st, bool runs)
{
	int result = fcntl(st->result[1], F_DUPFD_CLOEXEC, 64);
	int memory = fcntl(st->memory, F_DUPFD_CLOEXEC, 64);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	st->result[1] = RESULT_FD;
	st->memory = RESULT_FD + 1;
	return (reads_script(s) || move(null, STDIN_FILENO)) &&
	       move(runs ? null : st->out[1], STDOUT_FILENO) && move(st->err[1], STDERR_FILENO) &&
	       move(result, st->result[1]) && move(memory, st->memory) &&
	       !syscall(SYS_close_range, st->memory + 1, ~0u, 0);
}

static bool copy(int from, int to)
{
	char buf[1 << 16];
	ssize_t n;

	for (off_t at = 0; (n = pread(from, buf, sizeof buf, at)) > 0; at += n)
		for (ssize_t done = 0; done < n;) {
			ssize_t w = write(to, buf + done, (size_t)(n - done));

			if (w < 0 && errno != EINTR)
				return false;
			done += w > 0 ? w : 0;
		}
	return !n;
}

/* Hand the built script over. */
static bool send_result(const struct session *s, const struct streams *st)
{
	const char *slash = strrchr(s->artifact, '/');
	struct built b = {.runtime = s->backend == backends[RT_USER] ? RT_USER : RT_KERNEL};

	snprintf(b.name, sizeof b.name, "%s", slash ? slash + 1 : s->artifact);
	return copy(s->artifact_fd, st->memory) && write(st->result[1], &b, sizeof b) == sizeof b;
}

/* Everything that is not a run of a script ends in the child. */
static _Noreturn void build(struct session *s, const struct passwd *pw, struct streams *st,
			    bool runs, int (*session)(struct session *s))
{
	int status;

	if (setsid() < 0 || !close_others(s, st, runs) || !become(pw) || !clean_environment(pw)) {
		dprintf(STDERR_FILENO, "ustap: error: --build-as: cannot become user %s: %s\n",
			pw->pw_name, strerror(errno));
		_exit(EXIT_CHILD);
	}
	umask(077);
	s->opt.build_as = NULL;
	if (runs)
		s->opt.stop_after = 4;
	status = session(s);
	fflush(NULL);
	if (!status && runs && !send_result(s, st)) {
		diag_error(E_IO, (struct loc){0}, "--build-as: cannot hand over the built script");
		status = EXIT_CHILD;
	}
	private_dir_remove(s->opt.keep);
	_exit(status);
}

/* -------------------------------------------------------------- the parent */

/* The child's process may be in other hands: control characters do not reach root's terminal. */
static void print_chunk(FILE *to, const char *text, size_t n)
{
	bool escape = isatty(fileno(to));
	const char *newline;

	for (; (newline = memchr(text, '\n', n)); text = newline + 1) {
		remote_line_print(to, text, (size_t)(newline - text), escape);
		putc('\n', to);
		n -= (size_t)(newline - text) + 1;
	}
	remote_line_print(to, text, n, escape);
}

/* Bytes of an incomplete UTF-8 character at the end of TEXT. */
static size_t incomplete(const char *text, size_t n)
{
	for (size_t tail = 1; tail <= 3 && tail <= n; tail++) {
		unsigned char c = (unsigned char)text[n - tail];

		if (c >= 0xc0)
			return tail < (c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u) ? tail : 0;
		if (c < 0x80)
			break;
	}
	return 0;
}

/* A pipe of the child, and the bytes of it that wait for the end of their character. */
struct relayed {
	int from;
	FILE *to;
	char buf[4096];
	size_t held;
};

/* Copy what is in the pipe; false at its end. */
static bool relay(struct relayed *r)
{
	ssize_t got = read(r->from, r->buf + r->held, sizeof r->buf - r->held);
	size_t n = r->held + (got > 0 ? (size_t)got : 0);

	if (got < 0 && errno == EINTR)
		return true;
	r->held = got > 0 ? incomplete(r->buf, n) : 0;
	print_chunk(r->to, r->buf, n - r->held);
	memmove(r->buf, r->buf + n - r->held, r->held);
	return !fflush(r->to) && got > 0;
}

/* Copy the child's output until it ends; programs that it left running may keep the pipes open. */
static void relay_all(pid_t pid, const struct streams *st)
{
	struct relayed r[] = {{.from = st->out[0], .to = stdout},
			      {.from = st->err[0], .to = stderr}};
	int child = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p[] = {{.fd = st->out[0], .events = POLLIN},
			     {.fd = st->err[0], .events = POLLIN},
			     {.fd = child, .events = POLLIN}};

	while ((p[0].fd >= 0 || p[1].fd >= 0) &&
	       (poll(p, ARRAY_LEN(p), -1) > 0 || errno == EINTR)) {
		for (int i = 0; i < 2; i++)
			if (p[i].fd >= 0 && p[i].revents && !relay(&r[i]))
				p[i].fd = -1;
		if (p[2].revents)
			break;
	}
	for (int i = 0; i < 2; i++) {
		fcntl(r[i].from, F_SETFL, O_NONBLOCK);
		for (int n = 0; n < CHUNKS_LEFT_MAX && relay(&r[i]); n++)
			;
	}
	close(child);
}

static bool is_file_name(const char name[NAME_SIZE_MAX])
{
	return memchr(name, 0, NAME_SIZE_MAX) && *name && *name != '-' && *name != '.' &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_.")];
}

/* Take over what the child has built; its process may be in other hands. False after an error. */
static bool take_result(struct session *s, const struct streams *st)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	struct built b;

	fcntl(st->result[0], F_SETFL, O_NONBLOCK);
	if (read(st->result[0], &b, sizeof b) != sizeof b || !is_file_name(b.name) ||
	    (b.runtime != RT_KERNEL && b.runtime != RT_USER)) {
		diag_error(E_IO, (struct loc){0}, "--build-as: the child's result is damaged");
		return false;
	}
	/* another description, whose offset processes of the user cannot move */
	s->artifact_fd = open(xprintf("/proc/self/fd/%d", st->memory), O_RDONLY | O_CLOEXEC);
	if (fcntl(st->memory, F_ADD_SEALS, seals) || s->artifact_fd < 0) {
		diag_error(E_IO, (struct loc){0}, "--build-as: cannot seal the built script: %s",
			   strerror(errno));
		return false;
	}
	s->artifact = xstrdup(b.name);
	s->backend = backends[b.runtime];
	return true;
}

static bool open_streams(struct streams *st)
{
	st->memory = memfd_create("ustap-script", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return st->memory >= 0 && !pipe2(st->out, O_CLOEXEC) && !pipe2(st->err, O_CLOEXEC) &&
	       !pipe2(st->result, O_CLOEXEC);
}

/* Only root can know whether a module can be loaded. False after an error. */
static bool choose_runtime(struct session *s)
{
	struct unusable why;

	if (s->opt.runtime == RT_USER || backends[RT_KERNEL]->usable(s, &why))
		return true;
	if (s->opt.runtime == RT_AUTO && !s->opt.release) {
		s->opt.runtime = RT_USER;
		fprintf(stderr, "ustap: runtime: user (%s)\n", why.msg);
		return true;
	}
	report_unusable(&why);
	return false;
}

static int child_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_CHILD;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	diag_error(E_BUILD, (struct loc){0}, "--build-as: the child was killed by signal %d",
		   WTERMSIG(status));
	return EXIT_CHILD;
}

int build_as(struct session *s, bool runs, int (*session)(struct session *s))
{
	const struct passwd *pw;
	struct streams st;
	int status;
	pid_t pid;

	if (geteuid())
		option_error("--build-as needs root; other users build as themselves");
	else if (reads_script(s) && isatty(STDIN_FILENO))
		option_error("--build-as: the script cannot be read from a terminal");
	pw = diag_errors() ? NULL : find_user(s->opt.build_as);
	if (!pw)
		return STATUS_USAGE;
	if (runs && !choose_runtime(s))
		return EXIT_CHILD;
	fflush(NULL);
	pid = open_streams(&st) ? fork() : -1;
	if (pid < 0) {
		diag_error(E_IO, (struct loc){0}, "--build-as: %s", strerror(errno));
		return EXIT_CHILD;
	}
	if (!pid)
		build(s, pw, &st, runs, session);
	close(st.out[1]);
	close(st.err[1]);
	close(st.result[1]);
	relay_all(pid, &st);
	status = child_status(pid);
	if (!status && runs && !take_result(s, &st))
		status = EXIT_CHILD;
	return status;
}
