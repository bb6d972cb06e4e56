/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths to memory of the program that do not begin at a variable in scope: @cast() of a value to a
 * type, @var() of any module, and members of the object that a pointer in a variable of the script
 * points to.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "type_name.h"
#include "base/trust.h"
#include "base/subprocess.h"
#include "arch/arch.h"

/* ---------------------------------------------------------- equality of types */

static bool same_members(struct module *ma, Dwarf_Die *a, struct module *mb, Dwarf_Die *b)
{
	name_vec x = {0}, y = {0};
	type_member_names(ma, a, &x);
	type_member_names(mb, b, &y);
	if (x.n != y.n)
		return false;
	for (size_t i = 0; i < x.n; i++) {
		struct member p, q;
		if (strcmp(x.v[i], y.v[i]) != 0 ||
		    type_member(ma, a, x.v[i], &p) != type_member(mb, b, y.v[i], &q) ||
		    p.bit_off != q.bit_off || p.bits != q.bits)
			return false;
	}
	return true;
}

/* Every unit has its own copy of a type: those that look alike are one. */
bool ctype_equal(const struct ctype *a, const struct ctype *b)
{
	Dwarf_Die x = a->die, y = b->die;
	uint64_t n = 0, k = 0;
	if (a->dim != b->dim || a->stars != b->stars)
		return false;
	if (!type_peel(a->mod, &x, &x) || !type_peel(b->mod, &y, &y))
		return false;
	if (x.addr == y.addr)
		return true;
	if (dwarf_tag(&x) != dwarf_tag(&y) || strcmp(type_text(&x), type_text(&y)) != 0 ||
	    type_size(a->mod, &x, &n) != type_size(b->mod, &y, &k) || n != k)
		return false;
	return !type_is_struct(&x) || same_members(a->mod, &x, b->mod, &y);
}

/* ------------------------------------------------------------ named modules */

/* Modules that @var and @cast name: a list of files, separated by `:`. */
struct module_list {
	VEC(struct module *) v;
	bool failed;
};

/* The path of NAME, written as in probe points, or of a shared library in the usual folders; NULL:
 * not found. */
static const char *find_file(const char *name)
{
	const char *triplet = arch_target()->triplet;
	const char *const dirs[] = {xprintf("/lib/%s", triplet),
				    xprintf("/usr/lib/%s", triplet),
				    "/lib64",
				    "/usr/lib64",
				    "/lib",
				    "/usr/lib",
				    "/usr/local/lib"};
	const char *found = strchr(name, '/') ? name : find_in_path(name);
	char real[PATH_MAX];
	if (!found && access(name, F_OK) == 0)
		found = name;
	for (size_t i = 0; i < ARRAY_LEN(dirs) && !found; i++)
		if (access(xprintf("%s/%s", dirs[i], name), F_OK) == 0)
			found = xprintf("%s/%s", dirs[i], name);
	return found && realpath(found, real) ? xstrdup(real) : NULL;
}

/* A program, or a script whose interpreter is one. */
static bool is_program(const char *path)
{
	char magic[4] = "";
	FILE *f = fopen_regular(path);
	bool elf = f && fread(magic, 1, sizeof magic, f) == sizeof magic &&
		   (memcmp(magic, "\177ELF", 4) == 0 || memcmp(magic, "#!", 2) == 0);
	if (f)
		fclose(f);
	return elf;
}

static struct module *module_named(struct walk *w, const char *name)
{
	const char *path = *name ? find_file(name) : NULL;
	if (path && is_program(path))
		return module_get(path, w->node->loc);
	if (path)
		walk_fail(w, E_BAD_ELF, w->node->loc, NULL,
			  xprintf("%s is not a program or library", path));
	else
		walk_fail(w, E_NO_FILE, w->node->loc, NULL,
			  xprintf("no program or library \"%s\"", name));
	return NULL;
}

/* In a probe of the kernel, and in a list behind "kernel", a name without path is that of a module
 * of the kernel. */
static struct module *kmodule_named(struct walk *w, const char *name)
{
	name_vec names = {0};
	kmodule_names(name, &names);
	if (names.n == 1)
		return module_kmodule(names.v[0], w->node->loc);
	return module_named(w, name);
}

static bool names_kmodule(const struct walk *w, const char *name, const struct module_list *list)
{
	bool kernel = w->f && module_is_kernel(w->f->mod);
	for (size_t i = 0; i < list->v.n; i++)
		kernel |= module_is_kernel(list->v.v[i]);
	return kernel && !strchr(name, '/');
}

static bool add_module(struct walk *w, const char *name, struct module_list *list)
{
	struct loc loc = w->node->loc;
	struct module *m;
	if (*name == '<') {
		const char *path = header_module(name, w->err);
		m = path ? module_get(path, loc) : NULL;
	} else if (strncmp(name, "kernel", 6) == 0 && (!name[6] || name[6] == '<')) {
		m = module_kernel(loc); /* it has the types of all its headers */
	} else if (names_kmodule(w, name, list)) {
		m = kmodule_named(w, name);
	} else {
		m = module_named(w, name);
	}
	if (m)
		vec_push(&list->v, m);
	return m != NULL;
}

