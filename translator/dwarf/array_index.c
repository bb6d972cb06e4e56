/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indexes of arrays: from an array to one of its elements, by the bounds of its type. Lengths of
 * arrays, and of the strings of Fortran.
 *
 * A bound, and the distance of two elements, is a constant, or is computed when the handler runs:
 * from a variable or the frame (arrays of variable length of C, arguments of Fortran), or from the
 * object itself, which is a descriptor then (allocatable arrays of Fortran).
 */
#include "values.h"

/* More than any compiler needs: a descriptor in a descriptor repeats the operations that find
 * it. */
enum { MOST_OPERATIONS = 4096 };

/* A number: VALUE, or what OPS push. */
struct amount {
	bool pushed;
	int64_t value;
	aop_vec ops;
};

static void append(aop_vec *to, const aop_vec *from)
{
	for (size_t i = 0; i < from->n; i++)
		vec_push(to, from->v[i]);
}

static void push_amount(aop_vec *to, const struct amount *a)
{
	if (a->pushed)
		append(to, &a->ops);
	else
		push_op(to, A_CONST, a->value);
}

/* A = A KIND B, where KIND is one of A_ADD, A_SUB and A_MUL, or with an A that is not a constant
 * also A_DIV and A_MOD; false: it overflows, or takes too many operations. */
static bool combine(struct amount *a, enum aop_kind kind, const struct amount *b)
{
	struct amount all = {.pushed = true};
	if (!a->pushed && !b->pushed)
		return kind == A_MUL   ? !__builtin_mul_overflow(a->value, b->value, &a->value)
		       : kind == A_ADD ? !__builtin_add_overflow(a->value, b->value, &a->value)
				       : !__builtin_sub_overflow(a->value, b->value, &a->value);
	push_amount(&all.ops, a);
	push_amount(&all.ops, b);
	push_op(&all.ops, kind, 0);
	*a = all;
	return all.ops.n <= MOST_OPERATIONS;
}

/* --------------------------------------------------------------------- bounds */

/* Is the probe where the function begins, or behind its prologue, where what depends on the
 * parameters is not computed yet? */
static bool is_before_bounds(struct walk *w)
{
	w->early = w->f && !w->f->outer && (w->c.at_entry || w->c.pc == w->f->body);
	return w->early;
}

/* Do OPS read the frame of the function? */
static bool reads_frame(const Dwarf_Op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ops[i].atom == DW_OP_fbreg)
			return true;
	return false;
}

/* Is DIE a variable of the frame, which the compiler has made for a bound? */
static bool is_in_frame(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;
	return dwarf_tag(die) == DW_TAG_variable && die_location(die, DW_AT_location, &a) &&
	       dwarf_getlocation(&a, &ops, &n) == 0 && reads_frame(ops, n);
}

/* The value of MEMBER of the structure that the array is a member of. */
static bool member_value(struct walk *w, Dwarf_Die *member, aop_vec *out)
{
	struct member mb = {0};
	uint64_t size;
	if (!w->holder || !member_place(w->c.mod, member, &mb) || mb.bits ||
	    !type_peel(w->c.mod, &mb.type, &mb.type) || !type_size(w->c.mod, &mb.type, &size) ||
	    !is_load_size(size))
		return false;
	append(out, w->holder);
	push_add(out, (int64_t)(mb.bit_off / 8));
	vec_push(out, ((struct aop){.kind = A_DEREF,
				    .size = (uint8_t)size,
				    .sign = type_is_signed(&mb.type)}));
	return true;
}

/* The value of the variable or member that the attribute A refers to. */
static bool variable_value(struct walk *w, Dwarf_Attribute *a, aop_vec *out)
{
	struct place place = {0};
	Dwarf_Die die, type;
	uint64_t size;
	if (dwarf_formref_die(a, &die) && dwarf_tag(&die) == DW_TAG_member)
		return member_value(w, &die, out);
	if (!dwarf_formref_die(a, &die) || (is_in_frame(&die) && is_before_bounds(w)) ||
	    !place_of_variable(&w->c, &die, &place) || !die_type(&die, &type) ||
	    !type_peel(w->c.mod, &type, &type) || !type_size(w->c.mod, &type, &size) ||
	    !is_load_size(size))
		return false;
	return place_read(&place, 0, (unsigned)size * 8, false, type_is_signed(&type), out);
}

