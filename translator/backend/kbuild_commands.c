/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of the kernel's own build, from kbuild's records (.NAME.cmd) and its log, and the
 * options of them that a script needs. Differences between kernel builds are thus taken over
 * without being known here.
 */
#include "kbuild_commands.h"

#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------- kbuild's records */

static char *add_char(struct strbuf *sb, char c)
{
	sb_addn(sb, &c, 1);
	return sb->s;
}

/* Split a recorded shell command at P into words, up to its `;` or line end.
 * Make's $$ and \# are undone, quotes and backslashes honoured. */
static const char *split_command(const char *p, word_vec *out)
{
	struct strbuf word = {0};
	bool in_word = false;
	char quote = 0;

	for (; *p && *p != '\n' && (quote || *p != ';'); p++) {
		if (!quote && (*p == ' ' || *p == '\t')) {
			if (in_word)
				vec_push(out, word.s ? word.s : xstrdup(""));
			word = (struct strbuf){0};
			in_word = false;
			continue;
		}
		in_word = true;
		if (quote ? *p == quote : (*p == '\'' || *p == '"'))
			quote = quote ? 0 : *p;
		else if (*p == '\\' && quote != '\'' && p[1])
			add_char(&word, *++p);
		else if (*p == '$' && p[1] == '$')
			add_char(&word, *p++);
		else
			add_char(&word, *p);
	}
	if (in_word)
		vec_push(out, word.s ? word.s : xstrdup(""));
	return *p == ';' ? p + 1 : NULL;
}

size_t recorded(const char *src, const char *name, word_vec *cmds, size_t max)
{
	char *text = read_file(xprintf("%s/.%s.cmd", src, name), NULL);
	const char *p = text ? strstr(text, ":=") : NULL;
	size_t n = 0;

	for (p = p ? p + 2 : NULL; p && n < max; n++) {
		cmds[n] = (word_vec){0};
		p = split_command(p, &cmds[n]);
	}
	return n;
}

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* A path of a recorded command; kernels differ in the directory they run it in. */
static char *absolute(const struct kernel *k, const char *src, const char *path)
{
	char *p = xprintf("%s/%s", src, path);

	if (path[0] == '/')
		return xstrdup(path);
	return !access(p, F_OK) ? p : xprintf("%s/%s", k->build, path);
}

/* ------------------------------------------------------------- the compiler */

/* Options that emitted C, which includes no kernel header, must not have:
 * paths, macros, warnings, debug information, tracing and sanitizers. */
static bool is_dropped(const char *w)
{
	static const char *const prefixes[] = {"-I",
					       "-D",
					       "-U",
					       "-W",
					       "-g",
					       "-std=",
					       "-nostdinc",
					       "-pg",
					       "-mfentry",
					       "-mrecord-mcount",
					       "-mnop-mcount",
					       "-fplugin",
					       "-fsanitize",
					       "-fno-sanitize",
					       "-fasan",
					       "-fprofile",
					       "-fmacro-prefix-map",
					       "-ffile-prefix-map",
					       "-c"};

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (begins(w, prefixes[i]))
			return true;
	return false;
}

void script_cc(const struct kernel *k, const word_vec *cmd, word_vec *out)
{
	vec_push(out, xstrdup(k->cc));
	for (size_t i = 1; i < cmd->n; i++) {
		const char *w = cmd->v[i];

		/* as words of their own, --param has only how sanitizers work */
		if (!strcmp(w, "-include") || !strcmp(w, "-isystem") || !strcmp(w, "-o") ||
		    !strcmp(w, "--param"))
			i++;
		else if (w[0] == '-' && !is_dropped(w))
			vec_push(out, cmd->v[i]);
	}
	vec_push(out, xstrdup("-std=gnu11"));
	vec_push(out, xstrdup("-w"));
	vec_push(out, xstrdup("-DUST_KERNEL"));
}

/* Options that the compiler command for embedded C must not have, either. */
static bool is_private(const char *src, const char *w)
{
	return !strcmp(w, "-c") || begins(w, "-Wp,") || (begins(w, "-W") && !begins(w, "-Wa,")) ||
	       begins(w, xprintf("-I%s", src));
}

/* Relative paths of headers are of the kernel's own build directory. */
static char *header_path(const struct kernel *k, const char *path)
{
	return path[0] == '/' ? xstrdup(path) : xprintf("%s/%s", k->build, path);
}

/* Embedded C gets all that the kernel's build gave, with absolute paths: the command may run
 * anywhere. */
void headers_cc(const struct kernel *k, const char *src, const word_vec *cmd, word_vec *out)
{
	vec_push(out, xstrdup(k->cc));
	for (size_t i = 1; i < cmd->n; i++) {
		char *w = cmd->v[i];

		if (!strcmp(w, "-o")) {
			i++;
		} else if ((!strcmp(w, "-include") || !strcmp(w, "-isystem") || !strcmp(w, "-I")) &&
			   i + 1 < cmd->n) {
			vec_push(out, w);
			vec_push(out, header_path(k, cmd->v[++i]));
		} else if (begins(w, "-I") && !is_private(src, w)) {
			vec_push(out, xprintf("-I%s", header_path(k, w + 2)));
		} else if (w[0] == '-' && !is_private(src, w)) {
			vec_push(out, w);
		}
	}
	vec_push(out, xstrdup("-Werror=implicit-function-declaration"));
	vec_push(out, xstrdup("-ftabstop=1"));
}

/* --------------------------------------------------------- objtool and linker */

bool find_objtool(const struct kernel *k, const char *src, const word_vec *cmds, size_t n,
		  word_vec *out)
{
	for (size_t i = 0; i < n; i++) {
		const char *tool = cmds[i].n ? strrchr(cmds[i].v[0], '/') : NULL;

		if (!tool || strcmp(tool, "/objtool"))
			continue;
		vec_push(out, absolute(k, src, cmds[i].v[0]));
		for (size_t j = 1; j + 1 < cmds[i].n; j++)
			vec_push(out, cmds[i].v[j]);
		return true;
	}
	return false;
}

void find_objtool_spoken(const struct kernel *k, const char *src, const char *log, word_vec *out)
{
	const char *line = read_file(log, NULL);

	while (line && *line) {
		const char *p = line;

		while (p) {
			word_vec words = {0};

			p = split_command(p, &words);
			if (find_objtool(k, src, &words, 1, out))
				return;
		}
		line = strchr(line, '\n');
		line += line != NULL;
	}
}

void split_link(const struct kernel *k, const char *src, const word_vec *cmd, struct link *l)
{
	*l = (struct link){0};
	for (size_t i = 0; i < cmd->n; i++) {
		char *w = cmd->v[i];

		if (!strcmp(w, "-T") && i + 1 < cmd->n)
			l->script = absolute(k, src, cmd->v[++i]);
		else if (!strcmp(w, "-o"))
			i++;
		else if ((!strcmp(w, "-m") || !strcmp(w, "-z")) && i + 1 < cmd->n) {
			vec_push(&l->flags, w);
			vec_push(&l->flags, cmd->v[++i]);
		} else if (i == 0 || w[0] == '-')
			vec_push(&l->flags, w);
		else
			vec_push(&l->inputs, absolute(k, src, w));
	}
}
