/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of x86-64 as text, by Zydis. */
#include <Zydis/Zydis.h>

#include "explain.h"

/* What arch/x86/kernel/uprobes.c of all supported kernels emulates: nop, jumps, calls and pushes of short forms. */
static bool is_emulated(const ZydisDecodedInstruction *z)
{
	unsigned op = z->opcode;
	bool word = z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE;

	if (z->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return (op & 0xf0) == 0x80 && !word;
	if (z->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return false;
	if (op == 0x90)
		return true;
	return !word && ((op & 0xf8) == 0x50 || (op & 0xf0) == 0x70 || op == 0xe8 || op == 0xe9 || op == 0xeb);
}

const char *instruction_text(const unsigned char *code, size_t len, uint64_t addr, bool *emulated)
{
	ZydisDisassembledInstruction z;

	if (!ZYAN_SUCCESS(ZydisDisassembleATT(ZYDIS_MACHINE_MODE_LONG_64, addr, code, len, &z)))
		return NULL;
	*emulated = is_emulated(&z.info);
	return xstrdup(z.text);
}
