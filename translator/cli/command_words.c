/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of the commands of ustap that run a script of their own: record and time. */
#include <stdio.h>
#include <string.h>
#include "options.h"

const char *command_value(const char *option, char **argv, int *i)
{
	size_t n = strlen(option);
	const char *value;

	if (strncmp(argv[*i], option, n) != 0 || (argv[*i][n] && argv[*i][n] != '='))
		return NULL;
	if (argv[*i][n])
		value = argv[*i] + n + 1;
	else
		value = argv[*i + 1] ? argv[++*i] : "";
	if (!*value)
		option_error("%s needs a value", option);
	return value;
}

void command_pass(arg_vec *to, char **argv, int *i)
{
	const char *word = argv[*i];
	bool takes = word[0] == '-' && word[1] && strchr("ocsxdDGTr", word[1]) && !word[2];

	vec_push(to, word);
	if (takes && argv[*i + 1])
		vec_push(to, argv[++*i]);
}

void command_replace(arg_vec *words, int *argc, char ***argv)
{
	*argc = (int)words->n;
	vec_push(words, NULL);
	*argv = (char **)words->v;
}

bool command_help(const char *usage, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			fputs(usage, stdout);
			return true;
		}
	return false;
}