/* The modules of NODE in order; without a name the probed one.  A list may name some that are not
 * there. */
static bool modules_of(struct walk *w, struct module_list *list)
{
	const char *text = w->node->target.module;
	bool one = text && !strchr(text, ':');
	if (!text && !w->f)
		return walk_fail(w, E_CONTEXT, w->node->loc,
				 "name the program, library or <header.h> as its last argument",
				 xprintf("%s needs a module here, because the probe has no program",
					 w->node->target.name));
	if (!text) {
		vec_push(&list->v, w->f->mod);
		return true;
	}
	while (*text) {
		size_t n = strcspn(text, ":");
		if (n && !add_module(w, xstrndup(text, n), list) && one)
			return false;
		text += n + (text[n] != 0);
	}
	if (!list->v.n && !w->err->msg)
		walk_fail(w, E_NO_FILE, w->node->loc, NULL,
			  xprintf("\"%s\" is not a usable program or library",
				  w->node->target.module));
	return list->v.n > 0;
}

static bool lacks_debuginfo(struct walk *w, const struct module_list *list)
{
	for (size_t i = 0; i < list->v.n; i++)
		if (module_dwarf(list->v.v[i]))
			return false;
	struct module *m = list->v.v[0];
	walk_fail(w, E_NO_DEBUGINFO, w->node->loc, module_debuginfo_hint(m),
		  xprintf("%s needs debug information, which %s does not have",
			  w->node->target.name, m->path));
	return true;
}

/* BTF has the types of most headers of the kernel; the others are compiled. */
static bool find_in_kernel_headers(struct walk *w, struct type_name *t, struct ctype *out)
{
	const char *text = w->node->target.module;
	struct module *m;
	size_t n;

	for (; text && *text; text += n + (text[n] != 0)) {
		n = strcspn(text, ":");
		if (strncmp(text, "kernel<", 7))
			continue;
		m = kernel_header_module(xstrndup(text + 6, n - 6), w->node->loc, w->err);
		if (m && type_name_find(m, t, out))
			return true;
	}
	return false;
}

/* -------------------------------------------------------------------- @cast */

static bool cast_type(struct walk *w, struct ctype *out)
{
	struct type_name t = type_name_parse(w->node->target.text);
	struct module_list list = {0};
	const char *missing; /* of a module in the list, another of which may have the type */
	if (!modules_of(w, &list))
		return false;
	for (size_t i = 0; i < list.v.n; i++)
		if (type_name_find(list.v.v[i], &t, out))
			return true;
	missing = w->err->msg;
	if (find_in_kernel_headers(w, &t, out))
		return true;
	if (w->err->msg != missing)
		return false;
	if (lacks_debuginfo(w, &list))
		return false;
	return walk_fail(
		w, E_NO_TYPE, w->node->loc, NULL,
		xprintf("no type \"%s\" in %s", w->node->target.text,
			w->node->target.module ? w->node->target.module : w->f->mod->path));
}

/* From the pointer to a T that is index expression 0 along the path. */
static bool follow_pointer(struct walk *w, const struct ctype *t, struct access *out)
{
	const struct node *n = w->node;
	const struct target_comp *first = n->target.ncomps ? n->target.comps : NULL;
	aop_vec ops = {0};
	uint64_t size;
	push_op(&ops, A_INDEX, w->nindex++);
	walk_set_memory(w, &ops);
	walk_set_ctype(w, t);
	if (!first || first->kind != TC_INDEX)
		return walk_path(w, 0, out);
	if (!walk_size(w, &size))
		return walk_fail(
			w, E_BAD_ACCESS, first->loc, NULL,
			xprintf("%s * cannot be indexed: the size of its elements is not known",
				w->text));
	return walk_index(w, first, size) && walk_path(w, 1, out);
}

/* --------------------------------------------------------------------- @var */

/* Find the variable NAME in the units of M whose file ends in FILE, a pattern: the unit with the
 * shortest path has precedence, and a definition before any declaration. */
static bool global_in_files(struct module *m, const char *file, const char *name, Dwarf_Die *out)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, found;
	bool defined = false;
	size_t best = 0;
	while (module_dwarf(m) && dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Die unit = unit_full(&die);
		const char *path = dwarf_diename(&unit);
		bool definition;
		if (!path || !file_tail_match(file, path) ||
		    (!find_in_unit(&unit, name, &found) &&
		     !find_in_namespaces(&unit, NULL, name, &found)))
			continue;
		definition = !dwarf_hasattr(&found, DW_AT_declaration);
		if (best &&
		    (defined > definition || (defined == definition && strlen(path) >= best)))
			continue;
		defined = definition;
		best = strlen(path);
		*out = found;
	}
	return best > 0;
}

