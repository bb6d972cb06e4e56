/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modules that are open: by path, and by their debug information. */
#include "dwarf.h"

static struct smap modules; /* path -> struct module */

struct module *module_lookup(const char *path) { return smap_get(&modules, path); }

void module_enter(struct module *m) { smap_put(&modules, m->path, m); }

void modules_remove(void (*f)(struct module *))
{
	for (size_t i = 0; i < modules.ents.n; i++)
		f(modules.ents.v[i].val);
	modules = (struct smap){0};
}

struct module *module_of(Dwarf *dw)
{
	for (size_t i = 0; i < modules.ents.n; i++)
		if (((struct module *)modules.ents.v[i].val)->dw == dw)
			return modules.ents.v[i].val;
	return NULL;
}
