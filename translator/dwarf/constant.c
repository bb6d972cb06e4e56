/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constants of the program: enumerators in its debug information, and definitions of C headers. */
#include <string.h>

#include "values.h"

/* ------------------------------------------------------------- enumerators */

bool die_constant(Dwarf_Die *die, int64_t *value)
{
	Dwarf_Attribute a;
	Dwarf_Sword s;
	Dwarf_Word u;
	if (!dwarf_attr_integrate(die, DW_AT_const_value, &a))
		return false;
	switch (dwarf_whatform(&a)) {
	case DW_FORM_data1: /* as compilers use them for what is not negative */
	case DW_FORM_data2:
	case DW_FORM_data4:
		if (dwarf_formudata(&a, &u) != 0)
			return false;
		*value = (int64_t)u;
		return true;
	}
	if (dwarf_formsdata(&a, &s) != 0)
		return false;
	*value = s;
	return true;
}

static bool enumerator_of(Dwarf_Die *type, const char *name, int64_t *value)
{
	Dwarf_Die die;
	if (dwarf_child(type, &die) != 0)
		return false;
	do {
		const char *n = dwarf_tag(&die) == DW_TAG_enumerator ? dwarf_diename(&die) : NULL;
		if (n && strcmp(n, name) == 0 && die_constant(&die, value))
			return true;
	} while (die_sibling(&die, &die) == 0);
	return false;
}

/* In the types of SCOPE, and in those that are declared within them. */
static bool enumerator_in(Dwarf_Die *scope, const char *name, int depth, unsigned *left,
			  int64_t *value)
{
	Dwarf_Die die, imported;
	if (depth > 8 || dwarf_child(scope, &die) != 0)
		return false;
	do {
		if (!*left)
			return false;
		--*left;
		switch (dwarf_tag(&die)) {
		case DW_TAG_enumeration_type:
			if (enumerator_of(&die, name, value))
				return true;
			break;
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_class_type:
		case DW_TAG_namespace:
		case DW_TAG_module:
			if (enumerator_in(&die, name, depth + 1, left, value))
				return true;
			break;
		default:
			if (die_import(&die, &imported) &&
			    enumerator_in(&imported, name, depth + 1, left, value))
				return true;
		}
	} while (die_sibling(&die, &die) == 0);
	return false;
}

bool module_enumerator(struct module *m, const char *name, int64_t *value)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	unsigned left = DIE_LIMIT;
	if (module_index(m))
		return index_die(m, DW_TAG_enumerator, name, &die) && die_constant(&die, value);
	while (module_dwarf(m) && dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Die unit = unit_full(&die);
		if (enumerator_in(&unit, name, 0, &left, value))
			return true;
	}
	return false;
}

/* --------------------------------------------------------------- C constants */

/* Headers of the constants that scripts use: errors, flags, signals, sockets, limits, numbers of
 * system calls. */
static const char headers[] = "<errno.h><fcntl.h><signal.h><limits.h><stddef.h><stdint.h><stdio.h><"
			      "stdlib.h><string.h><time.h><unistd.h>"
			      "<dirent.h><poll.h><pthread.h><sched.h><netinet/in.h><netinet/"
			      "tcp.h><sys/epoll.h><sys/ioctl.h><sys/mman.h>"
			      "<sys/resource.h><sys/socket.h><sys/stat.h><sys/syscall.h><sys/"
			      "time.h><sys/types.h><sys/un.h><sys/wait.h>"
			      "<linux/futex.h>";

bool header_constant(const char *text, struct loc loc, int64_t *value, struct var_error *err)
{
	const char *path, *code;
	struct module *m;
	uint64_t addr;
	size_t len;
	if (strpbrk(text, "\n\\")) {
		err->msg = xprintf("\"%s\" is not a constant", text);
		return false;
	}
	code = xprintf(
		"__attribute__((section(\".data\"))) long long ustap_constant = (long long)(%s);\n",
		text);
	path = compile_module(headers, code, xprintf("no constant \"%s\"", text), err);
	m = path ? module_get(path, loc) : NULL;
	if (!m || !module_data_symbol(m, "ustap_constant", &addr))
		return false;
	const unsigned char *bytes = module_bytes(m, addr, &len);
	if (!bytes || len < sizeof *value)
		return false;
	memcpy(value, bytes, sizeof *value);
	return true;
}
