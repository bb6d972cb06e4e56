/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Versions of the kernel's symbols that embedded C refers to. A kernel with CONFIG_MODVERSIONS
 * refuses a symbol without one. modpost writes those that the runtime uses when it is compiled;
 * others are added to the module that uses them, from Module.symvers of the kernel's headers.
 */
#include "kernel.h"
#include "dwarf/object_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* struct modversion_info of linux/module.h: a name and its NUL have 56 bytes. */
enum { VERSION_NAME_MAX = 55 };

struct version {
	unsigned long crc;
	const char *name;
};
typedef VEC(struct version) version_vec;

/* Append the version of each of the symbols WANTED that Module.symvers, TEXT, lists: its lines are
 * CHECKSUM<tab>NAME<tab>MODULE<tab>... */
static void find_versions(const char *text, const struct smap *wanted, version_vec *out)
{
	for (const char *line = text, *end; *line; line = end + (*end == '\n')) {
		const char *name;
		char *tab;
		size_t n;
		struct version v = {.crc = strtoul(line, &tab, 16)};

		end = line + strcspn(line, "\n");
		if (*tab != '\t')
			continue;
		name = tab + 1;
		n = strcspn(name, "\t\n");
		v.name = n <= VERSION_NAME_MAX ? xstrndup(name, n) : "";
		if (*v.name && smap_get(wanted, v.name))
			vec_push(out, v);
	}
}

static char *versions_source(const version_vec *versions, bool extended)
{
	struct strbuf b = {0};

	sb_printf(&b,
		  "struct version { unsigned long crc; char name[%d]; };\n"
		  "static const struct version versions[]\n"
		  "__attribute__((used, section(\"__versions\"), aligned(8))) = {\n",
		  VERSION_NAME_MAX + 1);
	for (size_t i = 0; i < versions->n; i++)
		sb_printf(&b, "{%#lx, \"%s\"},\n", versions->v[i].crc, versions->v[i].name);
	sb_printf(&b, "};\n");
	if (!extended)
		return b.s;
	sb_printf(&b, "static const unsigned crcs[]\n"
		      "__attribute__((used, section(\"__version_ext_crcs\"), aligned(4))) = {");
	for (size_t i = 0; i < versions->n; i++)
		sb_printf(&b, "%#lx, ", versions->v[i].crc);
	sb_printf(&b, "};\nstatic const char names[]\n"
		      "__attribute__((used, section(\"__version_ext_names\"), aligned(1))) = \"");
	for (size_t i = 0; i < versions->n; i++)
		sb_printf(&b, "%s%s", versions->v[i].name, i + 1 < versions->n ? "\\0" : "");
	sb_printf(&b, "\";\n");
	return b.s;
}

bool symbol_versions(const struct kernel *k, const char *object, const char **source)
{
	const char *base = xprintf("%s/base.o", k->kept);
	version_vec versions = {0};
	struct smap wanted = {0};
	name_vec names = {0};
	char *text;

	*source = NULL;
	if (!object_has_section(base, "__versions"))
		return true;
	text = read_file(xprintf("%s/Module.symvers", k->build), NULL);
	if (!text || !object_symbols(object, false, &names)) {
		diag_error(E_IO, (struct loc){0}, "cannot read %s",
			   text ? object : xprintf("%s/Module.symvers", k->build));
		return false;
	}
	for (size_t i = 0; i < names.n; i++)
		smap_put(&wanted, names.v[i], (void *)"");
	find_versions(text, &wanted, &versions);
	if (versions.n)
		*source = versions_source(&versions,
					  object_has_section(base, "__version_ext_crcs"));
	return true;
}
