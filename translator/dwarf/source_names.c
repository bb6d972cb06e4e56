/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions as their source has them, where the symbol is another one and no known
 * mangling: modules and internal procedures of Fortran, packages of Ada, functions in functions of
 * GNU C. They are those of the debug information, which is asked only about symbols that contain
 * the name.
 */
#include <ctype.h>
#include <string.h>

#include "values.h"

#define MAX_SCOPES 16
/* Longer than any compiler's; names in a file may overlap, and each is copied. */
#define MAX_NAME 4096

/* Is DIE in a language whose symbols ustap does not know? Those of assembler code are its names. */
static bool is_other_language(Dwarf_Die *die)
{
	Dwarf_Die cu;
	int language = dwarf_diecu(die, &cu, NULL, NULL) ? dwarf_srclang(&cu) : 0;
	return language > 0 && language != DW_LANG_Mips_Assembler &&
	       language != 0x31 /* DW_LANG_Assembly, not in every dwarf.h */ &&
	       abi_language(die) == LANGUAGE_OTHER;
}

bool has_source_name(Dwarf_Die *func, const char *symbol)
{
	const char *name = dwarf_diename(func);
	size_t n = name ? strlen(name) : 0;
	if (!n || !strcmp(symbol, name))
		return false;
	/* a function in a function: NAME.NUMBER */
	if (!strncmp(symbol, name, n) && symbol[n] == '.' && isdigit((unsigned char)symbol[n + 1]))
		return true;
	return is_other_language(func);
}

/* "module::outer::name". Ada's names have all of it, "package__name". */
static const char *source_path(Dwarf_Die *func)
{
	Dwarf_Die die = *func, *scopes;
	Dwarf_Attribute a;
	struct strbuf sb = {0};
	const char *name = dwarf_diename(func);
	size_t len = strlen(name);
	int n;
	work_charge(func->cu, len / 64);
	if (len > MAX_NAME)
		return name;
	for (int i = 0; dwarf_attr(&die, DW_AT_abstract_origin, &a) ||
			dwarf_attr(&die, DW_AT_specification, &a);
	     i++)
		if (i == MAX_SCOPES || !dwarf_formref_die(&a, &die))
			return name;
	n = strstr(name + 1, "__") ? 0 : die_scopes(&die, &scopes);
	for (int i = n - 2; i > 0; i--) { /* without the unit */
		const char *scope = dwarf_diename(&scopes[i]);
		if (n <= MAX_SCOPES && scope && strnlen(scope, MAX_NAME) < MAX_NAME)
			sb_printf(&sb, "%s::", scope);
	}
	for (const char *s = name; *s; s++) {
		bool package = s > name && s[0] == '_' && s[1] == '_' && s[2] && s[2] != '_';
		sb_addn(&sb, package ? "::" : s, package ? 2 : 1);
		s += package;
	}
	return sb.s;
}

/* The longest word in the last part of the pattern TEXT; its length. */
static size_t longest_word(const char *text, const char **word)
{
	size_t longest = 0;
	for (const char *s; (s = strstr(text, "::")); text = s + 2)
		;
	for (size_t n; *text; text += n ? n : 1) {
		for (n = 0; isalnum((unsigned char)text[n]) || text[n] == '_'; n++)
			;
		if (n > longest) {
			longest = n;
			*word = text;
		}
	}
	return longest;
}

struct source_pattern source_pattern(const char *text)
{
	struct source_pattern p = {0};
	struct strbuf sb = {0};
	for (const char *s = text; *s; s++)
		sb_addn(&sb, *s == '.' ? "::" : s, *s == '.' ? 2 : 1);
	p.pattern = name_pattern(sb.s ? sb.s : "");
	p.word_len = longest_word(p.pattern.text, &p.word);
	return p;
}

/* gfortran gives all main programs one symbol. */
static bool is_main_program(const struct elf_symbol *sym)
{
	return sym->bare == 6 && !memcmp(sym->name, "MAIN__", 6);
}

static bool is_numbered(const char *symbol, size_t len)
{
	const char *dot = memchr(symbol, '.', len);
	return dot && dot > symbol && dot + 1 < symbol + len && isdigit((unsigned char)dot[1]);
}

enum name_match source_name_matches(const struct source_pattern *p, struct module *m,
				    const struct elf_symbol *sym, const char **shown)
{
	struct unit_func *f;
	struct unit *u;
	enum name_match match;
	if (p->pattern.parameters || p->pattern.arguments ||
	    (p->word_len && !is_main_program(sym) &&
	     !memmem(sym->name, sym->bare, p->word, p->word_len)))
		return NAME_NO;
	if (!is_numbered(sym->name, sym->bare) &&
	    (!(u = unit_at(m, sym->value)) || !is_other_language(&u->die)))
		return NAME_NO;
	f = unit_function(m, sym->value);
	if (!f || !has_source_name(&f->die, xstrndup(sym->name, sym->bare)))
		return NAME_NO;
	match = name_matches_path(&p->pattern, source_path(&f->die));
	*shown = dwarf_diename(&f->die);
	/* "package__name", as lists and ppfunc() give it */
	return match == NAME_NO ? name_matches_path(&p->pattern, *shown) : match;
}
