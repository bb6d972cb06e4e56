/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols that the kernel exports to its modules, from Module.symvers of its headers. */
#include <string.h>

#include "dwarf/dwarf.h"
#include "kernel_image.h"

/* name -> whose it is, as the file has it: "vmlinux", "fs/ext4/ext4" */
static ARENA_STATE struct smap exports;
static ARENA_STATE bool tried;

/* CHECKSUM<tab>NAME<tab>WHOSE<tab>... */
static void read_exports(void)
{
	const char *build = kernel_target_get()->build;
	size_t len;
	const char *p = build ? read_file(xprintf("%s/Module.symvers", build), &len) : NULL;

	tried = true;
	while (p && *p) {
		size_t line = strcspn(p, "\n"), sum = strcspn(p, "\t\n"), name, whose;

		name = sum < line ? strcspn(p + sum + 1, "\t\n") : 0;
		whose = sum + 1 + name < line ? strcspn(p + sum + name + 2, "\t\n") : 0;
		if (whose)
			smap_put(&exports, xstrndup(p + sum + 1, name),
				 (void *)xstrndup(p + sum + name + 2, whose));
		p += line + !!p[line];
	}
}

bool kernel_lists_exports(void)
{
	if (!tried)
		read_exports();
	return exports.ents.n;
}

bool kernel_exports(const char *module, const char *name)
{
	const char *whose = kernel_lists_exports() ? smap_get(&exports, name) : NULL, *slash;
	char *base;

	if (!whose)
		return false;
	slash = strrchr(whose, '/');
	base = xstrdup(slash ? slash + 1 : whose);
	for (char *p = base; *p; p++)
		if (*p == '-')
			*p = '_';
	return !strcmp(base, module ? module : "vmlinux");
}