/* NAME is defined in assembly or by the linker: what C declares it as. */
static bool declared_in(struct module *m, const char *name, Dwarf_Die *die)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint64_t addr;
	if (!m->is_kernel || !module_data_symbol(m, name, &addr))
		return false;
	while (module_dwarf(m) && dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &unit, NULL) == 0)
		if (find_in_unit(&unit, name, die))
			return true;
	return false;
}

static bool global_in(struct walk *w, struct module *m, const char *name, const char *file,
		      Dwarf_Die *die)
{
	Dwarf_Die *def;
	w->c.mod = m;
	if (file)
		return global_in_files(m, file, name, die);
	def = module_definition(m, DW_TAG_variable, name);
	if (def)
		*die = *def;
	return def || declared_in(m, name, die);
}

/* Add the kernel's debug package: of the kernel's variables BTF has only the per-CPU ones, the
 * debug package has all. */
static void add_kernel_debug(struct module_list *list)
{
	for (size_t i = 0, n = list->v.n; i < n; i++) {
		struct module *m = list->v.v[i]->of_btf ? module_kernel_debug((struct loc){0}, true)
							: NULL;
		if (m)
			vec_push(&list->v, m);
	}
}

static bool start_global(struct walk *w)
{
	const char *text = w->node->target.text, *at = strchr(text, '@');
	const char *name = at ? xstrndup(text, (size_t)(at - text)) : text;
	struct module_list list = {0};
	Dwarf_Die die, type;
	if (!modules_of(w, &list))
		return false;
	add_kernel_debug(&list);
	for (size_t i = 0; i < list.v.n; i++) {
		if (!global_in(w, list.v.v[i], name, at ? at + 1 : NULL, &die))
			continue;
		if (!place_of_global(&w->c, name, &die, &w->place))
			return walk_fail(w, w->c.tag, w->node->loc, NULL,
					 xprintf("%s %s", w->node->target.name, w->c.why));
		walk_set_type(w, die_type(&die, &type) ? &type : NULL);
		return true;
	}
	if (lacks_debuginfo(w, &list))
		return false;
	return walk_fail(
		w, E_NO_VARIABLE, w->node->loc, kernel_debug_hint(list.v.v[0]),
		xprintf("no global variable \"%s\"%s%s in %s", name, at ? " of " : "",
			at ? at + 1 : "",
			w->node->target.module ? w->node->target.module : w->f->mod->path));
}

/* The operands of A that are addresses of M's memory;
 * a program at a fixed address needs no base. */
static void set_base(struct walk *w, struct access *a)
{
	struct module *m = w->c.mod;
	if (m->is_kernel || (w->f && w->f->mod == m))
		return;
	for (size_t i = 0; i < a->nops; i++)
		if (a->ops[i].kind == A_ADDR && module_is_fixed(m))
			a->ops[i].kind = A_CONST;
		else if (a->ops[i].kind == A_ADDR)
			a->base = m;
}

/* --------------------------------------------------------- @enum and @const */

static bool enumerator(struct walk *w, int64_t *value)
{
	const char *name = w->node->target.text, *module = w->node->target.module;
	struct module_list list = {0};
	if (!modules_of(w, &list))
		return false;
	for (size_t i = 0; i < list.v.n; i++)
		if (module_enumerator(list.v.v[i], name, value))
			return true;
	return !lacks_debuginfo(w, &list) && walk_fail(w, E_NO_VARIABLE, w->node->loc, NULL,
						       xprintf("no enumerator \"%s\" in %s", name,
							       module ? module : w->f->mod->path));
}

static bool constant(struct walk *w, struct access *out)
{
	const struct node *n = w->node;
	aop_vec ops = {0};
	int64_t value;
	if (n->target.ncomps || n->target.addrof || n->target.pretty)
		return walk_fail(
			w, E_BAD_ACCESS, n->loc, NULL,
			xprintf("%s is a number without members or address", n->target.name));
	if (n->target.start == TS_ENUM ? !enumerator(w, &value)
				       : !header_constant(n->target.text, n->loc, &value, w->err))
		return false;
	push_op(&ops, A_CONST, value);
	*out = (struct access){
		.ops = ops.v, .nops = 1, .ctype = "long", .is_signed = true, .size = 8};
	return true;
}

bool cast_access(const struct function *f, const struct ctype *t, const struct node *node,
		 struct access *out, struct var_error *err)
{
	struct walk w = {.f = f, .node = node, .err = err};
	struct ctype named;
	*err = (struct var_error){.tag = E_UNSUPPORTED, .loc = node->loc};
	switch (node->target.start) {
	case TS_VAR:
		if (!start_global(&w) || !walk_path(&w, 0, out))
			return false;
		set_base(&w, out);
		return true;
	case TS_ENUM:
	case TS_CONST:
		return constant(&w, out);
	case TS_CAST:
		if (!cast_type(&w, &named))
			return false;
		return follow_pointer(&w, &named, out);
	default:
		return follow_pointer(&w, t, out);
	}
}
