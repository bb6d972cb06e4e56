/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by name. Names come from the symbol tables; DWARF is read only for functions that
 * match, for their declaration, the end of their prologue and their source names.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "address_maps.h"
#include "values.h"
#include "arch/arch.h"

struct candidate {
	const char *name, *linkage;
	uint64_t addr, size;
	bool exported;
	int rank; /* among the names of one address, least is best */
	enum name_match match;
};
struct search {
	struct module *m;
	struct name_pattern pattern;
	struct source_pattern source;
	bool by_source; /* look at names that symbols do not have */
	enum name_match best;
	/* once an indirect function matches: where functions begin, and number of resolvers read */
	addr_vec starts;
	size_t resolvers;
	VEC(struct candidate) found;
};

/* Suffixes of symbols that are a whole function under another name: copies that gcc or clang made
 * for some callers, and local functions that got a name of their own. */
static size_t clone_suffix(const char *name, size_t len)
{
	static const char *const known[] = {".constprop.",   ".isra.",   ".lto_priv.", ".llvm.",
					    ".specialized.", ".argelim", ".argprom",   ".__uniq."};
	const char *dot = memchr(name + 1, '.', len ? len - 1 : 0);
	for (size_t i = 0; dot && i < ARRAY_LEN(known); i++)
		if (strncmp(dot, known[i], strlen(known[i])) == 0)
			return (size_t)(dot - name);
	return len;
}

static bool has_part(const char *name, size_t len, const char *part)
{
	return memmem(name, len, part, strlen(part)) != NULL;
}

/* Go's linker marks the ends of the code with symbols that have the type of functions. */
static bool is_go_marker(const char *name, size_t len)
{
	static const char *const markers[] = {"runtime.text", "runtime.etext"};

	for (size_t i = 0; i < ARRAY_LEN(markers); i++)
		if (len == strlen(markers[i]) && !memcmp(name, markers[i], len))
			return true;
	return false;
}

/* A cold part is entered by jumps, never called: the top of its stack is not a return address. */
static bool is_probeable(const struct search *s, const char *name, size_t len)
{
	if (has_part(name, len, ".cold") || is_go_marker(name, len))
		return false;
	return !has_part(name, len, ".part.") || strstr(s->pattern.asked, ".part.");
}

/* The name to show for symbol NAME of LEN characters. */
static enum name_match match_symbol(const struct search *s, const char *name, size_t len,
				    const char **shown)
{
	size_t bare = clone_suffix(name, len);
	const struct name_pattern *p = &s->pattern;

	if (bare < len && strlen(p->asked) == len && !memcmp(name, p->asked, len)) {
		*shown = p->asked;
		return NAME_EXACT;
	}
	if (!p->glob && *name != '_' && (bare < p->len || memcmp(name, p->asked, p->len)) &&
	    !memchr(name, '[', len))
		return NAME_NO; /* most symbols leave here, nothing was made */
	return name_matches(p, name[bare] ? xstrndup(name, bare) : name, shown);
}

static void add_candidate(struct search *s, const struct elf_symbol *sym, struct candidate c)
{
	c.linkage = xstrndup(sym->name, sym->bare);
	c.exported = sym->bind != STB_LOCAL && sym->visibility == STV_DEFAULT;
	s->best = c.match > s->best ? c.match : s->best;
	vec_push(&s->found, c);
}

/* A symbol of the code itself has a better name for it. */
static void add_indirect(struct search *s, const struct elf_symbol *sym, const char *name,
			 enum name_match match)
{
	enum { LAST_RANK = 1000000, RESOLVERS_MOST = 4096 };
	addr_vec targets = {0};

	/* those of a crafted file may overlap */
	if (s->resolvers++ >= RESOLVERS_MOST)
		return;
	if (!s->starts.n)
		module_function_starts(s->m, &s->starts);
	if (!ifunc_targets(s->m, sym, &s->starts, &targets))
		return;
	for (size_t i = 0; i < targets.n; i++)
		add_candidate(s, sym,
			      (struct candidate){.name = name,
						 .addr = targets.v[i],
						 .rank = LAST_RANK,
						 .match = match});
}

static bool collect(const struct elf_symbol *sym, void *arg)
{
	struct search *s = arg;
	if (sym->type != STT_FUNC && sym->type != STT_GNU_IFUNC)
		return true;
	const char *name;
	enum name_match match = match_symbol(s, sym->name, sym->bare, &name);
	if (!match && s->by_source)
		match = source_name_matches(&s->source, s->m, sym, &name);
	if (!match || !is_probeable(s, sym->name, sym->bare) || !module_is_code(s->m, sym->value))
		return true;
	if (sym->type == STT_GNU_IFUNC) {
		add_indirect(s, sym, name, match);
		return true;
	}
	add_candidate(s, sym,
		      (struct candidate){.name = name,
					 .addr = sym->value,
					 .size = sym->size,
					 .rank = 4 * (int)strspn(name, "_") +
						 (sym->bind == STB_GLOBAL ? 0
						  : sym->bind == STB_WEAK ? 1
									  : 2),
					 .match = match});
	return true;
}

static int candidate_cmp(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->rank != y->rank ? x->rank - y->rank : strcmp(x->linkage, y->linkage);
}

static bool in_place(const struct func_pattern *pat, const struct unit_func *uf)
{
	if (!pat->file)
		return true;
	Dwarf_Die die;
	const char *file;
	if (!uf)
		return false;
	die = uf->die;
	file = die_file(&die);
	return file && file_tail_match(pat->file, file) &&
	       (!pat->line || function_holds_line(uf, pat->file, pat->line));
}

