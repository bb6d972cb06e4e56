/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of a struct, for the completion of `->` in an editor. */
#include "values.h"

static void add_member(const struct member *m, const char *name, void *arg)
{
	Dwarf_Die type = m->type;
	name_vec *out = arg;

	if (name && *name)
		vec_push(out, xprintf("%s:%s", name, type_text(&type)));
}

void ctype_members(const struct ctype *t, name_vec *out)
{
	name_vec names = {0};
	Dwarf_Die die, type;

	if (!t || t->stars || t->dim)
		return;
	die = t->die;
	if (!type_peel(t->mod, &die, &type) || !type_is_struct(&type))
		return;
	type_members(t->mod, &type, add_member, &names);
	for (size_t i = 0; i < names.n; i++)
		vec_push(out, names.v[i]);
}
