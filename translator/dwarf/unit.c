/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compile units, functions and lines by address. Only units that hold a requested address are read;
 * each is indexed once by the addresses of its functions.
 */
#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "arch/arch.h"
#include "bisect.h"

#define MAX_DEPTH    64
#define IMPORT_STEPS 5 /* the time that the look-up of a unit takes */

/* -------------------------------------------------------- address -> unit */

/* The unit with the code itself, where DIE is only a skeleton (-gsplit-dwarf). */
Dwarf_Die unit_full(Dwarf_Die *die)
{
	Dwarf_Die sub, other;
	Dwarf_Half version;
	uint8_t type;
	memset(&sub, 0, sizeof sub);
	if (dwarf_cu_info(die->cu, &version, &type, NULL, &sub, NULL, NULL, NULL) != 0 ||
	    !split_skeleton(die, type))
		return *die;
	if ((!sub.cu || (version == 4 && split_lacks_types(&sub))) && split_unit(die, &other))
		return other;
	return sub.cu ? sub : *die;
}

static struct unit *unit_by_offset(struct module *m, Dwarf_Off off)
{
	size_t lo = BISECT(mid, m->units.n, m->units.v[mid]->off < off);
	Dwarf_Die die;

	if (lo < m->units.n && m->units.v[lo]->off == off)
		return m->units.v[lo];
	if (!dwarf_offdie(m->dw, off, &die))
		return NULL;
	struct unit *u = xalloc(sizeof *u);
	u->off = off;
	u->die = unit_full(&die);
	vec_push(&m->units, u);
	memmove(&m->units.v[lo + 1], &m->units.v[lo], (m->units.n - 1 - lo) * sizeof m->units.v[0]);
	m->units.v[lo] = u;
	return u;
}

bool die_is_declaration(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	bool flag = false;
	return dwarf_attr(die, DW_AT_declaration, &a) && dwarf_formflag(&a, &flag) == 0 && flag;
}

bool die_import(Dwarf_Die *die, Dwarf_Die *unit)
{
	Dwarf_Attribute a;
	if (dwarf_tag(die) != DW_TAG_imported_unit)
		return false;
	work_charge(die->cu, IMPORT_STEPS);
	return dwarf_attr(die, DW_AT_import, &a) && dwarf_formref_die(&a, unit);
}

/* At the top of UNIT or of what it imports, which with dwz lies in another file. */
static bool find_definition(Dwarf_Die *unit, int tag, const char *name, int depth, Dwarf_Die *out)
{
	Dwarf_Die die, imported;
	if (depth > 4 || dwarf_child(unit, &die) != 0)
		return false;
	do {
		if (die_import(&die, &imported) &&
		    find_definition(&imported, tag, name, depth + 1, out))
			return true;
		if (dwarf_tag(&die) != tag || die_is_declaration(&die))
			continue;
		const char *n = dwarf_diename(&die);
		if (n && strcmp(n, name) == 0) {
			*out = die;
			return true;
		}
	} while (die_sibling(&die, &die) == 0);
	return false;
}

static bool is_indexed(int tag)
{
	static const int tags[] = {DW_TAG_base_type,  DW_TAG_structure_type,   DW_TAG_class_type,
				   DW_TAG_union_type, DW_TAG_enumeration_type, DW_TAG_typedef,
				   DW_TAG_variable};
	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		if (tags[i] == tag)
			return true;
	return false;
}

static Dwarf_Die *own_definition(struct module *m, int tag, const char *name)
{
	static Dwarf_Die none; /* looked for and not there */
	const char *key = xprintf("%d %s", tag, name);
	Dwarf_Die *found = smap_get(&m->definitions, key), die;
	Dwarf_CU *cu = NULL;
	if (found)
		return found == &none ? NULL : found;
	found = &none;
	if (is_indexed(tag) && module_index(m)) {
		if (index_die(m, tag, name, &die)) {
			found = xalloc(sizeof die);
			*found = die;
		}
		smap_put(&m->definitions, key, found);
		return found == &none ? NULL : found;
	}
	while (module_dwarf(m) && dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Die unit = unit_full(&die);
		if (!find_definition(&unit, tag, name, 0, &die))
			continue;
		found = xalloc(sizeof die);
		*found = die;
		break;
	}
	smap_put(&m->definitions, key, found);
	return found == &none ? NULL : found;
}

