/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shell: `ustap --complete WORD...', which the completions of bash, zsh and fish call.  The words
 * are those of the command line behind the command's name, the last one as far as it is typed.  A
 * line of output is what may stand for that, and behind a tab what it is; one that begins with a
 * tab names what the shell itself completes: "files", "scripts", "directories", "commands".  What
 * is not complete yet, as a directory or `function("', ends with one more tab.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "edit.h"
#include "cli/options.h"

struct asked {
	const char *before; /* of the word, which an offer does not replace */
	const char *typed;
	bool in_point; /* a string of a point is closed when it is chosen */
};

static void say(const struct asked *l, const char *word, const char *says, bool unfinished)
{
	if (!strncmp(word, l->typed, strlen(l->typed)))
		printf("%s%s\t%s%s\n", l->before, word, printable(says), unfinished ? "\t" : "");
}

/* ------------------------------------------------------------- values */

static void say_choices(const struct asked *l, const char *choices)
{
	for (size_t n; *choices; choices += n + (choices[n] == ' ')) {
		n = strcspn(choices, " ");
		say(l, xstrndup(choices, n), "", choices[n - 1] == '=');
	}
}

static void say_kernels(const struct asked *l)
{
	DIR *d = opendir("/lib/modules");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			say(l, e->d_name, "", false);
	if (d)
		closedir(d);
}

static void say_processes(const struct asked *l)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *comm = NULL;

		if (strspn(e->d_name, "0123456789") == strlen(e->d_name))
			comm = read_file(xprintf("/proc/%s/comm", e->d_name), NULL);
		if (comm)
			say(l, e->d_name, xstrndup(comm, strcspn(comm, "\n\t")), false);
	}
	if (d)
		closedir(d);
}

/* ------------------------------------------------------------- scripts and points */

static void say_offer(struct completion *c, const struct offer *o)
{
	const struct asked *l = c->arg;
	const char *insert = o->insert ? o->insert : o->label, *text = c->v->src->text;
	bool string = c->from && text[c->from - 1] == '"' && l->in_point;
	bool unfinished = o->kind == OFFER_FOLDER || insert[strlen(insert) - 1] == '"' ||
			  insert[strlen(insert) - 1] == '(';
	size_t skip = strlen(text) - strlen(l->typed);

	if (strncmp(insert, text + c->from, c->at - c->from))
		return;
	printf("%s%.*s%s%s\t%s%s\n", l->before, (int)(c->from - skip), text + skip, insert,
	       string && o->kind != OFFER_FOLDER ? "\")" : "",
	       o->detail ? xstrndup(o->detail, strcspn(o->detail, "\n\t")) : "",
	       unfinished ? "\t" : "");
}

/* At the end of TEXT, whose last part is the line's word. */
static void say_script(struct asked *l, const struct session *s, const char *text, bool points)
{
	struct view v;
	struct completion c = {.v = &v, .add = say_offer, .arg = l};

	l->in_point = points;
	view_make(&v, s, "<input>", text, strlen(text));
	c.at = strlen(text);
	complete(&c);
}

/* Long names without dashes, and letters with theirs, as --help= takes them. */
static void say_option_names(const struct asked *l)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->how == REFUSED)
			continue;
		if (row->name)
			say(l, row->name, row->says, false);
		if (row->letter)
			say(l, xprintf("-%c", row->letter), row->says, false);
	}
}

static void say_value(struct asked *l, const struct session *s, const struct option_row *row)
{
	switch (row->takes) {
	case TAKES_WORD:
		say_choices(l, row->choices);
		break;
	case TAKES_FILE:
		puts("\tfiles");
		break;
	case TAKES_PROGRAM:
		puts("\tfiles");
		break;
	case TAKES_DIRECTORY:
		puts("\tdirectories");
		break;
	case TAKES_COMMAND:
		puts("\tcommands");
		break;
	case TAKES_PROCESS:
		say_processes(l);
		break;
	case TAKES_KERNEL:
		say_kernels(l);
		break;
	case TAKES_POINTS:
		say_script(l, s, xprintf("probe %s", l->typed), true);
		break;
	case TAKES_SCRIPT:
		say_script(l, s, l->typed, true);
		break;
	case TAKES_OPTION:
		say_option_names(l);
		break;
	case TAKES_NOTHING:
	case TAKES_TEXT:
		break;
	}
}

/* ------------------------------------------------------------- options */

/* True if WORDS already name a script, as a file or as text. */
static bool has_script(char **words, int n)
{
	for (int i = 0; i < n; i++) {
		if (!strcmp(words[i], "-e") || !strcmp(words[i], "-l") || !strcmp(words[i], "-L"))
			return true;
		if (words[i][0] != '-' && (!i || words[i - 1][0] != '-'))
			return true;
	}
	return false;
}

