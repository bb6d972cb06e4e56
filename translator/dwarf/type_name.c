/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types by their names in scripts, as in C. */
#include <ctype.h>
#include <string.h>

#include "type_name.h"

static const struct {
	const char *word;
	int tag;
} keywords[] = {
	{"struct", DW_TAG_structure_type},
	{"union", DW_TAG_union_type},
	{"enum", DW_TAG_enumeration_type},
	{"class", DW_TAG_class_type},
};

/* Past WORD at the beginning of *S. */
static bool skip_word(const char **s, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*s, word, n) != 0 || !isspace((unsigned char)(*s)[n]))
		return false;
	for (*s += n; isspace((unsigned char)**s);)
		++*s;
	return true;
}

struct type_name type_name_parse(const char *text)
{
	struct type_name t = {0};
	while (isspace((unsigned char)*text))
		text++;
	while (skip_word(&text, "const") || skip_word(&text, "volatile"))
		;
	for (size_t i = 0; i < ARRAY_LEN(keywords) && !t.tag; i++)
		if (skip_word(&text, keywords[i].word))
			t.tag = keywords[i].tag;
	size_t n = strlen(text);
	for (; n && (text[n - 1] == '*' || isspace((unsigned char)text[n - 1])); n--)
		t.stars += text[n - 1] == '*';
	t.name = xstrndup(text, n);
	return t;
}

/* One basic type is called differently by compilers, and by people. */
static const char *const spellings[][5] = {
	{"unsigned int", "unsigned"},
	{"long int", "long"},
	{"short int", "short"},
	{"long unsigned int", "unsigned long", "unsigned long int"},
	{"short unsigned int", "unsigned short", "unsigned short int"},
	{"long long int", "long long"},
	{"long long unsigned int", "unsigned long long", "unsigned long long int"},
	{"_Bool", "bool"},
};

static Dwarf_Die *find_basic(struct module *m, const char *name)
{
	Dwarf_Die *die = module_definition(m, DW_TAG_base_type, name);
	for (size_t i = 0; !die && i < ARRAY_LEN(spellings); i++) {
		bool here = false;
		for (size_t j = 0; spellings[i][j]; j++)
			here |= strcmp(spellings[i][j], name) == 0;
		for (size_t j = 0; here && !die && spellings[i][j]; j++)
			die = module_definition(m, DW_TAG_base_type, spellings[i][j]);
	}
	return die;
}

/* A pointer to void is an unsigned number. */
static bool find_void_pointer(struct module *m, const struct type_name *t, struct ctype *out)
{
	Dwarf_Die *die = !t->tag && t->stars && strcmp(t->name, "void") == 0
				 ? find_basic(m, "unsigned long")
				 : NULL;
	if (die)
		*out = (struct ctype){m, *die, 0, t->stars - 1};
	return die != NULL;
}

/* The type of that name in M; as in C, a name without
 * a keyword is a typedef or basic type first. */
bool type_name_find(struct module *m, const struct type_name *t, struct ctype *out)
{
	static const int order[] = {DW_TAG_typedef,    DW_TAG_base_type,  DW_TAG_structure_type,
				    DW_TAG_union_type, DW_TAG_class_type, DW_TAG_enumeration_type};
	if (!module_dwarf(m))
		return false;
	if (find_void_pointer(m, t, out))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		Dwarf_Die *die = NULL;
		if (!t->tag && order[i] == DW_TAG_base_type)
			die = find_basic(m, t->name);
		else if (!t->tag || t->tag == order[i])
			die = module_definition(m, order[i], t->name);
		if (!die)
			continue;
		*out = (struct ctype){m, *die, 0, t->stars};
		return true;
	}
	return false;
}

bool type_by_name(struct module *m, const char *text, struct ctype *out)
{
	struct type_name t = type_name_parse(text);

	return type_name_find(m, &t, out);
}
