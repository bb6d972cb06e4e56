/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions of kernel modules: finding and locking them, and sending them commands. Each is a
 * directory of /proc/ustap; see wire.h.
 */
#include "base/exit_status.h"
#include "base/message.h"
#include "module/kernel_module.h"
#include "output/stream.h"
#include "session/session_ops.h"
#include "wire.h"
#include "wire_agent.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT "/proc/" UST_PROC_DIR

static int open_directory(const char *name)
{
	char path[sizeof ROOT + NAME_SIZE + 1];

	snprintf(path, sizeof path, ROOT "/%s", name);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* ------------------------------------------------------------------- holding */

/* Make the caller the owner of the ctl file: besides root, only the owner may send commands to a
 * module. */
static bool own(const struct session *s)
{
	return getuid() == 0 || !fchown(s->ctl, getuid(), (gid_t)-1) ||
	       fail("%s: cannot record its owner: %s", s->name, strerror(errno));
}

static bool is_callers(const struct session *s)
{
	struct stat st;

	return getuid() == 0 || (!fstat(s->ctl, &st) && st.st_uid == getuid()) ||
	       fail("%s was started by another user", s->name);
}

/* The lock of a killed staprun is released when the kernel has removed the process. */
static bool lock(int ctl)
{
	for (int i = 0; i < 20; i++) {
		if (!flock(ctl, LOCK_EX | LOCK_NB))
			return true;
		poll(NULL, 0, 50);
	}
	return false;
}

static bool hold(struct session *s)
{
	struct ust_status st;

	if (!lock(s->ctl))
		return fail("%s is in use by another staprun; stop that one with Ctrl-C", s->name);
	if (!session_status(s, &st))
		return fail("%s: cannot read its status: %s", s->name, strerror(errno));
	if (st.version != UST_WIRE_VERSION)
		return fail("%s uses wire format %u, but this staprun uses format %d", s->name,
			    st.version, UST_WIRE_VERSION);
	return true;
}

bool session_open(struct session *s, const char *name, bool loaded_by_us)
{
	struct session fresh = {.kind = &session_kernel, .ctl = -1};

	/* NAME may be S's own */
	snprintf(fresh.name, sizeof fresh.name, "%s", name);
	*s = fresh;
	name = s->name;
	s->dir = open_directory(name);
	if (s->dir >= 0)
		s->ctl = openat(s->dir, "ctl", O_RDWR | O_CLOEXEC);
	if (s->ctl < 0) {
		fail("%s: cannot open " ROOT "/%s/ctl: %s", name, name, strerror(errno));
		session_close(s);
		return false;
	}
	if ((loaded_by_us ? own(s) : is_callers(s)) && hold(s))
		return true;
	session_close(s);
	return false;
}

static bool kernel_status(const struct session *s, struct ust_status *st)
{
	ssize_t n = pread(s->ctl, st, sizeof *st, 0);

	if (n >= 0 && (size_t)n != sizeof *st)
		errno = EPROTO;
	return n == sizeof *st;
}

static int kernel_command(const struct session *s, const struct ust_cmd *cmd)
{
	ssize_t n;

	do
		n = pwrite(s->ctl, cmd, sizeof *cmd, 0);
	while (n < 0 && errno == EINTR);
	return n < 0 ? errno : n == sizeof *cmd ? 0 : EPROTO;
}

static int kernel_set(const struct session *s, const char *name, const char *value, int64_t number,
		      bool is_number)
{
	struct ust_cmd cmd = {
		.op = UST_CMD_SET, .flags = is_number ? UST_SET_NUMBER : 0, .target = number};
	size_t n = strlen(name) + 1, v = strlen(value) + 1, size = sizeof cmd + n + v;
	char *text = xrealloc(NULL, size);
	ssize_t done;

	memcpy(text, &cmd, sizeof cmd);
	memcpy(text + sizeof cmd, name, n);
	memcpy(text + sizeof cmd + n, value, v);
	done = pwrite(s->ctl, text, size, 0);
	free(text);
	return done < 0 ? errno : 0;
}

static int kernel_merge(const struct session *s, unsigned op, char *line, const char **why)
{
	struct ust_cmd cmd = {.op = UST_CMD_MERGE, .flags = op};
	size_t n = line ? strlen(line) + 1 : 1, size = sizeof cmd + n;
	char *text = xrealloc(NULL, size);
	ssize_t done;
	int err;

	memcpy(text, &cmd, sizeof cmd);
	memcpy(text + sizeof cmd, line ? line : "", n);
	done = pwrite(s->ctl, text, size, 0);
	err = done < 0 ? errno : 0;
	free(text);
	*why = "a record of it is malformed, or longer than 64 KB";
	return err == ENOENT   ? UST_MERGE_ABSENT
	       : err == ENOSPC ? UST_MERGE_FULL
	       : err == EINVAL ? UST_MERGE_BAD
			       : -err;
}

static void kernel_connect(const struct session *s, struct stream *stream)
{
	char name[32];

	snprintf(name, sizeof name, "cpu%u", stream->cpu);
	stream->fd = openat(s->dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static void kernel_gone(const struct session *s)
{
	say("module %s was unloaded: %s", s->name, strerror(errno));
}

static bool kernel_remove(struct session *s) { return module_unload(s->name); }

const struct session_kind session_kernel = {
	.status = kernel_status,
	.command = kernel_command,
	.connect = kernel_connect,
	.gone = kernel_gone,
	.set = kernel_set,
	.merge = kernel_merge,
	.remove = kernel_remove,
};

/* ------------------------------------------------------------------- finding */

/* Names of the loaded modules; *N of them, each to be freed, as is the list. */
static char **loaded(size_t *n)
{
	DIR *dir = opendir(ROOT);
	char **list = NULL;
	struct dirent *e;

	*n = 0;
	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || strlen(e->d_name) >= NAME_SIZE)
			continue;
		list = xrealloc(list, (*n + 1) * sizeof *list);
		list[(*n)++] = xstrndup(e->d_name, strlen(e->d_name));
	}
	if (dir)
		closedir(dir);
	return list;
}

static void free_list(char **list, size_t n)
{
	while (n)
		free(list[--n]);
	free(list);
}

/* ustap_0123456789_0001234 -> length of the part that identifies the script, or 0 */
static size_t script_part(const char *name)
{
	size_t n = strlen(name), prefix = strlen(UST_NAME_PREFIX);

	return n > prefix + 8 && !strncmp(name, UST_NAME_PREFIX, prefix) && name[n - 8] == '_'
		       ? n - 7
		       : 0;
}

/* True if the loaded module NAME comes from the file or script WANT. */
static bool same_script(const char *name, const char *want)
{
	size_t n = script_part(name), w = script_part(want);

	return n && n == w && !memcmp(name, want, n);
}

static bool found(char **list, size_t n, const char *want, char name[NAME_SIZE])
{
	size_t hits = 0;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], want)) {
			snprintf(name, NAME_SIZE, "%s", list[i]);
			return true;
		}
	for (size_t i = 0; i < n; i++)
		if (same_script(list[i], want) && !hits++)
			snprintf(name, NAME_SIZE, "%s", list[i]);
	if (hits > 1) {
		say("%s is loaded %zu times; use one of these names:", want, hits);
		for (size_t i = 0; i < n; i++)
			if (same_script(list[i], want))
				hint("%s", list[i]);
	} else if (!hits) {
		say("no module \"%s\" is loaded", want);
		hint("list the loaded modules with: staprun -d");
	}
	return hits == 1;
}

