/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by name: names come from the symbol tables, and only for those
 * that match is DWARF read, to learn where they are declared, where their
 * prologue ends and what they name.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"

struct candidate {
	const char *name, *linkage;
	uint64_t addr, size;
	bool exported;
	int rank;                                /* among the names of one address, least is best */
};
struct search {
	struct module *m;
	const char *pattern;
	size_t len;
	bool glob;
	VEC(struct candidate) found;
};

/* Suffixes of symbols that are a whole function under another name. */
static size_t clone_suffix(const char *name, size_t len)
{
	static const char *const known[] = {".constprop.", ".isra.", ".lto_priv.", ".llvm."};
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

/* A cold part is jumped to, never called: its stack top is no return address. */
static bool is_probeable(const struct search *s, const char *name, size_t len)
{
	if (has_part(name, len, ".cold"))
		return false;
	return !has_part(name, len, ".part.") || has_part(s->pattern, s->len, ".part.");
}

/* "b" and "a::b" both name a::b. */
static bool path_matches(const struct search *s, const char *path)
{
	if (s->glob)
		return glob_match(s->pattern, path);
	size_t n = strlen(path);
	return n >= s->len && strcmp(path + n - s->len, s->pattern) == 0 &&
	       (n == s->len || path[n - s->len - 1] == ':');
}

static const char *match_mangled(const struct search *s, const char *sym)
{
	const char *last = strrchr(s->pattern, ':');
	if (!s->glob && !strstr(sym, last ? last + 1 : s->pattern))
		return NULL;                     /* most symbols leave here, nothing was made */
	const char *path = mangled_path(sym);
	if (!path || !path_matches(s, path))
		return NULL;
	const char *name = strrchr(path, ':');
	return name ? name + 1 : path;
}

/* The name to show for symbol NAME of LEN characters; NULL if it does not match. */
static const char *match_symbol(const struct search *s, const char *name, size_t len)
{
	if (!s->glob) {
		if (len >= s->len && memcmp(name, s->pattern, s->len) == 0 &&
		    (len == s->len || clone_suffix(name, len) == s->len))
			return s->pattern;
	} else {
		const char *bare = xstrndup(name, clone_suffix(name, len));
		if (glob_match(s->pattern, bare))
			return bare;
	}
	return len > 2 && name[0] == '_' && name[1] == 'Z' ? match_mangled(s, name) : NULL;
}

static bool collect(const struct elf_symbol *sym, void *arg)
{
	struct search *s = arg;
	if (sym->type != STT_FUNC)
		return true;
	const char *name = match_symbol(s, sym->name, sym->bare);
	if (!name || !is_probeable(s, sym->name, sym->bare) || !module_is_code(s->m, sym->value))
		return true;
	struct candidate c = {.name = name, .linkage = xstrndup(sym->name, sym->bare),
			      .addr = sym->value, .size = sym->size};
	c.exported = sym->bind != STB_LOCAL && sym->visibility == STV_DEFAULT;
	c.rank = 4 * (int)strspn(name, "_") +
		 (sym->bind == STB_GLOBAL ? 0 : sym->bind == STB_WEAK ? 1 : 2);
	vec_push(&s->found, c);
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
	*f = (struct function){.mod = m, .name = c->name, .linkage = c->linkage, .entry = c->addr,
			       .size = c->size, .body = c->addr, .exported = c->exported};
	if (!uf)
		return f;
	if (!f->size)
		f->size = uf->size;
	f->die = &uf->die;
	f->file = die_file(&uf->die);
	dwarf_decl_line(&uf->die, &f->line);
	f->body = function_body(m, &uf->die, f->entry, f->entry + f->size);
	const char *name = dwarf_diename(&uf->die);
	if (name && strncmp(c->linkage, "_Z", 2) == 0)
		f->name = name;
	return f;
}

void module_functions(struct module *m, const struct func_pattern *pat, function_vec *out)
{
	struct search s = {.m = m, .pattern = pat->func, .len = strlen(pat->func),
			   .glob = is_glob(pat->func)};
	module_symbols(m, collect, &s);
	if (!s.found.n)
		return;
	qsort(s.found.v, s.found.n, sizeof s.found.v[0], candidate_cmp);
	for (size_t i = 0; i < s.found.n; i++) {
		struct candidate *c = &s.found.v[i];
		if (i && c->addr == c[-1].addr)
			continue;
		struct unit_func *uf = unit_function(m, c->addr);
		if (in_place(pat, uf))
			vec_push(out, make_function(m, c, uf));
	}
}

struct function *function_new(struct module *m, const char *name, const char *linkage, uint64_t entry,
			      uint64_t size, struct unit_func *uf)
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

bool module_inlines(struct module *m, const char *name)
{
	Dwarf_Die *die = module_dwarf(m) ? module_definition(m, DW_TAG_subprogram, name) : NULL;
	return die && dwarf_func_inline(die);
}

uint64_t function_site(const struct function *f)
{
	size_t len;
	const unsigned char *code = module_bytes(f->mod, f->entry, &len);
	return f->entry + (code ? arch_host()->entry_skip(code, len) : 0);
}
