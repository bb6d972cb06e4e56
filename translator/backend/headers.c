/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headers that embedded C includes: part of what a cached artifact is made of.
 *
 * Only the compiler knows which files it reads, so it lists them while it builds (-MD).  The list
 * is kept beside the artifact, with what identified each file then; an artifact whose list does not
 * hold any more is built again.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend.h"
#include "base/cache.h"

#define LIST "headers"

const char *headers_option(const struct session *s) { return s->embeds.n ? "-MD" : NULL; }

const char *headers_rule(const struct session *s) { return xprintf("%s/rule", s->work_dir); }

/* The next prerequisite of the rule at *P, as gcc writes it: blanks and # after a backslash, $
 * doubled; NULL: no more. */
static char *next_file(const char **p)
{
	struct strbuf sb = {0};
	const char *s = *p;

	while (*s == ' ' || *s == '\n' || (*s == '\\' && s[1] == '\n'))
		s++;
	for (; *s && *s != ' ' && *s != '\n'; s++) {
		if ((*s == '\\' && (s[1] == ' ' || s[1] == '#')) || (*s == '$' && s[1] == '$'))
			s++;
		sb_addn(&sb, s, 1);
	}
	*p = s;
	return sb.s;
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_ctim.tv_sec > b->st_ctim.tv_sec ||
	       (a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec >= b->st_ctim.tv_nsec);
}

/* A line for each file that the compiler read for
 * SOURCE; NULL: not known, or it changed meanwhile. */
static char *make_list(const struct session *s, const char *source)
{
	char *rule = read_file(headers_rule(s), NULL), *file;
	const char *p = rule ? strstr(rule, ": ") : NULL;
	struct strbuf sb = {0};
	struct stat own, st;

	if (!p || stat(source, &own))
		return NULL;
	for (p += 2; (file = next_file(&p));) {
		if (!strcmp(file, source))
			continue;
		if (stat(file, &st) || is_newer(&st, &own) || strchr(file, '\n'))
			return NULL;
		sb_printf(&sb, "%s\n", file_identity_of(file, &st));
	}
	return sb.s ? sb.s : xstrdup("");
}

bool headers_keep(const struct session *s, const char **name, const char **list)
{
	*name = NULL;
	*list = NULL;
	if (!s->embeds.n)
		return true;
	*name = LIST;
	*list = make_list(s, xprintf("%s/script.c", s->work_dir));
	return *list;
}

/* A line begins with the path; five numbers follow. */
static bool is_same(const char *line)
{
	size_t n = strlen(line);

	for (int numbers = 5; numbers && n; numbers -= line[n] == ' ')
		n--;
	return !strcmp(file_identity(xstrndup(line, n)), line);
}

bool headers_same(const struct session *s, const char *entry)
{
	int fd = s->embeds.n ? cache_open(entry, LIST) : -1;
	char *list;
	size_t len;

	if (!s->embeds.n)
		return true;
	list = fd < 0 ? NULL : read_stream(fd, &len);
	if (fd >= 0)
		close(fd);
	for (char *line = list, *end; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			return false;
		*end = 0;
		if (!is_same(line)) {
			vlog(1, "a header of the embedded C has changed: %s", line);
			return false;
		}
	}
	return list;
}
