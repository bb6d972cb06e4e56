/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paragraphs of ustap(1) about one option, for `ustap --help=OPTION'. */
#include <string.h>
#include "options.h"

/* Made by scripts/option-help from the rows of options. */
static const struct {
	const char *names; /* of its heading, each between blanks */
	const char *text;
} paragraphs[] = {
#include "translator/cli/option_help.inc"
};

const char *option_help(const char *name)
{
	const char *bare = name + strspn(name, "-");
	const char *key = xprintf(bare[0] && !bare[1] ? " -%s " : " --%s ", bare);

	for (size_t i = 0; i < ARRAY_LEN(paragraphs); i++)
		if (strstr(paragraphs[i].names, key))
			return paragraphs[i].text;
	return NULL;
}