/* The number that the attribute A of an array's type gives; false: it is not known here. */
static bool attribute_value(struct walk *w, Dwarf_Attribute *a, struct amount *out)
{
	Dwarf_Op *ops;
	Dwarf_Die die;
	size_t n;
	*out = (struct amount){0};
	if (bound_constant(a, &out->value))
		return true;
	out->pushed = true;
	if (dwarf_formref_die(a, &die))
		return variable_value(w, a, &out->ops);
	return dwarf_getlocation(a, &ops, &n) == 0 && n &&
	       !(reads_frame(ops, n) && is_before_bounds(w)) &&
	       push_expr(&w->c, a, ops, n, &out->ops);
}

/* The same for a bound along RANGE, which is a number of the type of its indexes. */
static bool bound_value(struct walk *w, Dwarf_Die *range, Dwarf_Attribute *a, struct amount *out)
{
	Dwarf_Die type = *range;
	int size;
	if (!attribute_value(w, a, out))
		return false;
	for (int i = 0; i < 8 && dwarf_tag(&type) == DW_TAG_subrange_type; i++)
		if (!die_type(&type, &type) || !type_peel(w->c.mod, &type, &type))
			return true;
	size = dwarf_bytesize(&type);
	if (out->pushed && (size == 1 || size == 2 || size == 4))
		vec_push(&out->ops, ((struct aop){.kind = A_EXT,
						  .size = (uint8_t)size,
						  .sign = type_is_signed(&type)}));
	return true;
}

static bool lower_bound(struct walk *w, Dwarf_Die *range, struct amount *out)
{
	Dwarf_Attribute a;
	*out = (struct amount){.value = default_lower_bound(range)};
	return !range_attribute(range, DW_AT_lower_bound, &a) || bound_value(w, range, &a, out);
}

/* Make N at least 0: a length that is computed is negative for some arrays without elements. */
static void bound_count(struct amount *n)
{
	if (!n->pushed) {
		n->value = n->value > 0 ? n->value : 0;
		return;
	}
	push_op(&n->ops, A_DUP, 0);
	push_op(&n->ops, A_CONST, 0);
	push_op(&n->ops, A_GT, 0);
	push_op(&n->ops, A_MUL, 0);
}

static bool element_count(struct walk *w, Dwarf_Die *range, struct amount *out)
{
	static const struct amount one = {.value = 1};
	struct amount lower;
	Dwarf_Attribute a;
	*out = (struct amount){.value = range_count(range)};
	if (out->value >= 0)
		return true;
	if (range_attribute(range, DW_AT_count, &a))
		return attribute_value(w, &a, out);
	if (!range_attribute(range, DW_AT_upper_bound, &a) || !bound_value(w, range, &a, out) ||
	    !lower_bound(w, range, &lower) || !combine(out, A_SUB, &lower) ||
	    !combine(out, A_ADD, &one))
		return false;
	bound_count(out);
	return true;
}

/* The distance of two elements that DIE, a dimension or an array, gives in bytes or bits. *THERE:
 * it gives one. */
static bool given_stride(struct walk *w, Dwarf_Die *die, struct amount *out, bool *there)
{
	Dwarf_Attribute a;
	*there = true;
	if (dwarf_attr(die, DW_AT_byte_stride, &a))
		return attribute_value(w, &a, out);
	*there = dwarf_attr(die, DW_AT_bit_stride, &a);
	if (!*there)
		return true;
	if (!attribute_value(w, &a, out) || out->pushed || out->value % 8)
		return false;
	out->value /= 8;
	return true;
}

/* The distance of two elements along dimension K of N. */
static bool stride_along(struct walk *w, Dwarf_Die *ranges, int n, int k, struct amount *out)
{
	bool there, columns = array_is_column_major(&w->type);
	Dwarf_Die elem;
	uint64_t size;
	if (k < n && !given_stride(w, &ranges[k], out, &there))
		return false;
	if (k < n && there)
		return true;
	if (!given_stride(w, &w->type, out, &there))
		return false;
	if (!there) {
		if (!die_type(&w->type, &elem) || !type_size(w->c.mod, &elem, &size) ||
		    size > INT64_MAX)
			return false;
		*out = (struct amount){.value = (int64_t)size};
	}
	for (int i = columns ? 0 : k + 1; i < (columns ? k : n); i++) {
		struct amount count;
		if (!element_count(w, &ranges[i], &count) || !combine(out, A_MUL, &count))
			return false;
	}
	return true;
}