static struct function *make_function(struct module *m, const struct candidate *c,
				      struct unit_func *uf)
{
	struct function *f = xalloc(sizeof *f);
	*f = (struct function){.mod = m,
			       .name = c->name,
			       .linkage = c->linkage,
			       .entry = c->addr,
			       .size = c->size,
			       .body = c->addr,
			       .exported = c->exported};
	if (!uf) {
		f->body = module_is_go(m) ? go_body(m, f->entry) : f->entry;
		f->resumes = f->body != f->entry;
		return f;
	}
	if (!f->size)
		f->size = uf->size;
	f->die = &uf->die;
	f->file = die_file(&uf->die);
	dwarf_decl_line(&uf->die, &f->line);
	f->body = function_body(m, &uf->die, f->entry, f->entry + f->size);
	if (abi_language(&uf->die) == LANGUAGE_GO) {
		f->resumes = f->body != f->entry;
		f->go_abi = go_abi_known(m, &uf->die, f->entry);
		go_declaration(m, &uf->die, f);
	}
	const char *name = dwarf_diename(&uf->die);
	if (name && (strncmp(c->linkage, "_Z", 2) == 0 || strncmp(c->linkage, "_R", 2) == 0 ||
		     has_source_name(&uf->die, c->linkage)))
		f->name = name;
	return f;
}

/* operator* is itself, not all operators. */
static void keep_best(struct search *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->found.n; i++)
		if (s->found.v[i].match == s->best)
			s->found.v[n++] = s->found.v[i];
	s->found.n = n;
}

/* The names of C[0..N), which are symbols of F, that are not F's own; mangled ones are
 * other forms of its name. */
static const text_vec *further_names(const struct function *f, const struct candidate *c, size_t n)
{
	text_vec *names = NULL;

	for (size_t i = 0; i < n; i++) {
		bool mangled = !strncmp(c[i].linkage, "_Z", 2) || !strncmp(c[i].linkage, "_R", 2) ||
			       (f->die && has_source_name(f->die, c[i].linkage));
		bool known = mangled || !strcmp(c[i].name, f->name);

		for (size_t k = 0; names && !known && k < names->n; k++)
			known = !strcmp(names->v[k], c[i].name);
		if (known)
			continue;
		if (!names)
			names = xalloc(sizeof *names);
		vec_push(names, c[i].name);
	}
	return names;
}

void module_functions(struct module *m, const struct func_pattern *pat, function_vec *out)
{
	struct search s = {.m = m, .pattern = name_pattern(pat->func)};
	s.source = source_pattern(pat->func);
	s.by_source = s.pattern.glob;
	module_symbols(m, collect, &s);
	if (!s.found.n && !s.by_source) {
		s.by_source = true;
		module_symbols(m, collect, &s);
	}
	if (!s.found.n)
		return;
	keep_best(&s);
	qsort(s.found.v, s.found.n, sizeof s.found.v[0], candidate_cmp);
	for (size_t i = 0, n; i < s.found.n; i += n) {
		const struct candidate *c = &s.found.v[i];
		for (n = 1; i + n < s.found.n && c[n].addr == c->addr; n++)
			;
		struct unit_func *uf = unit_function(m, c->addr);
		if (!in_place(pat, uf))
			continue;
		struct function *f = make_function(m, c, uf);
		f->also = further_names(f, c, n);
		vec_push(out, f);
	}
}

struct function *function_new(struct module *m, const char *name, const char *linkage,
			      uint64_t entry, uint64_t size, struct unit_func *uf)
{
	struct candidate c = {.name = name, .linkage = linkage, .addr = entry, .size = size};
	return make_function(m, &c, uf);
}

static bool collect_name(const struct elf_symbol *sym, void *arg)
{
	name_vec *names = arg;
	if (sym->type == STT_FUNC && !has_part(sym->name, sym->bare, ".cold"))
		vec_push(names, xstrndup(sym->name, sym->bare));
	return true;
}

const char *module_suggest(struct module *m, const struct func_pattern *pat)
{
	name_vec names = {0};
	if (is_glob(pat->func))
		return NULL;
	module_symbols(m, collect_name, &names);
	const char *near = nearest(pat->func, names.v, names.n);
	return near && strcmp(near, pat->func) != 0 ? near : NULL;
}

static bool is_indirect(const struct elf_symbol *sym, void *arg)
{
	const char **name = arg;

	if (sym->type == STT_GNU_IFUNC && strlen(*name) == sym->bare &&
	    !memcmp(*name, sym->name, sym->bare))
		*name = NULL;
	return *name;
}

bool module_has_indirect(struct module *m, const char *name)
{
	module_symbols(m, is_indirect, &name);
	return !name;
}

bool module_inlines(struct module *m, const char *name)
{
	Dwarf_Die *die;
	if (module_index(m)) {
		struct name_pattern p = name_pattern(name);
		outer_vec outers = {0};
		index_outers(m, &p, &outers);
		return outers.n > 0;
	}
	die = module_dwarf(m) ? module_definition(m, DW_TAG_subprogram, name) : NULL;
	return die && dwarf_func_inline(die);
}

uint64_t function_site(const struct function *f)
{
	size_t len;
	const unsigned char *code = module_bytes(f->mod, f->entry, &len);
	return f->entry + (code ? arch_target()->entry_skip(code, len) : 0);
}

struct named {
	const char *pattern;
	plt_vec *out;
};

static void see_named(struct module *m, uint64_t addr, unsigned skip, const struct plt_slot *slot,
		      void *arg)
{
	const struct named *n = arg;

	if (glob_match(n->pattern, slot->name))
		vec_push(n->out,
			 ((struct plt_entry){slot->name, function_new(m, slot->name, slot->name,
								      addr + skip, 0, NULL)}));
}

void module_plt(struct module *m, const char *pattern, plt_vec *out)
{
	each_plt_entry(m, see_named, &(struct named){pattern, out});
}