Dwarf_Die *module_definition(struct module *m, int tag, const char *name)
{
	Dwarf_Die *own = own_definition(m, tag, name);
	return !own && m->kernel ? own_definition(m->kernel, tag, name) : own;
}

/* Link-time optimisation writes variables down
 * twice: as the source has them, and where they are. */
bool variable_instance(struct module *m, Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, var, origin;
	Dwarf_Attribute a;
	if (module_index(m) && dwarf_cu_getdwarf(die->cu) == m->dw)
		return index_variable(m, die, out);
	while (module_dwarf(m) && dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
		Dwarf_Die full = unit_full(&unit);
		if (dwarf_child(&full, &var) != 0)
			continue;
		do {
			if (dwarf_tag(&var) != DW_TAG_variable ||
			    !dwarf_attr(&var, DW_AT_abstract_origin, &a) ||
			    !dwarf_formref_die(&a, &origin) || origin.addr != die->addr)
				continue;
			*out = var;
			return true;
		} while (die_sibling(&var, &var) == 0);
	}
	return false;
}

static int range_cmp(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;
	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void ranges_build(struct module *m)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	m->ranges_built = true;
	while (dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		struct unit_range r = {.off = dwarf_dieoffset(&die)};
		Dwarf_Addr base;
		ptrdiff_t at = 0;
		while ((at = die_ranges(&die, at, &base, &r.lo, &r.hi)) > 0)
			if (r.lo) /* 0: in a section that the linker dropped */
				vec_push(&m->ranges, r);
	}
	if (m->ranges.n)
		qsort(m->ranges.v, m->ranges.n, sizeof m->ranges.v[0], range_cmp);
}

static struct unit *unit_by_ranges(struct module *m, uint64_t addr)
{
	if (!m->ranges_built)
		ranges_build(m);
	size_t lo = BISECT(mid, m->ranges.n, m->ranges.v[mid].lo <= addr);

	if (!lo || addr >= m->ranges.v[lo - 1].hi)
		return NULL;
	return unit_by_offset(m, m->ranges.v[lo - 1].off);
}

struct unit *unit_at(struct module *m, uint64_t addr)
{
	Dwarf_Aranges *aranges;
	Dwarf_Off off;
	if (!module_dwarf(m))
		return NULL;
	if (dwarf_getaranges(m->dw, &aranges, NULL) == 0) {
		Dwarf_Arange *a = dwarf_getarange_addr(aranges, addr);
		if (a && dwarf_getarangeinfo(a, NULL, NULL, &off) == 0)
			return unit_by_offset(m, off);
	}
	return unit_by_ranges(m, addr);
}

/* ------------------------------------------------------ address -> function */

bool die_entry(Dwarf_Die *die, uint64_t *entry)
{
	Dwarf_Addr base, hi;
	return dwarf_entrypc(die, entry) == 0 || die_ranges(die, 0, &base, entry, &hi) > 0;
}

bool unit_func_fill(struct unit_func *f)
{
	Dwarf_Addr base, lo, hi;
	if (!die_entry(&f->die, &f->entry) || !f->entry)
		return false;
	/* The part that holds the entry; a cold part may lie elsewhere. */
	for (ptrdiff_t at = 0; (at = die_ranges(&f->die, at, &base, &lo, &hi)) > 0;)
		if (f->entry >= lo && f->entry < hi)
			f->size = hi - f->entry;
	return true;
}

static void add_function(struct unit *u, Dwarf_Die *die)
{
	struct unit_func f = {.die = *die};
	if (unit_func_fill(&f))
		vec_push(&u->funcs, f);
}

/* Code is defined in units, namespaces and, in some languages, in types. */
static void index_children(struct unit *u, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	if (depth > 32 || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			add_function(u, &die);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			index_children(u, &die, depth + 1);
			break;
		}
	} while (die_sibling(&die, &die) == 0);
}