bool session_find(const char *want, char name[NAME_SIZE])
{
	size_t n;
	char **list = loaded(&n);
	bool ok = found(list, n, want, name);

	free_list(list, n);
	return ok;
}

/* ------------------------------------------------------------------- listing */

static const char *state_name(const struct ust_status *st)
{
	static const char *const names[] = {"loaded", "starting", "running", "stopping", "stopped"};

	return st->state < sizeof names / sizeof names[0] ? names[st->state] : "unknown";
}

static void list_one(const char *name)
{
	struct ust_status st = {.state = ~0u};
	struct session s = {.kind = &session_kernel, .dir = open_directory(name), .ctl = -1};
	bool held = false;

	if (s.dir >= 0)
		s.ctl = openat(s.dir, "ctl", O_RDONLY | O_CLOEXEC);
	if (s.ctl >= 0) {
		session_status(&s, &st);
		held = flock(s.ctl, LOCK_EX | LOCK_NB);
	}
	printf("%s  %s, %s\n", name, st.paused ? "paused" : state_name(&st),
	       held ? "in use" : "no reader");
	session_close(&s);
}

void session_list(void)
{
	size_t n;
	char **list = loaded(&n);

	for (size_t i = 0; i < n; i++)
		list_one(list[i]);
	if (!n)
		note("no module is loaded");
	free_list(list, n);
}
