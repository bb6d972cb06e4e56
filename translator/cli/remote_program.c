/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shell program that `ustap --remote' executes on a host: it says what system it is, receives a
 * bundle in a private directory, runs it, and removes it. Its standard input brings the program
 * itself, the bundle, and then names of signals for the run; the end of the input, that is of the
 * connection, ends the run, too. So nothing is left on a host that ustap has lost.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include "bundle.h"
#include "remote.h"

/* Before it: nonce=WORD, and named(NAME) or nothing that fills $processes. */
static const char program_start[] =
	"dir= reader= processes=\n"
	"finish() {\n"
	"	trap '' HUP INT TERM PIPE\n"
	"	[ -z \"$reader\" ] || kill \"$reader\" 2> /dev/null\n"
	"	[ -z \"$dir\" ] || rm -rf -- \"$dir\"\n"
	"	printf '\\n%s %s\\n' \"$nonce\" \"$1\" >&2\n"
	"	exit \"$1\"\n"
	"}\n"
	"fail() { printf '%s\\n' \"$*\" >&2; finish 3; }\n"
	"trap 'finish 3' HUP INT TERM PIPE\n"
	/* a process has the name NAME as for -x of ustap */
	"named() {\n"
	"	found= n=0\n"
	"	for p in /proc/[0-9]*; do\n"
	"		{ IFS= read -r comm < \"$p/comm\"; } 2> /dev/null || continue\n"
	"		exe=$(readlink \"$p/exe\" 2> /dev/null); exe=${exe% (deleted)}\n"
	"		[ \"$comm\" = \"$1\" ] || [ \"${exe##*/}\" = \"$1\" ] || continue\n"
	"		[ \"${p#/proc/}\" != $$ ] || continue\n"
	"		n=$((n + 1)) found=\"$found ${p#/proc/}\"\n"
	"	done\n"
	"	case $n in\n"
	"	0) fail \"-x $1: no process has that name\" ;;\n"
	"	1) processes=\"$processes -x$found\" ;;\n"
	"	*) fail \"-x $1: $n processes have that name:$found\" ;;\n"
	"	esac\n"
	"}\n"
	"printf '%s %s %s %s\\n' \"$nonce\" \"$(uname -r)\" \"$(uname -m)\" \"$(id -u)\"\n"
	"read -r size sum || finish 3\n"
	"dir=$(umask 077; mktemp -d \"${TMPDIR:-/tmp}/ustap.XXXXXXXXXX\") ||\n"
	"	fail \"cannot make a directory in ${TMPDIR:-/tmp}\"\n"
	"head -c \"$size\" | tar xof - -C \"$dir\" || fail \"cannot unpack the bundle in $dir\"\n"
	"exec 3<&0 < /dev/null\n"
	"signal() {\n"
	"	until [ -s \"$dir/pid\" ]; do sleep 1; done\n"
	"	kill -s \"$1\" \"$(cat \"$dir/pid\")\"\n"
	"}\n"
	"{\n"
	"	while read -r word; do\n"
	"		case $word in INT | TERM) signal \"$word\" ;; esac\n"
	"	done\n"
	"	signal TERM; sleep 10; signal TERM\n"
	"} <&3 > /dev/null 2>&1 &\n"
	"reader=$!\n"
	"exec 3<&-\n";

/* The foreground, since shells start background commands with SIGINT ignored. */
static const char program_end[] =
	"sh -c 'echo $$ > \"$0/pid\"; exec sh \"$0/bundle/run\" \"$@\"' \"$dir\" \\\n"
	"	--manifest=\"$sum\"";

/* --merge: the globals are the end of the output, behind a line of their own. */
static const char program_merge[] = "status=$?\n"
				    "[ ! -s \"$dir/globals\" ] || {\n"
				    "	printf '\\n%s globals\\n' \"$nonce\"\n"
				    "	cat \"$dir/globals\"\n"
				    "}\n"
				    "finish \"$status\"\n";

const char *remote_program(const struct session *s, const char *name, size_t number,
			   const char *nonce)
{
	struct strbuf sb = {0};

	sb_printf(&sb, "nonce=%s\n%s", nonce, program_start);
	for (size_t i = 0; i < s->opt.process_names.n; i++) {
		sb_add(&sb, "named");
		add_shell_word(&sb, s->opt.process_names.v[i]);
		sb_add(&sb, "\n");
	}
	sb_add(&sb, program_end);
	sb_add(&sb, " --host");
	add_shell_word(&sb, name);
	sb_printf(&sb, " --host-number %zu%s", number,
		  s->opt.merge ? " --globals \"$dir/globals\"" : "");
	if (s->opt.interval)
		sb_printf(&sb, " --interval %" PRId64 " --globals-mark %s", s->opt.interval, nonce);
	sb_printf(&sb, " $processes\n%s", s->opt.merge ? program_merge : "finish $?\n");
	return sb.s;
}

/* No newline, and no character that has a meaning between single quotes in any of the shells. */
const char *remote_command(const char *program)
{
	return xprintf("exec /bin/sh -c 'eval \"$(head -c %zu)\"'", strlen(program));
}

/* The text behind the nonce in LINE, as a string; NULL if the line does not begin with it. */
static char *after_nonce(const char *line, size_t n, const char *nonce)
{
	size_t skip = strlen(nonce);

	if (n <= skip || strncmp(line, nonce, skip) != 0 || line[skip] != ' ')
		return NULL;
	return xstrndup(line + skip + 1, n - skip - 1);
}

/* It becomes a word of a command line, and a part of paths. */
static bool is_release(const char *text)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789._+~-";

	return *text >= '0' && *text <= '9' && strspn(text, ok) == strlen(text) &&
	       strlen(text) < 65;
}

bool remote_greeting(const char *line, size_t n, const char *nonce, struct remote_system *out)
{
	char *text = n < 512 ? after_nonce(line, n, nonce) : NULL, *state, *uid;

	if (!text)
		return false;
	out->release = strtok_r(text, " ", &state);
	out->machine = strtok_r(NULL, " ", &state);
	uid = strtok_r(NULL, " ", &state);
	if (!out->release || !out->machine || !uid || !is_release(out->release))
		return false;
	out->machine = printable(out->machine);
	out->root = !strcmp(uid, "0");
	return true;
}

bool remote_globals_follow(const char *line, size_t n, const char *nonce)
{
	const char *text = n < 64 ? after_nonce(line, n, nonce) : NULL;

	return text && !strcmp(text, "globals");
}

const char *remote_marked(const char *line, size_t n, const char *nonce, bool *ends)
{
	size_t skip = strlen(nonce);
	const char *at = memmem(line, n, nonce, skip);

	if (!at || at + skip == line + n || (at[skip] != ':' && at[skip] != '+'))
		return NULL;
	*ends = at[skip] == ':';
	return at;
}

bool remote_farewell(const char *line, size_t n, const char *nonce, int *status)
{
	const char *text = n < 64 ? after_nonce(line, n, nonce) : NULL;

	if (!text || !*text || strspn(text, "0123456789") != strlen(text))
		return false;
	*status = atoi(text) & 0xff;
	return true;
}
