/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads of values from their locations: memory, registers, and several pieces that form one value.
 */
#include "values.h"

const struct piece *piece_at(const struct place *place, int64_t bit, int64_t nbits, int64_t *off)
{
	*off = bit;
	for (size_t i = 0; i < place->pieces.n; i++) {
		const struct piece *p = &place->pieces.v[i];
		int64_t bits = (int64_t)p->bits;
		if (!bits || (*off >= 0 && *off + nbits <= bits))
			return p;
		if (*off < bits)
			return NULL; /* it crosses a border */
		*off -= bits;
	}
	return NULL;
}

static void push_field(aop_vec *out, int64_t shift, unsigned bits, bool sign)
{
	struct aop op = {.kind = A_BITS, .a = shift, .bits = (uint8_t)bits, .sign = sign};
	vec_push(out, op);
}

static void push_sized(aop_vec *out, enum aop_kind kind, unsigned size, bool sign)
{
	vec_push(out, ((struct aop){.kind = kind, .size = (uint8_t)size, .sign = sign}));
}

static bool is_size(unsigned bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

/* Bits in memory: the smallest aligned read that holds them, so that no byte past their object is
 * touched; else the bytes that they lie in. */
static bool read_memory(const aop_vec *address, int64_t off, unsigned nbits, bool sign,
			aop_vec *out)
{
	int64_t unit, start = 0, need = nbits;
	for (unit = 1; unit <= 8; unit *= 2) {
		start = (off & ~(unit * 8 - 1)) / 8;
		if (off - start * 8 + need <= unit * 8)
			break;
	}
	if (unit > 8) {
		unit = 8;
		start = (off & ~7) / 8;
		if (off - start * 8 + need > 64)
			return false;
	}
	aop_vec ops = {0};
	for (size_t i = 0; i < address->n; i++)
		vec_push(&ops, address->v[i]);
	push_add(&ops, start);
	push_sized(&ops, A_DEREF, (unsigned)unit, false);
	push_field(&ops, off - start * 8, nbits, sign);
	for (size_t i = 0; i < ops.n; i++)
		vec_push(out, ops.v[i]);
	return true;
}

/* Bits of a value that is known now. */
static bool read_bytes(const struct piece *p, int64_t off, unsigned nbits, bool sign, aop_vec *out)
{
	uint64_t v = 0;
	if (off < 0 || (uint64_t)(off + nbits + 7) / 8 > p->nbytes)
		return false;
	for (unsigned i = 0; i < nbits; i++)
		v |= (uint64_t)(p->bytes[(off + i) / 8] >> (off + i) % 8 & 1) << i;
	if (sign && nbits < 64 && v >> (nbits - 1) & 1)
		v |= ~0ull << nbits;
	push_op(out, A_CONST, (int64_t)v);
	return true;
}

/* Bits of a value as registers hold them; a vector register has two halves. */
static bool read_value(const struct piece *p, int64_t off, unsigned nbits, bool sign, aop_vec *out)
{
	bool vector = p->ops.n == 1 && p->ops.v[0].kind == A_VECTOR;
	if (off < 0 || off / 64 != (off + nbits - 1) / 64 || off / 64 > vector)
		return false;
	for (size_t i = 0; i < p->ops.n; i++)
		vec_push(out, p->ops.v[i]);
	out->v[out->n - 1].a += vector ? off / 64 : 0;
	off %= 64;
	if (off == 0 && is_size(nbits))
		push_sized(out, A_EXT, nbits / 8, sign);
	else
		push_field(out, off, nbits, sign);
	if (nbits == 64)
		out->n--;
	return true;
}

struct padding {
	struct module *m;
	const struct place *place;
	int64_t at;
	bool lost;
};

/* Is some part of the member not there? */
static void see_member(const struct member *mb, const char *name, void *arg)
{
	struct padding *p = arg;
	Dwarf_Die type = mb->type;
	uint64_t size = 0, n = mb->bits;
	int64_t begin = p->at + (int64_t)mb->bit_off, at = 0;
	(void)name;
	if (!n && type_size(p->m, &type, &size))
		n = size * 8;
	for (size_t i = 0; i < p->place->pieces.n; i++) {
		const struct piece *q = &p->place->pieces.v[i];
		int64_t end = q->bits ? at + (int64_t)q->bits : INT64_MAX;
		p->lost |= (q->kind == P_NONE || q->kind == P_POINTER) && begin < end &&
			   begin + (int64_t)n > at;
		at = end;
	}
}

bool place_fill(struct module *m, struct place *place, Dwarf_Die *type, int64_t bit)
{
	struct padding p = {m, place, bit, false};
	struct place filled = {0};
	if (type_is_struct(type))
		type_members(m, type, see_member, &p);
	if (p.lost || !type_is_struct(type))
		return !p.lost;
	for (size_t i = 0; i < place->pieces.n; i++) {
		struct piece q = place->pieces.v[i];
		if (q.kind == P_NONE) {
			q.kind = P_VALUE;
			push_op(&q.ops, A_CONST, 0);
		}
		vec_push(&filled.pieces, q);
	}
	*place = filled;
	return true;
}

static bool read_piece(const struct piece *p, int64_t off, unsigned nbits, bool field, bool sign,
		       aop_vec *out)
{
	aop_vec address = {0};
	switch (p->kind) {
	case P_VALUE:
		return read_value(p, off, nbits, sign, out);
	case P_BYTES:
		return read_bytes(p, off, nbits, sign, out);
	case P_POINTER:
	case P_NONE:
		return false;
	case P_MEMORY:
		break;
	}
	if (field || off % 8 || !is_size(nbits))
		return read_memory(&p->ops, off, nbits, sign, out);
	for (size_t i = 0; i < p->ops.n; i++)
		vec_push(&address, p->ops.v[i]);
	push_add(&address, off / 8);
	push_sized(&address, A_DEREF, nbits / 8, sign);
	for (size_t i = 0; i < address.n; i++)
		vec_push(out, address.v[i]);
	return true;
}

/* Number of bits from BIT on that lie in one piece, or in one half of a vector register. */
static int64_t bits_together(const struct place *place, int64_t bit, int64_t nbits)
{
	int64_t off;
	for (int64_t n = nbits; n > 0; n--) {
		const struct piece *p = piece_at(place, bit, n, &off);
		if (p && (p->kind != P_VALUE || (off >= 0 && off / 64 == (off + n - 1) / 64)))
			return n;
	}
	return 0;
}

/* Several pieces from the lowest bits up. */
static bool read_pieces(const struct place *place, int64_t bit, unsigned nbits, bool sign,
			aop_vec *out)
{
	int64_t off, n;
	for (unsigned done = 0; done < nbits; done += (unsigned)n) {
		n = bits_together(place, bit + done, nbits - done);
		const struct piece *p = n ? piece_at(place, bit + done, n, &off) : NULL;
		if (!p || !read_piece(p, off, (unsigned)n, true, false, out))
			return false;
		if (!done)
			continue;
		push_op(out, A_CONST, done);
		push_op(out, A_SHL, 0);
		push_op(out, A_OR, 0);
	}
	if (nbits < 64 && sign)
		push_field(out, 0, nbits, true);
	return true;
}

bool place_read(const struct place *place, int64_t bit, unsigned nbits, bool field, bool sign,
		aop_vec *out)
{
	int64_t off;
	if (nbits > 64)
		return false;
	const struct piece *p = piece_at(place, bit, nbits, &off);
	size_t before = out->n;
	if (p && read_piece(p, off, nbits, field, sign, out))
		return true;
	out->n = before;
	if (read_pieces(place, bit, nbits, sign, out))
		return true;
	out->n = before;
	return false;
}
