/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces marks in a script's output (UST_NAME_MARK) by function names.
 *
 * A separate process reads the files (name_reader.c); this file parses the marks, opens the files
 * and caches the answers. A file is opened with the caller's rights, below the root of the process
 * that maps it or, since that may have ended, by its path. It is used only if its build-id is that
 * of the mapping. If no name is found, the runtime's text remains.
 */
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/output_format.h"
#include "inject/elf/elf.h"
#include "inject/patch/patched_file.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "base/privilege.h"
#include "output/output.h"
#include "wire_records.h"

enum { KEY_DIGITS = 16, BUILD_ID = sizeof(((struct name_request *)0)->build_id), MAX_PATH = 1024 };
enum { MAX_KNOWN = 1 << 16, WAIT_MS = 5000 };

struct mark {
	uint64_t pid, addr, in_file, flags;
	char build_id[BUILD_ID];
	const char *path, *text, *end; /* parts of the mark in the text */
	size_t path_len, text_len;
};

struct name_file {
	char *path;
	char build_id[BUILD_ID];
	bool usable;
};

/* A requested address; name NULL: not answered. */
struct known {
	uint32_t file;
	bool used, behind;
	uint64_t in_file, start, size;
	char *name;
};

struct names {
	pid_t reader;
	int socket; /* -1: the reader process has ended */
	char prefix[KEY_DIGITS + 3];
	struct name_file files[NAME_FILES];
	size_t nfiles;
	struct known *known; /* open addressing */
	size_t nknown, cap;
	struct text out;
};

/* ------------------------------------------------------------------ the reader */

struct names *names_start(uint64_t key)
{
	int sockets[2];
	struct names *n;

	if (!key || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return NULL;
	n = xrealloc(NULL, sizeof *n);
	memset(n, 0, sizeof *n);
	snprintf(n->prefix, sizeof n->prefix, UST_NAME_MARK "%016" PRIx64 " ", key);
	n->reader = fork();
	if (!n->reader) {
		close(sockets[0]);
		name_reader_main(sockets[1]);
	}
	close(sockets[1]);
	n->socket = sockets[0];
	if (n->reader > 0)
		return n;
	close(n->socket);
	free(n);
	return NULL;
}

void names_end_reader(struct names *n)
{
	if (!n)
		return;
	if (n->socket >= 0)
		close(n->socket);
	n->socket = -1;
	if (n->reader > 0) {
		kill(n->reader, SIGKILL);
		while (waitpid(n->reader, NULL, 0) < 0 && errno == EINTR)
			;
	}
	n->reader = 0;
}

void names_stop(struct names *n)
{
	if (!n)
		return;
	names_end_reader(n);
	for (size_t i = 0; i < n->nfiles; i++)
		free(n->files[i].path);
	for (size_t i = 0; i < n->cap; i++)
		free(n->known[i].name);
	free(n->known);
	free(n->out.s);
	free(n);
}

static bool send_request(const struct names *n, const struct name_request *q, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec v = {(void *)q, sizeof *q};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof control;
		control.head = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
						.cmsg_type = SCM_RIGHTS,
						.cmsg_len = CMSG_LEN(sizeof fd)};
		memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	}
	return sendmsg(n->socket, &m, MSG_NOSIGNAL) == sizeof *q;
}

/* Returns false if the reader did not find it, or has ended. */
static bool ask(struct names *n, const struct name_request *q, int fd, struct name_answer *a)
{
	struct pollfd p = {.fd = n->socket, .events = POLLIN};
	int ready = 0;

	if (n->socket < 0)
		return false;
	if (send_request(n, q, fd))
		do
			ready = poll(&p, 1, WAIT_MS);
		while (ready < 0 && errno == EINTR);
	if (ready != 1 || recv(n->socket, a, sizeof *a, 0) != sizeof *a) {
		warning("the symbol reader process has ended: stacks show no more names from files "
			"that the script does not name");
		names_end_reader(n);
		return false;
	}
	a->name[NAME_MAX - 1] = 0;
	return a->found;
}

/* ----------------------------------------------------------------------- files */

static int open_path(const char *root, const struct mark *m)
{
	char path[MAX_PATH + 64];
	int fd;

	snprintf(path, sizeof path, "%s%.*s", root, (int)m->path_len, m->path);
	privilege_suspend();
	fd = elffile_open_fd(path);
	privilege_resume();
	return fd;
}

/* Offer FD, which is closed: if it has the build-id of M, it becomes number FILE. */
static bool offer(struct names *n, const struct mark *m, uint32_t file, int fd)
{
	struct name_request q = {.file = file};
	struct name_answer a;
	bool ok;

	if (fd < 0)
		return false;
	memcpy(q.build_id, m->build_id, sizeof q.build_id);
	ok = ask(n, &q, fd, &a);
	close(fd);
	return ok;
}

static bool add_file(struct names *n, const struct mark *m)
{
	struct name_file *f = &n->files[n->nfiles];
	char root[40];

	if (n->nfiles == NAME_FILES)
		return false;
	snprintf(root, sizeof root, "/proc/%d/root", (int)proc_live_thread((pid_t)m->pid));
	*f = (struct name_file){.path = xstrndup(m->path, m->path_len)};
	memcpy(f->build_id, m->build_id, sizeof f->build_id);
	f->usable = offer(n, m, (uint32_t)n->nfiles, open_path(root, m)) ||
		    offer(n, m, (uint32_t)n->nfiles, open_path("", m));
	n->nfiles++;
	return true;
}

/* The number of M's file; NAME_FILES: too many files. */
static uint32_t file_of_mark(struct names *n, const struct mark *m)
{
	for (size_t i = 0; i < n->nfiles; i++)
		if (!strcmp(n->files[i].build_id, m->build_id) &&
		    !strncmp(n->files[i].path, m->path, m->path_len) &&
		    !n->files[i].path[m->path_len])
			return (uint32_t)i;
	return add_file(n, m) ? (uint32_t)n->nfiles - 1 : NAME_FILES;
}

