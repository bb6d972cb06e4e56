/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --example: the path of an example script that comes with ustap or SystemTap, by its name. */
#define _GNU_SOURCE
#include <ftw.h>
#include <string.h>
#include "base/installed.h"
#include "options.h"

#define SYSTEMTAP_EXAMPLES "/usr/share/systemtap/examples"

/* The name that nftw(3) searches for, and the paths found: its callback has no argument. */
static const char *wanted;
static name_vec found;

static int see_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
	size_t n = strlen(wanted);
	const char *name = path + at->base;

	(void)st;
	if (type == FTW_F && !strncmp(name, wanted, n) && (!name[n] || !strcmp(name + n, ".stp")))
		vec_push(&found, xstrdup(path));
	return 0;
}

const char *example_path(const char *name)
{
	enum { OPEN_DIRECTORIES = 16 };
	const char *dirs[] = {data_path("examples"), SYSTEMTAP_EXAMPLES};
	size_t n = strlen(name), end = strlen(".stp");

	if (!*name || strchr(name, '/')) {
		option_error("--example takes the name of an example, not \"%s\"", name);
		return NULL;
	}
	wanted = n > end && !strcmp(name + n - end, ".stp") ? xstrndup(name, n - end) : name;
	for (size_t i = 0; i < ARRAY_LEN(dirs) && !found.n; i++)
		if (dirs[i])
			nftw(dirs[i], see_file, OPEN_DIRECTORIES, FTW_PHYS);
	if (found.n == 1)
		return found.v[0];
	option_error(found.n ? "--example: several examples have the name \"%s\""
			     : "--example: no example \"%s\"",
		     name);
	if (found.n)
		diag_hint("they are %s and %s; give the path of one", found.v[0], found.v[1]);
	else
		diag_hint("examples are below %s and " SYSTEMTAP_EXAMPLES,
			  dirs[0] ? dirs[0] : "the data directory of ustap");
	return NULL;
}