/* --------------------------------------------------------------------- indexes */

bool array_enter(struct walk *w, struct loc loc)
{
	aop_vec address, to = {0}, *object;
	struct amount data;
	Dwarf_Attribute a;
	/* GNAT's expressions without this count from another object */
	if (w->dim || w->c.object || !dwarf_attr(&w->type, DW_AT_data_location, &a))
		return true;
	if (!walk_address(w, loc, &address))
		return false;
	object = xalloc(sizeof *object);
	*object = address;
	w->c.object = object;
	if (!attribute_value(w, &a, &data))
		return walk_fail(
			w, E_BAD_ACCESS, loc, NULL,
			xprintf("where the elements of %s are is not known here", w->text));
	push_amount(&to, &data);
	walk_set_memory(w, &to);
	return true;
}

bool array_unconstrained(struct walk *w)
{
	aop_vec *object, data;
	Dwarf_Die to;
	struct member elements, bounds;
	if (w->is_void || w->stars || w->dim || !type_is_struct(&w->type) || !walk_in_memory(w) ||
	    type_member(w->c.mod, &w->type, "P_ARRAY", &elements) != MEMBER_FOUND ||
	    type_member(w->c.mod, &w->type, "P_BOUNDS", &bounds) != MEMBER_FOUND ||
	    !type_peel(w->c.mod, &elements.type, &to) || !type_is_pointer(&to) ||
	    !die_type(&to, &to) || !type_peel(w->c.mod, &to, &to) ||
	    dwarf_tag(&to) != DW_TAG_array_type)
		return false;
	object = xalloc(sizeof *object);
	if (!walk_address(w, w->node->loc, object))
		return false;
	data = (aop_vec){0};
	append(&data, object);
	push_add(&data, (int64_t)(elements.bit_off / 8));
	vec_push(&data, ((struct aop){.kind = A_DEREF, .size = 8}));
	walk_set_memory(w, &data);
	walk_set_type(w, &to);
	w->c.object = object;
	return true;
}

static bool bad_index(struct walk *w, const struct target_comp *comp, const char *type)
{
	return !w->err->msg &&
	       walk_fail(w, E_BAD_ACCESS, comp->loc,
			 w->early ? "bounds that depend on parameters are computed behind the "
				    "entry: use a .statement() on a later line"
				  : NULL,
			 xprintf("%s cannot be indexed: the size of its elements is not known",
				 type));
}

/* Step from the first of a row of objects, whose index is LOWER, to that of the index COMP. */
static bool step(struct walk *w, const struct target_comp *comp, const struct amount *lower,
		 const struct amount *stride)
{
	struct amount index = {.pushed = comp->index->kind != N_NUM};
	int64_t bits;
	aop_vec ops;
	if (!index.pushed)
		index.value = comp->index->num;
	else
		push_op(&index.ops, A_INDEX, w->nindex++);
	if ((lower->pushed || lower->value) && !combine(&index, A_SUB, lower))
		return false;
	if ((stride->pushed || stride->value != 1) && !combine(&index, A_MUL, stride))
		return false;
	if (!index.pushed)
		return !__builtin_mul_overflow(index.value, 8, &bits) &&
		       !__builtin_add_overflow(w->bit_off, bits, &w->bit_off);
	if (!walk_address(w, comp->loc, &ops))
		return false;
	append(&ops, &index.ops);
	push_op(&ops, A_ADD, 0);
	walk_set_memory(w, &ops);
	return ops.n <= MOST_OPERATIONS;
}

bool walk_index(struct walk *w, const struct target_comp *comp, uint64_t size)
{
	static const struct amount first;
	struct amount stride = {.value = (int64_t)size};
	const char *what = w->text;
	return (size <= INT64_MAX && step(w, comp, &first, &stride)) || bad_index(w, comp, what);
}

/* The type of what one index of an array leads to. */
static void set_element_type(struct walk *w, int n)
{
	Dwarf_Die elem;
	if (++w->dim < n)
		w->text = array_text(&w->type, w->dim);
	else
		walk_set_type(w, die_type(&w->type, &elem) ? &elem : NULL);
}