static int func_cmp(const void *a, const void *b)
{
	const struct unit_func *x = a, *y = b;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static void unit_index(struct unit *u)
{
	if (u->indexed)
		return;
	u->indexed = true;
	index_children(u, &u->die, 0);
	if (u->funcs.n)
		qsort(u->funcs.v, u->funcs.n, sizeof u->funcs.v[0], func_cmp);
}

/* The innermost function below PARENT whose code holds ENTRY. */
static void find_nested(struct unit *one, Dwarf_Die *parent, uint64_t entry, int depth)
{
	Dwarf_Die die;
	if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		if (die_haspc(&die, entry) != 1)
			continue;
		find_nested(one, &die, entry, depth + 1);
		if (!one->funcs.n && dwarf_tag(&die) == DW_TAG_subprogram)
			add_function(one, &die);
		return;
	} while (die_sibling(&die, &die) == 0);
}

/* A function inside a function: not in the index, found through the code around it. */
static struct unit_func *nested_function(struct unit *u, uint64_t entry)
{
	struct unit one = {0};
	find_nested(&one, &u->die, entry, 0);
	return one.funcs.n && one.funcs.v[0].entry == entry ? &one.funcs.v[0] : NULL;
}

struct unit_func *unit_function(struct module *m, uint64_t entry)
{
	struct unit_func key = {.entry = entry}, *f;
	struct unit *u;
	if (module_index(m))
		return index_function(m, entry);
	u = unit_at(m, entry);
	if (!u)
		return NULL;
	unit_index(u);
	f = u->funcs.n ? bsearch(&key, u->funcs.v, u->funcs.n, sizeof key, func_cmp) : NULL;
	return f ? f : nested_function(u, entry);
}

struct unit_func *unit_function_around(struct module *m, uint64_t addr)
{
	struct unit *u;
	size_t lo;
	if (module_index(m))
		return index_function_around(m, addr);
	u = unit_at(m, addr);
	if (!u)
		return NULL;
	unit_index(u);
	lo = BISECT(mid, u->funcs.n, u->funcs.v[mid].entry <= addr);
	if (lo && addr - u->funcs.v[lo - 1].entry < u->funcs.v[lo - 1].size)
		return &u->funcs.v[lo - 1];
	for (size_t i = 0; i < u->funcs.n; i++) /* a part of it that lies elsewhere */
		if (die_haspc(&u->funcs.v[i].die, addr) == 1)
			return &u->funcs.v[i];
	return NULL;
}

/* -------------------------------------------------------------------- lines */

struct rows {
	Dwarf_Lines *lines;
	size_t n;
};

static bool unit_rows(Dwarf_Die *die, struct rows *r)
{
	Dwarf_Die cu;
	return dwarf_diecu(die, &cu, NULL, NULL) && die_lines(&cu, &r->lines, &r->n) == 0;
}

static Dwarf_Addr row_addr(const struct rows *r, size_t i)
{
	Dwarf_Addr addr = 0;

	dwarf_lineaddr(dwarf_onesrcline(r->lines, i), &addr);
	return addr;
}

/* The first row at or after ADDR. */
static size_t row_at(const struct rows *r, uint64_t addr)
{
	return BISECT(mid, r->n, row_addr(r, mid) < addr);
}

static bool is_statement(Dwarf_Line *row)
{
	bool begins = false;
	dwarf_linebeginstatement(row, &begins);
	return begins;
}

/* The row that the code at ADDR is of: the last of those of one address, those before it have no
 * code; one that begins a statement before one that does not.  As gdb does. */
static Dwarf_Line *row_of(const struct rows *r, uint64_t addr)
{
	size_t last = row_at(r, addr + 1), i;
	Dwarf_Addr at = 0, a;
	if (!last)
		return NULL;
	dwarf_lineaddr(dwarf_onesrcline(r->lines, --last), &at);
	for (i = last; i && !is_statement(dwarf_onesrcline(r->lines, i)); i--)
		if (dwarf_lineaddr(dwarf_onesrcline(r->lines, i - 1), &a) != 0 || a != at)
			break;
	return dwarf_onesrcline(r->lines, is_statement(dwarf_onesrcline(r->lines, i)) ? i : last);
}

