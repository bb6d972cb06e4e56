// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instruction decoder: what relocation has to know of an instruction, and the branches of a
 * function. Opcodes: Intel SDM volume 2; AMD64 APM volume 3 where they differ.
 */
#include "inject/arch/insn.h"
#include "inject/arch/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

static const ZydisDecoder *decoder(void)
{
	static _Thread_local ZydisDecoder d;
	static _Thread_local bool made;

	if (!made)
		made = ZYAN_SUCCESS(
			ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
	return made ? &d : NULL;
}

/* ------------------------------------------------------------ one of them */

static void fixed(struct insn *i, const char *why)
{
	i->kind = INSN_FIXED;
	i->why = why;
}

static void branch(struct insn *i, enum insn_kind kind, const ZydisDecodedInstruction *z)
{
	i->kind = kind;
	i->target = i->addr + z->length + (uint64_t)z->raw.imm[0].value.s;
}

static void classify_ff(struct insn *i, const ZydisDecodedInstruction *z)
{
	if (z->raw.modrm.reg == 2)
		i->kind = INSN_CALL_RM;
	else if (z->raw.modrm.reg == 4)
		i->kind = INSN_JMP_RM;
	else if (z->raw.modrm.reg == 3 || z->raw.modrm.reg == 5)
		fixed(i, "a far call or jump");
}

/* One-byte opcodes. */
static void classify_plain(struct insn *i, const ZydisDecodedInstruction *z)
{
	switch (z->opcode) {
	case 0xe8:
		branch(i, INSN_CALL, z);
		break;
	case 0xe9:
	case 0xeb:
		branch(i, INSN_JMP, z);
		break;
	case 0xe0:
	case 0xe1:
	case 0xe2:
	case 0xe3:
		branch(i, INSN_LOOP, z);
		break;
	case 0xff:
		classify_ff(i, z);
		break;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
	case 0xf4:
		i->kind = INSN_END;
		break;
	case 0xcc:
		fixed(i, "a breakpoint");
		break;
	case 0xc7:
		if (z->raw.modrm.mod == 3 && z->raw.modrm.reg == 7)
			branch(i, INSN_XBEGIN, z);
		break;
	default:
		if ((z->opcode & 0xf0) == 0x70)
			branch(i, INSN_JCC, z);
	}
}

/* Opcodes after 0x0f. */
static void classify_0f(struct insn *i, const ZydisDecodedInstruction *z)
{
	switch (z->opcode) {
	case 0x0b:
	case 0xb9:
	case 0xff:
		i->kind = INSN_END;
		break;
	case 0x07:
	case 0x34:
	case 0x35:
		fixed(i, "a system call instruction that returns to another address");
		break;
	default:
		if ((z->opcode & 0xf0) == 0x80)
			branch(i, INSN_JCC, z);
	}
}

static void memory(struct insn *i, const ZydisDecodedInstruction *z)
{
	i->modrm_at = z->raw.modrm.offset;
	i->disp_at = z->raw.disp.offset;
	if (z->raw.modrm.mod != 0 || z->raw.modrm.rm != 5 || z->raw.disp.size != 32)
		return;
	i->rip = true;
	i->target = i->addr + z->length + (uint64_t)z->raw.disp.value;
	if (z->address_width != 64)
		fixed(i, "an operand relative to eip");
}

/* Recognises nop in all encodings and the instructions that assemblers use as padding: xchg
 * %ax,%ax; lea 0(%rsi),%rsi. */
static bool is_nop(const ZydisDecodedInstruction *z, const uint8_t *text)
{
	static const uint8_t lea[] = {0x8d, 0xb6, 0, 0, 0, 0};

	return z->mnemonic == ZYDIS_MNEMONIC_NOP ||
	       (z->mnemonic == ZYDIS_MNEMONIC_XCHG && z->length == 2 && text[0] == 0x66 &&
		text[1] == 0x90) ||
	       (z->mnemonic == ZYDIS_MNEMONIC_LEA && z->length == 7 &&
		!memcmp(text + 1, lea, sizeof lea));
}

bool insn_decode(struct insn *i, const uint8_t *text, size_t size, uint64_t addr)
{
	ZydisDecodedInstruction z;

	if (!decoder() ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder(), NULL, text, size, &z)) ||
	    z.length > INSN_BYTES)
		return false;
	*i = (struct insn){.addr = addr, .len = z.length};
	memcpy(i->bytes, text, z.length);
	if (z.attributes & ZYDIS_ATTRIB_HAS_MODRM)
		memory(i, &z);
	if (z.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && i->kind != INSN_FIXED) {
		i->condition = z.opcode & 15;
		if (z.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
			classify_plain(i, &z);
		else if (z.opcode_map == ZYDIS_OPCODE_MAP_0F)
			classify_0f(i, &z);
	}
	/* The prefix makes a branch target 16 bits wide on some processors. */
	if (i->kind != INSN_PLAIN && i->kind != INSN_END && i->kind != INSN_FIXED &&
	    z.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE && !z.raw.rex.W)
		fixed(i, "a branch with an operand-size prefix");
	i->nop = is_nop(&z, text);
	return true;
}

