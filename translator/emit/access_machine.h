/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses as C: the stack machine of struct access, run on C expressions. */
#ifndef USTAP_ACCESS_MACHINE_H
#define USTAP_ACCESS_MACHINE_H

#include "emit.h"

struct slot {
	struct ctext c;
	bool atom, is_signed;
};

/* Memory that a handler touches before it takes its locks. */
struct touches {
	struct emit *e;
	struct smap done;
	int nptrs;
};

/* Cases by caller of the function: the names of the return address and of the value, and the
 * values loaded before. */
struct callers {
	struct ctext ret, value;
	size_t loads;
	enum { NO_CASE, LABELS, BODY } state;
};
/* A choice: the name of its value, and what was loaded before.  Where memory is only touched, which
 * never fails, both branches are: the condition, the value of the first. */
struct choice {
	struct ctext value, cond, first;
	size_t loads;
};

struct machine {
	struct emit *e;
	const struct node *n;
	const struct val *index; /* values of the index expressions */
	struct module *base;     /* see struct access */
	bool in_kernel;
	bool indexed;            /* an index was used: its value may change */
	struct touches *touches; /* memory is touched, not read */
	VEC(struct callers) callers;
	VEC(struct choice) choices;
	VEC(struct slot) st;
};

/* Run one operation; the LAST reads what nothing else needs. */
void machine_step(struct machine *m, const struct aop *op, bool last);
/* Run all operations of A; the value on top. */
struct slot machine_run(struct machine *m, const struct access *a);
/* The remaining operations, as initialisers of an array. */
struct ctext machine_words(struct machine *m, const struct access *a);
/* Remove and return the top of the stack; "0" if it is empty, as after an error. */
struct slot machine_pop(struct machine *m);
/* A slot as an unsigned operand. */
struct ctext slot_unsigned(const struct slot *s);

#endif
