/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of a program's globals: allocated before the first probe runs, so that no handler ever
 * allocates.
 */
#include <linux/errno.h>

#include "arrays/arrays.h"
#include "common.h"

u32 string_size = 512;

/* A scalar, protected by the locks of its handlers. */
struct var {
	struct port_glock glock;
};

/* Set the initial value. */
static void string_set(struct ust_gvar *g, const char *value)
{
	ust_strcpy(g->s, value);
	ust_strcpy(g->first_s, value);
}

static bool var_init(struct ust_gvar *g)
{
	struct var *v = port_alloc(sizeof *v);

	g->impl = v;
	if (!v)
		return false;
	port_glock_init(&v->glock);
	if (g->type != UST_STRING)
		return true;
	g->s = port_alloc(string_size);
	g->first_s = port_alloc(string_size);
	if (!g->s || !g->first_s)
		return false;
	if (g->init_s)
		string_set(g, g->init_s);
	return true;
}

static void var_free(struct ust_gvar *g)
{
	port_free(g->impl);
	port_free(g->s);
	port_free(g->first_s);
	g->impl = NULL;
	g->s = g->first_s = NULL;
}

static bool gvar_init(struct ust_gvar *g)
{
	g->first_l = g->l;
	switch (g->storage) {
	case UST_VAR:
		return var_init(g);
	case UST_COUNTER:
		g->impl = port_counter_alloc();
		return g->impl;
	case UST_AGG:
		return stat_init(g);
	default:
		return map_init(g);
	}
}

static void gvar_free(struct ust_gvar *g)
{
	switch (g->storage) {
	case UST_VAR:
		var_free(g);
		break;
	case UST_COUNTER:
		port_counter_free(g->impl);
		g->impl = NULL;
		break;
	case UST_AGG:
		stat_free(g);
		break;
	default:
		map_free(g);
	}
}

bool globals_init(const struct ust_program *p)
{
	u32 i;

	string_size = p->maxstringlen;
	for (i = 0; i < p->ngvars; i++)
		if (!gvar_init(p->gvars[i]))
			return false;
	return true;
}

void globals_free(const struct ust_program *p)
{
	u32 i;

	for (i = 0; i < p->ngvars; i++)
		if (p->gvars[i]->impl)
			gvar_free(p->gvars[i]);
}

/* ------------------------------------------------------------ given values */

static struct ust_gvar *find_global(const char *name)
{
	u32 i;

	for (i = 0; i < ust_program.ngvars; i++)
		if (!ust_strcmp(ust_program.gvars[i]->name, name))
			return ust_program.gvars[i];
	return NULL;
}

int global_set(const char *name, const char *value, s64 number, bool is_number)
{
	struct ust_gvar *g = find_global(name);

	if (!g)
		return -ENOENT;
	if (g->storage != UST_VAR && g->storage != UST_COUNTER)
		return -EISDIR;
	if (g->type == UST_STRING) {
		if (strlen(value) >= string_size)
			return -ENAMETOOLONG;
		string_set(g, value);
		return 0;
	}
	if (!is_number)
		return -EDOM;
	g->l = g->first_l = number;
	return 0;
}