static void say_options(const struct asked *l)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->how == REFUSED)
			continue;
		if (row->name)
			say(l, xprintf("--%s%s", row->name, row->value == VALUE ? "=" : ""),
			    row->says, row->value == VALUE);
		if (row->letter && !(l->typed[0] == '-' && l->typed[1] == '-'))
			say(l, xprintf("-%c", row->letter), row->says, false);
	}
}

/* Commands, which are the first word, and options of their own. */
static const struct {
	const char *name, *says;
	struct {
		const char *name, *choices, *says; /* NULL: takes no value */
	} options[8];
} commands[] = {
	{"bundle", "pack a script for machines without ustap", {{0}}},
	{"record",
	 "record calls of functions",
	 {{"--functions", "", "record functions of this name"},
	  {"--file", "", "record functions of this program or library"},
	  {"--inlined", NULL, "count inlined functions, too"},
	  {"--max", "", "record at most SIZE bytes"},
	  {"--last", "", "keep only the last TIME of each thread"},
	  {"--trigger", "", "keep that each time this probe point is hit"}}},
	{"replay", "print recorded calls by time", {{0}}},
	{"report", "print a table of recorded calls", {{0}}},
	{"test", "run tests of scripts", {{0}}},
	{"time",
	 "measure where the time of threads goes",
	 {{"--per-thread", NULL, "keep threads apart"},
	  {"--duration", "", "end after S seconds"},
	  {"--top", "", "print the N stacks with the most time"},
	  {"--output", "table folded html", "the format"}}},
};

static void say_commands(const struct asked *l)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		say(l, commands[i].name, commands[i].says, false);
}

/* Offer the options of the command WORD that begin as what is typed, or, if *EQUALS is not NULL,
 * the values of the typed one. True if the command has that option. */
static bool say_command_options(struct asked *l, const char *word, const char *equals)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		for (size_t k = 0; !strcmp(word, commands[i].name) && commands[i].options[k].name;
		     k++) {
			const char *name = commands[i].options[k].name;
			const char *choices = commands[i].options[k].choices;

			if (!equals)
				say(l, choices ? xprintf("%s=", name) : name,
				    commands[i].options[k].says, choices != NULL);
			else if (choices && !strncmp(name, l->typed, (size_t)(equals - l->typed)) &&
				 strlen(name) == (size_t)(equals - l->typed)) {
				l->before = xprintf("%s=", name);
				l->typed = equals + 1;
				say_choices(l, choices);
				return true;
			}
		}
	return false;
}

/* The row of the option WORD ("-x", "--name", "--name=..."); NULL: none. */
static const struct option_row *row_of(const char *word)
{
	size_t n = strcspn(word, "=");

	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (word[0] == '-' && word[1] && !word[2] && row->letter == word[1])
			return row;
		if (row->name && !strncmp(word, "--", 2) && strlen(row->name) == n - 2 &&
		    !strncmp(row->name, word + 2, n - 2))
			return row;
	}
	return NULL;
}

/* Only -I and -r have a say in what can be completed. */
static void take_options(struct session *s, char **words, int n)
{
	for (int i = 0; i + 2 < n; i++) {
		if (!strcmp(words[i], "-I"))
			vec_push(&s->opt.includes, words[i + 1]);
		if (!strcmp(words[i], "-r"))
			s->opt.release = words[i + 1];
	}
}

static void complete_last(struct session *s, char **words, int n)
{
	const char *last = words[n - 1],
		   *equals = strncmp(last, "--", 2) ? NULL : strchr(last, '=');
	const struct option_row *before = n > 1 ? row_of(words[n - 2]) : NULL;
	struct asked l = {.before = "", .typed = last};
	bool value = before && before->value == VALUE && !strchr(words[n - 2], '=');

	take_options(s, words, n);
	if (value) {
		if (before->how != REFUSED)
			say_value(&l, s, before);
	} else if (equals && n > 1 && say_command_options(&l, words[0], equals)) {
		return;
	} else if (equals) {
		l.before = xstrndup(last, (size_t)(equals - last) + 1);
		l.typed = equals + 1;
		before = row_of(last);
		if (before && before->how != REFUSED)
			say_value(&l, s, before);
	} else if (*last == '-') {
		if (n > 1)
			say_command_options(&l, words[0], NULL);
		say_options(&l);
	} else {
		if (n == 1)
			say_commands(&l);
		puts(has_script(words, n - 1) ? "\tfiles" : "\tscripts");
	}
}

int complete_words(int argc, char **argv)
{
	struct session s = {0};
	message_vec unsaid = {0};
	static char empty[] = "", *nothing[] = {empty};

	limits_default(&s.lim);
	s.opt.compatible = COMPATIBLE;
	s.opt.privilege = "stapdev";
	diag_keep(&unsaid);
	complete_last(&s, argc ? argv : nothing, argc ? argc : 1);
	return 0;
}
