/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interactive: -i.  The script is typed piece by piece, a declaration each, and run when it is
 * there.
 *
 * Each piece is parsed when it is typed, so mistakes show at once.  A run is a child process: it
 * compiles and runs the pieces as one script, with the options that ustap was started with, and
 * leaves nothing behind here.
 */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_LIBREADLINE
#include <readline/history.h>
#include <readline/readline.h>
#endif
#include "createfile.h"
#include "options.h"
#include "base/environment.h"
#include "parse/library.h"

struct repl {
	struct session *s;
	int (*run)(struct session *s);
	VEC(const char *) pieces;
	bool done;
};

/* ------------------------------------------------------------- lines */

/* The next line without its newline, malloc()ed; NULL at the end. */
static char *next_line(const char *prompt)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

#ifdef HAVE_LIBREADLINE
	if (isatty(STDIN_FILENO)) {
		line = readline(prompt);
		if (line && *line)
			add_history(line);
		return line;
	}
#endif
	if (isatty(STDIN_FILENO)) {
		fputs(prompt, stdout);
		fflush(stdout);
	}
	n = getline(&line, &size, stdin);
	if (n < 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = 0;
	return line;
}

/* Number of open braces at the end of TEXT, ignoring strings and comments. */
static int open_braces(const char *text)
{
	int open = 0;

	for (const char *p = text; *p; p++) {
		if (*p == '"') {
			for (p++; *p && *p != '"'; p++)
				p += *p == '\\' && p[1];
			if (!*p)
				break;
		} else if (*p == '#' || (*p == '/' && p[1] == '/')) {
			p += strcspn(p, "\n");
			if (!*p)
				break;
		} else if (*p == '/' && p[1] == '*') {
			const char *end = strstr(p + 2, "*/");

			if (!end)
				return open + 1;
			p = end + 1;
		} else {
			open += *p == '{' ? 1 : *p == '}' ? -1 : 0;
		}
	}
	return open;
}

/* LINE and those after it until its braces are closed. */
static const char *whole_piece(const char *line)
{
	struct strbuf sb = {0};

	sb_add(&sb, line);
	while (open_braces(sb.s) > 0) {
		char *more = next_line("> ");

		if (!more)
			break;
		sb_printf(&sb, "\n%s", more);
		free(more);
	}
	return sb.s;
}

/* ------------------------------------------------------------- pieces */

static bool parses(const struct repl *r, const char *text)
{
	struct session scratch = {.opt = r->s->opt, .lim = r->s->lim};

	return parse_source(&scratch, source_new("<input>", text, strlen(text)));
}

static void add(struct repl *r, const char *text)
{
	if (*text && parses(r, text))
		vec_push(&r->pieces, text);
}

static void add_lines(struct repl *r, const char *arg) { add(r, whole_piece(arg)); }

static void load(struct repl *r, const char *path)
{
	char *text = read_file(path, NULL);

	if (text)
		add(r, text);
	else
		printf("cannot read %s: %s\n", path, strerror(errno));
}

static void save(struct repl *r, const char *path)
{
	FILE *f = file_create_stream(path);

	for (size_t i = 0; f && i < r->pieces.n; i++)
		fprintf(f, "%s\n", r->pieces.v[i]);
	if (!f || fclose(f))
		printf("cannot write %s: %s\n", path, file_create_error(errno));
}

static void list(struct repl *r, const char *arg)
{
	(void)arg;
	for (size_t i = 0; i < r->pieces.n; i++)
		printf("%zu: %s\n", i + 1, r->pieces.v[i]);
}

static void drop(struct repl *r, const char *arg)
{
	size_t n = strtoul(arg, NULL, 10);

	if (!strcmp(arg, "all")) {
		r->pieces.n = 0;
		return;
	}
	if (!n || n > r->pieces.n) {
		printf("delete takes a number of \"list\", or \"all\"\n");
		return;
	}
	memmove(&r->pieces.v[n - 1], &r->pieces.v[n], (r->pieces.n - n) * sizeof *r->pieces.v);
	r->pieces.n--;
}

static void run(struct repl *r, const char *arg)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	struct strbuf text = {0};
	pid_t pid;

	(void)arg;
	for (size_t i = 0; i < r->pieces.n; i++)
		sb_printf(&text, "%s\n", r->pieces.v[i]);
	fflush(NULL);
	sigaction(SIGINT, &ignore, &before);
	pid = fork();
	if (!pid) {
		sigaction(SIGINT, &before, NULL);
		diag_forget();
		vec_push(&r->s->opt.exprs, text.s ? text.s : "");
		int status = r->run(r->s);

		private_dir_remove(r->s->opt.keep);
		exit(status);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before, NULL);
}

static void quit(struct repl *r, const char *arg)
{
	(void)arg;
	r->done = true;
}

/* ------------------------------------------------------------- commands */

static void help(struct repl *r, const char *arg);

static const struct {
	const char *name;
	void (*act)(struct repl *r, const char *arg);
	const char *says;
} commands[] = {
	{"add", add_lines, "add TEXT     add a declaration; \"add\" is optional"},
	{"delete", drop, "delete N     remove declaration N, or \"all\""},
	{"list", list, "list         show the declarations"},
	{"load", load, "load FILE    add the declarations in FILE"},
	{"save", save, "save FILE    write the script to FILE"},
	{"run", run, "run          run the script; Ctrl-C ends it"},
	{"help", help, "help         this"},
	{"quit", quit, "quit         exit; end of input (Ctrl-D) does the same"},
};

static void help(struct repl *r, const char *arg)
{
	(void)r, (void)arg;
	puts("Type probes, globals and functions, then \"run\":");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		printf("  %s\n", commands[i].says);
}

static bool begins_declaration(const char *line)
{
	static const char *const words[] = {"probe",   "global",  "function",
					    "private", "@define", "%{"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strncmp(line, words[i], strlen(words[i])) &&
		    !isalnum((unsigned char)line[strlen(words[i])]))
			return true;
	return false;
}

static void obey(struct repl *r, const char *line)
{
	size_t n = strcspn(line, " \t");

	if (begins_declaration(line)) {
		add_lines(r, line);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (strlen(commands[i].name) == n && !strncmp(commands[i].name, line, n)) {
			commands[i].act(r, xstrdup(line + n + strspn(line + n, " \t")));
			return;
		}
	printf("no command \"%.*s\"; \"help\" lists them\n", (int)n, line);
}

int interactive(struct session *s, int (*run_script)(struct session *s))
{
	struct repl r = {.s = s, .run = run_script};
	char *line;

	if (s->opt.script_file)
		load(&r, s->opt.script_file);
	for (size_t i = 0; i < s->opt.exprs.n; i++)
		add(&r, s->opt.exprs.v[i]);
	s->opt.script_file = NULL;
	s->opt.exprs.n = 0;
	while (!r.done && (line = next_line("ustap> "))) {
		const char *text = line + strspn(line, " \t");

		if (*text)
			obey(&r, text);
		free(line);
		fflush(stdout);
	}
	diag_forget();
	return 0;
}