bool insn_ends(const struct insn *i)
{
	return i->kind == INSN_END || i->kind == INSN_JMP || i->kind == INSN_JMP_RM;
}

size_t padding_at(const uint8_t *text, size_t size, bool zeros)
{
	struct insn i;
	size_t n = 0;

	while (n < size) {
		if (text[n] == 0xcc || (text[n] == 0 && zeros))
			n++;
		else if (insn_decode(&i, text + n, size - n, 0) && i.nop)
			n += i.len;
		else
			break;
	}
	return n;
}

/* ---------------------------------------------------------- whole functions */

static _Thread_local struct scan last;
static _Thread_local uint64_t last_hash;
static _Thread_local size_t refs_room;

static uint64_t hash(const uint8_t *text, size_t size)
{
	uint64_t h = size, word;

	for (; size >= 8; size -= 8, text += 8) {
		memcpy(&word, text, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	for (; size; size--)
		h = (h ^ *text++) * 0x9e3779b97f4a7c15ull;
	return h;
}

static bool add_ref(struct scan *s, uint64_t from, uint64_t to)
{
	if (s->nrefs == refs_room) {
		size_t room = refs_room ? 2 * refs_room : 256;
		void *refs = realloc(s->refs, room * sizeof s->refs[0]);

		if (!refs)
			return false;
		s->refs = refs;
		refs_room = room;
	}
	s->refs[s->nrefs].from = from;
	s->refs[s->nrefs++].to = to;
	return true;
}

static bool scan_insn(struct scan *s, const struct insn *i)
{
	bool inside = i->target > s->start && i->target < s->end;

	s->indirect |= i->kind == INSN_JMP_RM && !i->rip;
	s->leaves |= i->kind == INSN_JCC && (i->target < s->start || i->target >= s->end);
	return !inside || add_ref(s, i->addr, i->target);
}

static bool scan_all(struct scan *s, const uint8_t *text)
{
	uint64_t at;
	struct insn i;

	for (at = s->start; at < s->end; at += i.len) {
		if (!insn_decode(&i, text + (at - s->start), s->end - at, at)) {
			s->damaged = true;
			i.len = 1;
			continue;
		}
		s->starts[(at - s->start) / 8] |= 1 << (at - s->start) % 8;
		if (!scan_insn(s, &i))
			return false;
	}
	return true;
}

const struct scan *scan_function(const uint8_t *text, uint64_t start, uint64_t end)
{
	uint64_t h = hash(text, end - start);

	if (last.starts && last.start == start && last.end == end && last_hash == h)
		return &last;
	free(last.starts);
	last = (struct scan){.refs = last.refs, .start = start, .end = end};
	last.starts = calloc((end - start) / 8 + 1, 1);
	last_hash = h;
	if (last.starts && scan_all(&last, text))
		return &last;
	free(last.starts);
	last.starts = NULL;
	return NULL;
}

bool scan_enters(const struct scan *s, uint64_t lo, uint64_t hi)
{
	size_t i;

	for (i = 0; i < s->nrefs; i++)
		if (s->refs[i].to > lo && s->refs[i].to < hi &&
		    (s->refs[i].from < lo || s->refs[i].from >= hi))
			return true;
	return false;
}

bool scan_starts_at(const struct scan *s, uint64_t addr)
{
	return addr >= s->start && addr < s->end &&
	       s->starts[(addr - s->start) / 8] >> (addr - s->start) % 8 & 1;
}

size_t landing_pad(const uint8_t *text, size_t n)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	return n >= sizeof endbr64 && !memcmp(text, endbr64, sizeof endbr64) ? sizeof endbr64 : 0;
}
