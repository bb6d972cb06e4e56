/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options outside of the command line: those in $SYSTEMTAP_DIR/rc (~/.systemtap/rc) and in
 * $XDG_CONFIG_HOME/ustap/rc (~/.config/ustap/rc), and variables of the environment.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "options.h"
#include "base/trust.h"

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* The next word of *TEXT as a shell would take it, without expansions; NULL at the end. */
static const char *next_word(const char **text)
{
	const char *p = *text;
	struct strbuf word = {0};
	char quote = 0;

	for (;;) {
		p += strspn(p, " \t\n");
		if (*p != '#')
			break;
		p += strcspn(p, "\n");
	}
	if (!*p)
		return NULL;
	sb_add(&word, "");
	for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
		if (*p == quote)
			quote = 0;
		else if (!quote && (*p == '"' || *p == '\''))
			quote = *p;
		else if (*p == '\\' && quote != '\'' && p[1])
			sb_addn(&word, ++p, 1);
		else
			sb_addn(&word, p, 1);
	}
	*text = p;
	return word.s;
}

/* Options can be whole scripts, so the file must be the caller's: neither another user's $HOME nor
 * a file that others can write is taken. */
static char *read_own(const char *path)
{
	struct distrust why;
	int fd = trusted_file(path, &why);
	char *text = NULL;
	struct stat st;
	size_t len;

	if (fd < 0 && !why.missing) {
		diag_warn(W_UNTRUSTED, (struct loc){0}, "the options in %s are not used: %s %s",
			  path, why.path, why.why);
		diag_hint("ustap reads options only from files that no other user can change; see "
			  "ustap(1), FILES");
	}
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && (st.st_uid == getuid() || !st.st_uid))
		text = read_stream(fd, &len);
	close(fd);
	return text;
}

static void file_words(const char *path, text_vec *out)
{
	char *text = getuid() == geteuid() ? read_own(path) : NULL;
	const char *p = text, *word;

	if (!text)
		return;
	vlog(1, "options of %s", path);
	while ((word = next_word(&p)))
		vec_push(out, word);
}

void rc_words(text_vec *out)
{
	const char *dir = variable("SYSTEMTAP_DIR"), *home = variable("HOME"),
		   *config = variable("XDG_CONFIG_HOME");

	if (dir)
		file_words(xprintf("%s/rc", dir), out);
	else if (home)
		file_words(xprintf("%s/.systemtap/rc", home), out);
	if (config)
		file_words(xprintf("%s/ustap/rc", config), out);
	else if (home)
		file_words(xprintf("%s/.config/ustap/rc", home), out);
}

void environment_options(struct session *s)
{
	struct options *o = &s->opt;

	if (!o->release && o->runtime != RT_USER)
		o->release = variable("SYSTEMTAP_RELEASE");
	if (!variable("USTAP_TAPSETS") && variable("SYSTEMTAP_TAPSET"))
		setenv("USTAP_TAPSETS", variable("SYSTEMTAP_TAPSET"), 1);
}