bool array_element(struct walk *w, const struct target_comp *comp)
{
	Dwarf_Die ranges[ARRAY_DIMS];
	int n = array_ranges(&w->type, ranges, ARRAY_DIMS);
	struct amount lower = {0}, stride;
	const char *what = w->text;
	if (!array_enter(w, comp->loc))
		return false;
	if ((w->dim < n && !lower_bound(w, &ranges[w->dim], &lower)) ||
	    !stride_along(w, ranges, n, w->dim, &stride) || !step(w, comp, &lower, &stride))
		return bad_index(w, comp, what);
	set_element_type(w, n);
	return true;
}

/* The size of the object, in bytes: of an array it may be known at run time only. */
static bool object_size(struct walk *w, struct amount *out)
{
	Dwarf_Die ranges[ARRAY_DIMS], elem;
	uint64_t size;
	int n;
	if (walk_size(w, &size)) {
		*out = (struct amount){.value = (int64_t)size};
		return size <= INT64_MAX;
	}
	if (w->stars || w->is_void || dwarf_tag(&w->type) != DW_TAG_array_type || w->dim ||
	    !array_is_plain(&w->type) || !die_type(&w->type, &elem) ||
	    !type_size(w->c.mod, &elem, &size) || size > INT64_MAX)
		return false;
	*out = (struct amount){.value = (int64_t)size};
	n = array_ranges(&w->type, ranges, ARRAY_DIMS);
	for (int i = 0; i < n; i++) {
		struct amount count;
		if (!element_count(w, &ranges[i], &count) || !combine(out, A_MUL, &count))
			return false;
	}
	return n > 0;
}

bool pointed_element(struct walk *w, const struct target_comp *comp, const char *pointer)
{
	static const struct amount first;
	struct amount size;
	return (object_size(w, &size) && step(w, comp, &first, &size)) ||
	       bad_index(w, comp, pointer);
}

/* ---------------------------------------------------------------- whole arrays */

bool array_length(struct walk *w, aop_vec *out)
{
	Dwarf_Die ranges[ARRAY_DIMS];
	int n = array_ranges(&w->type, ranges, ARRAY_DIMS);
	struct amount count;
	if (w->dim >= n || !array_enter(w, w->node->loc) ||
	    !element_count(w, &ranges[w->dim], &count))
		return false;
	push_amount(out, &count);
	return true;
}

/* 1, or 0 for an allocatable array or pointer of Fortran that has no elements now. */
static bool is_allocated(struct walk *w, struct amount *out)
{
	static const struct amount zero;
	Dwarf_Attribute a;
	*out = (struct amount){.value = 1};
	if (!dwarf_attr(&w->type, DW_AT_allocated, &a) &&
	    !dwarf_attr(&w->type, DW_AT_associated, &a))
		return true;
	if (!attribute_value(w, &a, out) || !out->pushed)
		return false;
	push_amount(&out->ops, &zero);
	push_op(&out->ops, A_NE, 0);
	return true;
}

/* The number of all elements of an array of N dimensions. */
static bool count_all(struct walk *w, Dwarf_Die *ranges, int n, struct amount *count)
{
	if (!is_allocated(w, count))
		return false;
	for (int i = 0; i < n; i++) {
		struct amount one;
		if (!element_count(w, &ranges[i], &one) || !combine(count, A_MUL, &one))
			return false;
	}
	return true;
}

/* The number of all elements of an array, and their distance; false: they are not in one row. */
static bool measure_row(struct walk *w, struct amount *count, struct amount *stride)
{
	Dwarf_Die ranges[ARRAY_DIMS];
	int n = array_ranges(&w->type, ranges, ARRAY_DIMS);
	bool dense = array_is_dense(&w->type);
	if (!n || (n > 1 && !dense) || !count_all(w, ranges, n, count))
		return false;
	return stride_along(w, ranges, n, array_is_column_major(&w->type) ? 0 : n - 1, stride);
}

bool array_row(struct walk *w, aop_vec *out)
{
	struct amount count, stride;
	aop_vec row;
	if (w->dim || !array_enter(w, w->node->loc) || !walk_in_memory(w) ||
	    !measure_row(w, &count, &stride) || !walk_address(w, w->node->loc, &row))
		return false;
	push_amount(&row, &count);
	push_amount(&row, &stride);
	*out = row;
	return true;
}

/* --------------------------------------------------------- arrays in other objects */

/* The address of element INDEX of N dimensions, whose RANGES are given: that of the first element,
 * and for each dimension, the one that changes fastest first, the distance of its elements times
 * the index along it. */