/* ------------------------------------------------------------------- addresses */

static struct known *find(struct known *v, size_t cap, uint32_t file, uint64_t in_file, bool behind)
{
	size_t i = ((in_file * 2 + behind) * 0x9e3779b97f4a7c15 ^ file * 0x100000001b3) >> 20 &
		   (cap - 1);

	while (v[i].used && (v[i].file != file || v[i].in_file != in_file || v[i].behind != behind))
		i = (i + 1) & (cap - 1);
	return &v[i];
}

static void grow(struct names *n)
{
	size_t cap = n->cap ? 2 * n->cap : 256;
	struct known *v = xrealloc(NULL, cap * sizeof *v);

	memset(v, 0, cap * sizeof *v);
	for (size_t i = 0; i < n->cap; i++)
		if (n->known[i].used)
			*find(v, cap, n->known[i].file, n->known[i].in_file,
			      n->known[i].behind) = n->known[i];
	free(n->known);
	n->known = v;
	n->cap = cap;
}

/* Names from files are printed on terminals. */
static char *masked(const char *name)
{
	char *copy = xstrndup(name, strlen(name));

	for (char *p = copy; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return copy;
}

static void look_up(struct names *n, struct known *k, bool raw)
{
	struct name_request q = {.file = k->file, .raw = raw, .addr = k->in_file - k->behind};
	struct name_answer a;
	bool found = ask(n, &q, -1, &a);

	/* a signal handler returns to the start of a function */
	if (!found && k->behind) {
		q.addr = k->in_file;
		found = ask(n, &q, -1, &a);
	}
	if (!found)
		return;
	k->name = masked(a.name);
	k->start = a.start;
	k->size = a.size;
}

/* NULL if not found. */
static const struct known *name_of(struct names *n, const struct mark *m)
{
	bool behind = m->flags & UST_NAME_BEHIND_CALL;
	uint32_t file = file_of_mark(n, m);
	struct known *k;

	if (file == NAME_FILES || !n->files[file].usable)
		return NULL;
	if (2 * n->nknown >= n->cap && n->nknown < MAX_KNOWN)
		grow(n);
	k = find(n->known, n->cap, file, m->in_file, behind);
	if (!k->used) {
		if (n->nknown >= MAX_KNOWN)
			return NULL;
		n->nknown++;
		*k = (struct known){
			.file = file, .used = true, .behind = behind, .in_file = m->in_file};
		look_up(n, k, m->flags & UST_NAME_RAW);
	}
	return k->name ? k : NULL;
}

/* ----------------------------------------------------------------------- marks */

static bool number(const char **s, const char *end, uint64_t *to)
{
	const char *p = *s;

	for (*to = 0; p < end && *p != ' '; p++) {
		int digit = *p >= '0' && *p <= '9'   ? *p - '0'
			    : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10
						     : 16;

		if (digit == 16 || p - *s >= KEY_DIGITS)
			return false;
		*to = *to << 4 | (uint64_t)digit;
	}
	if (p == *s || p == end)
		return false;
	*s = p + 1;
	return true;
}

/* Parse a mark from S, which is after the key. False if the mark is incomplete. */
static bool parse(const char *s, const char *end, struct mark *m)
{
	const char *text = memchr(s, *UST_NAME_TEXT, (size_t)(end - s)), *blank;
	const char *last = text ? memchr(text, *UST_NAME_MARK, (size_t)(end - text)) : NULL;

	*m = (struct mark){0};
	if (!last || !number(&s, text, &m->pid) || !number(&s, text, &m->addr) ||
	    !number(&s, text, &m->in_file) || !number(&s, text, &m->flags))
		return false;
	blank = memchr(s, ' ', (size_t)(text - s));
	if (!blank || blank - s >= BUILD_ID || blank + 1 == text || blank[1] != '/' ||
	    text - blank > MAX_PATH)
		return false;
	memcpy(m->build_id, s, (size_t)(blank - s));
	m->path = blank + 1;
	m->path_len = (size_t)(text - m->path);
	m->text = text + 1;
	m->text_len = (size_t)(last - m->text);
	m->end = last + 1;
	return true;
}

static void put_frame(struct names *n, const struct mark *m)
{
	const struct known *k = name_of(n, m);

	if (!k)
		text_add(&n->out, m->text, m->text_len);
	else if (m->flags & UST_NAME_BRIEF)
		text_print(&n->out, "%s+0x%" PRIx64 "\n", k->name, m->in_file - k->start);
	else
		text_print(&n->out, " 0x%" PRIx64 " : %s+0x%" PRIx64 "/0x%" PRIx64 " [%.*s]\n",
			   m->addr, k->name, m->in_file - k->start, k->size, (int)m->path_len,
			   m->path);
}

void names_resolve(struct names *n, const char **text, size_t *len)
{
	const char *s = *text, *end = s + *len, *at;
	size_t prefix = KEY_DIGITS + 2;
	struct mark m;

	at = n && *len ? memmem(s, *len, n->prefix, prefix) : NULL;
	if (!at)
		return;
	n->out.n = 0;
	for (; at; at = memmem(s, (size_t)(end - s), n->prefix, prefix)) {
		text_add(&n->out, s, (size_t)(at - s));
		s = at + prefix;
		/* an incomplete mark comes from a process that overwrites shared memory */
		if (parse(s, end, &m)) {
			put_frame(n, &m);
			s = m.end;
		}
	}
	text_add(&n->out, s, (size_t)(end - s));
	*text = n->out.s;
	*len = n->out.n;
}
