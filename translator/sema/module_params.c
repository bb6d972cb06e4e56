/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Given: -G NAME=VALUE, the initial value of a global.
 *
 * Whether VALUE is a number or a string is the script's to say: by the literal
 * that it replaces, else by what the types pass finds.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "parse/library.h"
#include "sema.h"
#include "session.h"

static bool is_number(const char *text, int64_t *n)
{
	char *end;

	errno = 0;
	*n = *text == '-' ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	return *text && !*end && !errno;
}

static struct node *literal(const struct symbol *g, const char *text, enum type type)
{
	struct node *n = node_new(type == T_LONG ? N_NUM : N_STR, g->loc);

	if (type == T_STRING) {
		n->str.s = text;
		n->str.len = strlen(text);
	} else if (!is_number(text, &n->num)) {
		diag_error(E_OPTION, g->loc, "-G %s=%s: \"%s\" is a number", g->name, text,
			   g->name);
	}
	return n;
}

static struct symbol *find(const struct script *sc, const char *name)
{
	for (size_t i = 0; i < sc->globals.n; i++)
		if (!strcmp(sc->globals.v[i]->name, name) &&
		    !is_internal(name, sc->globals.v[i]->loc))
			return sc->globals.v[i];
	return NULL;
}

/* Before resolve: the globals exist, and count as written. */
void module_params_bind(struct session *s)
{
	for (size_t i = 0; i < s->opt.sets.n; i++) {
		const char *set = s->opt.sets.v[i], *value = strchr(set, '=') + 1;
		const char *name = xstrndup(set, (size_t)(value - 1 - set));
		struct symbol *g = find(&s->script, name);
		int64_t n;

		if (!g && load_library_global(s, name))
			g = find(&s->script, name);
		if (!g) {
			diag_error(E_OPTION, (struct loc){0},
				   "-G %s: the script has no global \"%s\"", set, name);
		} else if (g->init && !g->option_value) {
			g->init = literal(g, value, g->init->kind == N_STR ? T_STRING : T_LONG);
		} else {
			g->option_value = value;
			g->init = literal(g, value, is_number(value, &n) ? T_LONG : T_STRING);
		}
	}
}

/* G has its type: make its value one of that. */
void module_params_parse(struct symbol *g)
{
	if (g->type == T_STAT)
		diag_error(E_OPTION, g->loc, "-G %s: a statistic has no initial value", g->name);
	else
		g->init = literal(g, g->option_value, g->type);
	g->init->type = g->type;
}
