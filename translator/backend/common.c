/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What building is for both backends: files and failures. */
#include "backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool refuse(struct unusable *why, enum errtag tag, const char *msg, const char *hint)
{
	*why = (struct unusable){.tag = tag, .msg = msg, .hint = hint};
	return false;
}

char *file_identity(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return xprintf("%s -", path);
	return xprintf("%s %lld %lld.%09ld %llu", path, (long long)st.st_size,
		       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
		       (unsigned long long)st.st_ino);
}

bool write_text(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "w");
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
		if (strstr(line, "rror") || strstr(line, "not found") || strstr(line, "undefined")) {
			fprintf(stderr, "  %s\n", line);
			lines++;
		}
	if (!lines && text && *text)
		fprintf(stderr, "  %s\n", text);
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
		diag_error(E_EMBEDDED, place(src, ln, col), "%s", p + strlen("error: "));
		if (hint && (strstr(p, "No such file") || strstr(p, "undeclared") || strstr(p, "incomplete")))
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

bool copy_here(struct session *s, const char *name)
{
	size_t n;
	char *data = read_file(s->artifact, &n);

	if (!data) {
		diag_error(E_IO, (struct loc){0}, "cannot read %s: %s", s->artifact, strerror(errno));
		return false;
	}
	if (!write_text(name, data, n))
		return false;
	s->artifact = realpath(name, NULL);
	return s->artifact != NULL;
}