bool module_line_at(struct module *m, uint64_t addr, const char **file, int *line)
{
	struct unit *u = unit_at(m, addr);
	struct rows r;
	Dwarf_Line *row = u && unit_rows(&u->die, &r) ? row_of(&r, addr) : NULL;
	bool ends = true;
	*line = 0;
	*file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	return row && dwarf_lineendsequence(row, &ends) == 0 && !ends && *file &&
	       dwarf_lineno(row, line) == 0 && *line;
}

uint64_t module_next_line(struct module *m, uint64_t addr)
{
	struct unit *u = unit_at(m, addr);
	struct rows r;
	int here = 0;
	if (!u || !unit_rows(&u->die, &r))
		return UINT64_MAX;
	size_t i = row_at(&r, addr + 1);
	if (i)
		dwarf_lineno(dwarf_onesrcline(r.lines, i - 1), &here);
	for (; i < r.n; i++) {
		Dwarf_Line *l = dwarf_onesrcline(r.lines, i);
		Dwarf_Addr a;
		int line = 0;
		if (is_statement(l) && dwarf_lineno(l, &line) == 0 && line != here &&
		    dwarf_lineaddr(l, &a) == 0)
			return a;
	}
	return UINT64_MAX;
}

static const char *producer(Dwarf_Die *die)
{
	Dwarf_Die cu;
	Dwarf_Attribute a;
	const char *s = NULL;
	if (dwarf_diecu(die, &cu, NULL, NULL))
		s = dwarf_formstring(dwarf_attr_integrate(&cu, DW_AT_producer, &a));
	return s ? s : "";
}

/* The end of the prologue of [entry, end): where the compiler marked it, else
 * the second row, as debuggers do; where the address sanitizer is at work, which
 * copies parameters in rows of its own, the first row of a later line. */
static uint64_t prologue_end(Dwarf_Die *die, uint64_t entry, uint64_t end)
{
	struct rows r;
	uint64_t second = 0, other = 0;
	int first_line = 0;
	bool asan = strstr(producer(die), "-fsanitize=address");
	if (!unit_rows(die, &r))
		return entry;
	for (size_t i = row_at(&r, entry); i < r.n; i++) {
		Dwarf_Line *l = dwarf_onesrcline(r.lines, i);
		Dwarf_Addr a = end;
		bool mark = false, stop = false;
		int line = 0;
		dwarf_lineaddr(l, &a);
		dwarf_lineprologueend(l, &mark);
		dwarf_lineendsequence(l, &stop);
		dwarf_lineno(l, &line);
		if (stop && a == entry) /* of what lies before it */
			continue;
		if (a >= end || stop)
			break;
		if (mark)
			return a;
		if (a == entry)
			first_line = line;
		if (!second && a > entry && line)
			second = a;
		if (!other && a > entry && line > first_line)
			other = a;
	}
	return asan && other ? other : second ? second : entry;
}

/* Producers that write their options down say it; for the others a parameter
 * that moves (a location list) is the sign. */
bool function_is_optimised(Dwarf_Die *die)
{
	Dwarf_Die p;
	Dwarf_Attribute a;
	const char *by = producer(die);
	if (strncmp(by, "GNU ", 4) == 0 && strstr(by, " -")) {
		const char *last = NULL; /* the last -O wins */
		for (const char *s = by; (s = strstr(s, " -O")); s++)
			last = s;
		return last && last[3] != '0';
	}
	if (dwarf_child(die, &p) != 0)
		return true;
	do {
		Dwarf_Op *ops;
		size_t n;
		if (dwarf_tag(&p) != DW_TAG_formal_parameter)
			continue;
		if (!die_location(&p, DW_AT_location, &a) || dwarf_getlocation(&a, &ops, &n) != 0)
			continue;
		if (n && ops[0].atom == DW_OP_fbreg &&
		    ((Dwarf_Sword)ops[0].number < 0 || !frame_is_cfa(die)))
			return false;
	} while (die_sibling(&p, &p) == 0);
	return true;
}

/* Does a jump in CODE lead back to BODY, bytes into it?  Or may it, as not all instructions are
 * known. */
