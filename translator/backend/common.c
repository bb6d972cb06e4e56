/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common parts of the backends: writing artifacts and reporting build failures. */
#include "backend.h"
#include "createfile.h"
#include "base/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool refuse(struct unusable *why, enum errtag tag, const char *msg, const char *hint)
{
	*why = (struct unusable){.tag = tag, .msg = msg, .hint = hint};
	return false;
}

bool write_text(const char *path, const char *text, size_t n)
{
	FILE *f = private_stream(path);
	bool ok = f && fwrite(text, 1, n, f) == n;

	if (f && fclose(f))
		ok = false;
	if (!ok)
		diag_error(E_IO, (struct loc){0}, "cannot write %s: %s", path, strerror(errno));
	return ok;
}

void report_failure(const char *what, const char *log)
{
	char *text = read_file(log, NULL);
	unsigned lines = 0;

	diag_error(E_BUILD, (struct loc){0}, "%s", what);
	for (char *line = text ? strtok(text, "\n") : NULL; line && lines < 12;
	     line = strtok(NULL, "\n"))
		if (strstr(line, "rror") || strstr(line, "not found") ||
		    strstr(line, "undefined")) {
			fprintf(stderr, "  %s\n", line);
			lines++;
		}
	if (!lines && text && *text)
		fprintf(stderr, "  %s\n", text);
}

void report_failed_step(const char *what, int status, const char *log)
{
	/* as shells count: 128 and the signal */
	if (status > 128)
		report_failure(
			xprintf("%s was ended by a signal: %s", what, strsignal(status - 128)),
			log);
	else
		report_failure(xprintf("%s failed on the emitted C", what), log);
}

/* The place LINE:COL of SRC, up to the end of its line. */
static struct loc place(const struct source *src, unsigned long line, unsigned long col)
{
	struct loc loc = {src, 0, 0};

	while (line > 1 && loc.beg < src->len)
		line -= src->text[loc.beg++] == '\n';
	for (; col > 1 && loc.beg < src->len && src->text[loc.beg] != '\n'; col--)
		loc.beg++;
	loc.end = loc.beg;
	while (loc.end < src->len && src->text[loc.end] != '\n')
		loc.end++;
	return loc;
}

/* One line of a compiler's output, `NAME:LINE:COL: error: TEXT'. */
static bool report_line(const struct session *s, const char *line, const char *hint)
{
	for (size_t i = 0; i < s->embeds.n; i++) {
		const struct source *src = s->embeds.v[i];
		size_t n = strlen(src->name);
		unsigned long ln, col;
		char *p;

		if (strncmp(line, src->name, n) || line[n] != ':')
			continue;
		ln = strtoul(line + n + 1, &p, 10);
		col = *p == ':' ? strtoul(p + 1, &p, 10) : 0;
		p = strstr(p, "error: ");
		if (!p)
			continue;
		p += strlen("error: ");
		diag_error(E_EMBEDDED, place(src, ln, col), "%.*s",
			   (int)(strstr(p, " [-W") ? strstr(p, " [-W") - p : (long)strlen(p)), p);
		if (hint && (strstr(p, "No such file") || strstr(p, "undeclared") ||
			     strstr(p, "incomplete")))
			diag_hint("%s", hint);
		return true;
	}
	return false;
}

bool report_embedded(const struct session *s, const char *log, const char *hint)
{
	char *text = s->embeds.n ? read_file(log, NULL) : NULL;
	bool found = false;

	for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
		found |= report_line(s, line, hint);
	return found;
}

/* The current directory may be one where others can write: NAME may be a link of theirs, which
 * rename(2) replaces. */
static bool copy_here(struct session *s, const char *name)
{
	char *temp = xprintf(".%s.XXXXXX", name), *data;
	size_t n;
	bool ok;
	int fd;

	lseek(s->artifact_fd, 0, SEEK_SET);
	data = read_stream(s->artifact_fd, &n);
	fd = data ? mkostemp(temp, O_CLOEXEC) : -1;
	ok = fd >= 0 && write_and_close(fd, data, n, 0666) && !rename(temp, name);
	if (!ok)
		diag_error(E_IO, (struct loc){0}, "cannot write %s: %s", name, strerror(errno));
	if (fd >= 0 && !ok)
		unlink(temp);
	return ok && (s->artifact = realpath(name, NULL));
}

/* Not one of the standard descriptors, which may be closed. */
static bool take_descriptor(struct session *s, int fd)
{
	s->artifact_fd = fd < 0 || fd > STDERR_FILENO
				 ? fd
				 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (s->artifact_fd != fd)
		close(fd);
	return s->artifact_fd >= 0;
}

/* The file of a cache entry that has the stack use of its handlers, and what it says. */
#define STACK "stack"

static const char *read_stack(const char *entry)
{
	int fd = cache_open(entry, STACK);
	size_t len;
	char *text = fd < 0 ? NULL : read_stream(fd, &len);

	if (fd >= 0)
		close(fd);
	return text;
}

static void tell_stack(const char *text)
{
	if (text)
		vlog(1, "handlers take at most %s", text);
}

bool artifact_cached(struct session *s, const char *entry, const char *name)
{
	int fd = s->opt.poison_cache ? -1 : cache_open(entry, name);

	s->artifact = xprintf("%s/%s", entry, name);
	if (fd >= 0 && !headers_same(s, entry)) {
		close(fd);
		cache_discard(entry);
		fd = -1;
	}
	if (fd >= 0 && verbose)
		tell_stack(read_stack(entry));
	return take_descriptor(s, fd);
}

bool artifact_keep(struct session *s, const char *sub, const char *entry, const char *built,
		   const char *name)
{
	struct cache_text texts[2] = {{STACK, s->stack}};
	size_t n = 1;

	tell_stack(s->stack);
	if (!take_descriptor(s, open(built, O_RDONLY | O_NOFOLLOW | O_CLOEXEC))) {
		diag_error(E_IO, (struct loc){0}, "cannot read %s: %s", built, strerror(errno));
		return false;
	}
	if (s->opt.poison_cache)
		cache_discard(entry);
	if (!headers_keep(s, &texts[1].name, &texts[1].text)) {
		if (s->opt.stop_after != 4 || s->opt.module_name)
			return true;
		texts[1].text = "?\n";
	}
	n += texts[1].name != NULL;
	if (cache_put(sub, entry, built, name, texts, n)) {
		cache_enforce_limit();
		return true;
	}
	if (s->opt.stop_after == 4 && !s->opt.module_name) {
		diag_error(E_IO, (struct loc){0}, "cannot write %s: %s", entry, strerror(errno));
		return false;
	}
	diag_warn(W_UNTRUSTED, (struct loc){0}, "cannot write %s: %s; the result is not cached",
		  entry, strerror(errno));
	return true;
}

bool artifact_copy(struct session *s, const char *suffix)
{
	return !s->opt.module_name || copy_here(s, xprintf("%s%s", s->opt.module_name, suffix));
}