static bool element_address(struct walk *w, Dwarf_Die *ranges, int n, struct amount *address)
{
	struct amount before = {.value = 1}, index, count, stride;
	bool columns = array_is_column_major(&w->type);
	address->pushed = true;
	if (!walk_address(w, w->node->loc, &address->ops))
		return false;
	for (int i = 0; i < n; i++) {
		int k = columns ? i : n - 1 - i;
		index = (struct amount){.pushed = true};
		push_op(&index.ops, A_INDEX, OPERAND_INDEX);
		if (!element_count(w, &ranges[k], &count) ||
		    !stride_along(w, ranges, n, k, &stride) ||
		    (i && !combine(&index, A_DIV, &before)) ||
		    (i < n - 1 && !combine(&index, A_MOD, &count)) ||
		    !combine(&index, A_MUL, &stride) || !combine(address, A_ADD, &index) ||
		    !combine(&before, A_MUL, &count))
			return false;
	}
	return true;
}

bool array_has_member_bounds(Dwarf_Die *array)
{
	Dwarf_Die ranges[ARRAY_DIMS];
	int n = array_ranges(array, ranges, ARRAY_DIMS);
	static const unsigned bounds[] = {DW_AT_lower_bound, DW_AT_upper_bound, DW_AT_count};
	Dwarf_Attribute a;
	Dwarf_Die die;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 3; k++)
			if (range_attribute(&ranges[i], bounds[k], &a) &&
			    dwarf_formref_die(&a, &die) && dwarf_tag(&die) == DW_TAG_member)
				return true;
	return false;
}

bool array_elements(struct module *m, Dwarf_Die *array, const int64_t *member_at, aop_vec *count,
		    aop_vec *address)
{
	static const struct node nowhere;
	struct var_error err = {0};
	struct walk w = {.c = {.mod = m}, .node = &nowhere, .err = &err};
	struct amount n, at = {0};
	Dwarf_Die ranges[ARRAY_DIMS];
	int dims = array_ranges(array, ranges, ARRAY_DIMS);
	aop_vec self = {0}, holder = {0};
	push_op(&self, A_INDEX, OPERAND_SELF);
	walk_set_type(&w, array);
	walk_set_memory(&w, &self);
	if (member_at) {
		append(&holder, &self);
		push_add(&holder, -*member_at);
		w.holder = &holder;
	}
	if (!dims ||
	    !(dwarf_hasattr(array, DW_AT_data_location) || array_has_member_bounds(array)) ||
	    !array_enter(&w, nowhere.loc) || !count_all(&w, ranges, dims, &n) ||
	    !element_address(&w, ranges, dims, &at))
		return false;
	push_amount(count, &n);
	push_amount(address, &at);
	return true;
}

/* ---------------------------------------------------------------------- strings */

/* The length of a string of Fortran, by its type: a constant, a variable, or a number in memory. */
static bool string_size(struct walk *w, struct amount *out)
{
	Dwarf_Attribute a, unit;
	int64_t size = 8;
	bool elsewhere = dwarf_attr(&w->type, DW_AT_string_length, &a) &&
			 dwarf_whatform(&a) == DW_FORM_exprloc;
	if (!dwarf_hasattr(&w->type, DW_AT_string_length)) {
		*out = (struct amount){.value = dwarf_bytesize(&w->type)};
		return out->value >= 0;
	}
	if (!attribute_value(w, &a, out))
		return false;
	if (!elsewhere)
		return true;
	if ((dwarf_attr(&w->type, DW_AT_string_length_byte_size, &unit) ||
	     dwarf_attr(&w->type, DW_AT_byte_size, &unit)) &&
	    !bound_constant(&unit, &size))
		return false;
	if (size < 0 || !is_load_size((uint64_t)size))
		return false;
	vec_push(&out->ops, ((struct aop){.kind = A_DEREF, .size = (uint8_t)size}));
	return true;
}

bool string_length(struct walk *w, aop_vec *out)
{
	struct amount n;
	if (!array_enter(w, w->node->loc) || !string_size(w, &n))
		return false;
	push_amount(out, &n);
	return true;
}

bool string_row(struct walk *w, aop_vec *out)
{
	struct amount n;
	aop_vec row;
	if (!array_enter(w, w->node->loc) || !walk_in_memory(w) || !string_size(w, &n) ||
	    !walk_address(w, w->node->loc, &row))
		return false;
	push_amount(&row, &n);
	*out = row;
	return true;
}
