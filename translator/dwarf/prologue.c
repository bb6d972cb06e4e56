/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prologues: the address from which the parameters of a function can be read. */
#include <string.h>

#include "values.h"
#include "arch/arch.h"
#include "line_table.h"

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