static bool jumps_back(const unsigned char *code, size_t len, size_t body)
{
	struct machine_insn insn;
	for (size_t i = 0; i < len; i += insn.len)
		if (!arch_target()->decode(code + i, len - i, i, &insn) ||
		    (insn.target && insn.target == body))
			return true;
	return false;
}

uint64_t function_body(struct module *m, Dwarf_Die *die, uint64_t entry, uint64_t end)
{
	size_t len;
	/* Go's functions begin anew when their stack has grown */
	if (abi_language(die) == LANGUAGE_GO)
		return go_abi_known(m, die, entry) ? go_body(m, entry)
						   : prologue_end(die, entry, end);
	if (function_is_optimised(die) || arguments_known(m, die))
		return entry;
	uint64_t body = prologue_end(die, entry, end);
	const unsigned char *code = module_bytes(m, entry, &len);
	/* A loop may begin right there: then it would be hit each time around. */
	if (!code || jumps_back(code, len < end - entry ? len : end - entry, body - entry))
		return entry;
	return body;
}

bool file_tail_match(const char *pattern, const char *path)
{
	size_t n = strlen(pattern), len = strlen(path);
	if (is_glob(pattern)) {
		const char *base = strrchr(path, '/');
		return glob_match(pattern, path) || (base && glob_match(pattern, base + 1));
	}
	if (n > len || strcmp(path + len - n, pattern) != 0)
		return false;
	return n == len || path[len - n - 1] == '/' || pattern[0] == '/';
}

/* As dwarf_decl_file(), which aborts on units split off from their line table. */
const char *die_file(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Word i;
	Dwarf_Die cu;
	Dwarf_Files *files;
	const char *name = NULL;
	size_t n;
	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &a) || dwarf_formudata(&a, &i) != 0 ||
	    !dwarf_cu_die(a.cu, &cu, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    unit_file(&cu, i, &name))
		return name;
	if (dwarf_getsrcfiles(&cu, &files, &n) != 0 || i >= n)
		return NULL;
	return dwarf_filesrc(files, i, NULL, NULL);
}

/* The last line of FILE that has code in [lo, hi); 0 if none has. */
static int last_line(Dwarf_Die *die, uint64_t lo, uint64_t hi, const char *file)
{
	struct rows r;
	int last = 0;
	if (!unit_rows(die, &r))
		return 0;
	for (size_t i = row_at(&r, lo); i < r.n; i++) {
		Dwarf_Line *l = dwarf_onesrcline(r.lines, i);
		Dwarf_Addr a = hi;
		int line = 0;
		const char *src = dwarf_linesrc(l, NULL, NULL);
		dwarf_lineaddr(l, &a);
		if (a >= hi)
			break;
		dwarf_lineno(l, &line);
		if (src && line > last && file_tail_match(file, src))
			last = line;
	}
	return last;
}

/* The first line after FROM on which the unit of DIE declares another function
 * of FILE; INT_MAX if none.  Code inlined from below must not stretch a function. */
static int next_function_line(Dwarf_Die *die, const char *file, int from)
{
	Dwarf_Die cu, d;
	int best = __INT_MAX__;
	if (!dwarf_diecu(die, &cu, NULL, NULL) || dwarf_child(&cu, &d) != 0)
		return best;
	do {
		int line = 0;
		if (dwarf_tag(&d) != DW_TAG_subprogram || dwarf_hasattr(&d, DW_AT_declaration))
			continue;
		if (dwarf_decl_line(&d, &line) != 0 || line <= from || line >= best)
			continue;
		const char *f = die_file(&d);
		if (f && file_tail_match(file, f))
			best = line;
	} while (die_sibling(&d, &d) == 0);
	return best;
}

bool function_holds_line(const struct unit_func *f, const char *file, int line)
{
	Dwarf_Die die = f->die;
	int first = 0;
	if (dwarf_decl_line(&die, &first) != 0 || line < first)
		return false;
	if (line == first)
		return true;
	return line <= last_line(&die, f->entry, f->entry + f->size, file) &&
	       line < next_function_line(&die, file, first);
}
