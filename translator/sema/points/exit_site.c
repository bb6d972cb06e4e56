/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exit sites: return probes armed at the return instructions of functions whose return address must
 * not be replaced (dwarf/returns.c).
 *
 * Go copies a goroutine's stack when it grows and looks at the return addresses on it, so none is
 * replaced.  Values that a return probe saves at entry (entry_values.c) are kept in hidden arrays
 * instead of beside the return address.  Their key is the process, the goroutine, and the distance
 * of the return address from the end of the goroutine's stack, which stays the same when the stack
 * is copied and when another thread goes on with the goroutine. Elsewhere it is the process, the
 * thread and the stack pointer.
 */
#include <string.h>
#include "arch/arch.h"
#include "sema/builtin.h"
#include "point.h"
#include "session.h"

/* Calls that may be pending at a time; the oldest makes room, as panics leave entries behind. */
enum { MOST_PENDING = 16384, NKEYS = 3 };
enum { STACK_END = 8 }; /* where a goroutine keeps the end of its stack: runtime.g.stack.hi */

struct pairing {
	struct probe *p, *entry;
	enum return_way way;
	struct node **end;
	struct symmap *arrays, *locals;
	size_t n;
};

/* --------------------------------------------------------------------- keys */

static struct node *given(const char *name, const struct access *access, access_vec *accesses,
			  struct loc loc)
{
	struct node *n = node_new(N_TARGET, loc);

	n->target.start = TS_GIVEN;
	n->target.name = name;
	n->target.given = access;
	n->target.access = -1;
	target_set_access(n, target_add_access(accesses, access));
	return n;
}

static const struct access *word(const struct aop *ops, size_t n)
{
	struct access *a = xalloc(sizeof *a);

	*a = (struct access){
		.ops = xalloc(n * sizeof *ops), .nops = n, .ctype = "unsigned long", .size = 8};
	memcpy(a->ops, ops, n * sizeof *ops);
	return a;
}

static const struct access *register_word(int reg)
{
	return word(&(struct aop){.kind = A_REG, .a = reg}, 1);
}

static const struct access *depth(void)
{
	const struct aop ops[] = {{.kind = A_REG, .a = arch_target()->go_current},
				  {.kind = A_CONST, .a = STACK_END},
				  {.kind = A_ADD},
				  {.kind = A_DEREF, .size = 8},
				  {.kind = A_REG, .a = arch_target()->sp_reg},
				  {.kind = A_SUB}};

	return word(ops, ARRAY_LEN(ops));
}

/* The same for a stack pointer at a return address and for the one after the return: callers align
 * the end of the address to 16 bytes. */
static const struct access *call_slot(void)
{
	const struct aop ops[] = {{.kind = A_REG, .a = arch_target()->sp_reg},
				  {.kind = A_CONST, .a = 1},
				  {.kind = A_SUB},
				  {.kind = A_CONST, .a = 4},
				  {.kind = A_SHR}};

	return word(ops, ARRAY_LEN(ops));
}

static struct node *call(const char *name, struct loc loc)
{
	struct node *n = node_new(N_CALL, loc);

	n->call.name = name;
	n->call.trusted = true;
	n->call.builtin = builtin_find(name);
	return n;
}

static struct node *keys(const struct pairing *pr, struct probe *p)
{
	struct node *pid = call("pid", p->loc);

	if (pr->way == RETURN_AT_EXITS) {
		pid->next = call("tid", p->loc);
		pid->next->next = given("stack pointer", call_slot(), &p->accesses, p->loc);
	} else {
		pid->next = given("goroutine", register_word(arch_target()->go_current),
				  &p->accesses, p->loc);
		pid->next->next = given("stack depth", depth(), &p->accesses, p->loc);
	}
	return pid;
}

/* -------------------------------------------------------------------- nodes */

static struct symbol *new_array(struct session *s, const struct symbol *saved)
{
	struct symbol *sym = xalloc(sizeof *sym);

	sym->name = saved->name;
	sym->kind = SYM_GLOBAL;
	sym->loc = saved->loc;
	sym->nkeys = NKEYS;
	sym->keys = xalloc(NKEYS * sizeof *sym->keys);
	sym->key_locs = xalloc(NKEYS * sizeof *sym->key_locs);
	sym->maxsize = MOST_PENDING;
	sym->wrap = sym->read = sym->written = sym->is_private = true;
	vec_push(&s->program.globals, sym);
	return sym;
}

static struct symbol *new_local(struct probe *p, const char *name)
{
	struct symbol *sym = xalloc(sizeof *sym);

	sym->name = name;
	sym->kind = SYM_LOCAL;
	sym->loc = p->loc;
	sym->read = sym->written = true;
	vec_push(&p->locals, sym);
	return sym;
}

static struct node *variable(struct symbol *sym, struct loc loc)
{
	struct node *n = node_new(N_VAR, loc);

	n->var.name = sym->name;
	n->sym = sym;
	return n;
}

static struct node *element(const struct pairing *pr, struct symbol *array, struct probe *p)
{
	struct node *n = node_new(N_INDEX, p->loc);

	n->index.name = array->name;
	n->index.keys = keys(pr, p);
	n->sym = array;
	return n;
}

static void add(struct pairing *pr, struct node *statement)
{
	*pr->end = statement;
	pr->end = &statement->next;
}

static void add_set(struct pairing *pr, struct symbol *local, struct node *value)
{
	struct node *set = node_new(N_ASSIGN, pr->p->loc), *n = node_new(N_EXPR, pr->p->loc);

	set->bin.op = OP_SET;
	set->bin.l = variable(local, pr->p->loc);
	set->bin.r = value;
	n->expr.e = set;
	add(pr, n);
}

static void add_delete(struct pairing *pr, struct symbol *array)
{
	struct node *n = node_new(N_DELETE, pr->p->loc);

	n->expr.e = element(pr, array, pr->p);
	add(pr, n);
}

static struct node *is_pending(const struct pairing *pr, struct symbol *array, struct probe *p)
{
	struct node *n = node_new(N_IN, p->loc);

	n->in.keys = keys(pr, p);
	n->in.array = array->name;
	n->sym = array;
	return n;
}

/* A return whose entry was not seen is not the script's: the call was there before the probe. */
static void add_test(struct pairing *pr, struct symbol *seen)
{
	struct node *test = node_new(N_IF, pr->p->loc), *no = node_new(N_UNARY, pr->p->loc);

	no->un.op = OP_NOT;
	no->un.e = variable(seen, pr->p->loc);
	test->cond.c = no;
	test->cond.t = node_new(N_NEXT, pr->p->loc);
	test->cond.t->next_stmt.refused = true;
	add(pr, test);
}

/* ------------------------------------------------------------------ the two */

static struct symbol *counterpart(const struct symmap *map, size_t n, const struct symbol *saved)
{
	for (size_t i = 0; i < n; i++)
		if (map[i].from == saved)
			return map[i].to;
	return NULL;
}

/* The symbol in TO that replaces the saved variable N; NULL if N is another node. */
static struct symbol *stand_in(const struct pairing *pr, const struct symmap *to,
			       const struct node *n)
{
	bool saved = n->kind == N_VAR && n->sym && n->sym->kind == SYM_SAVED;

	return saved ? counterpart(to, pr->n, n->sym) : NULL;
}

static void replace_stored(struct node *n, void *arg)
{
	struct pairing *pr = arg;
	struct node *next = n->next;
	struct symbol *array = stand_in(pr, pr->arrays, n);

	if (!array)
		return;
	*n = *element(pr, array, pr->entry);
	n->next = next;
}

static void replace_read(struct node *n, void *arg)
{
	struct pairing *pr = arg;
	struct symbol *local = stand_in(pr, pr->locals, n);

	if (!local)
		return;
	n->sym = local;
	n->var.name = local->name;
}

/* seen = [key] in first; value = first[key]; delete first[key]; ... if (!seen) next; BODY */
static void fetch(struct pairing *pr)
{
	struct symbol *seen = new_local(pr->p, "@entry");
	struct node *block = node_new(N_BLOCK, pr->p->body->loc);

	pr->end = &block->block.body;
	add_set(pr, seen, is_pending(pr, pr->arrays[0].to, pr->p));
	for (size_t i = 0; i < pr->n; i++) {
		add_set(pr, pr->locals[i].to, element(pr, pr->arrays[i].to, pr->p));
		add_delete(pr, pr->arrays[i].to);
	}
	add_test(pr, seen);
	add(pr, pr->p->body);
	pr->p->body = block;
}

void exit_pair(struct session *s, struct probe *p, enum return_way way)
{
	struct pairing pr = {.p = p, .entry = p->entry, .way = way, .n = p->entry ? p->saved.n : 0};

	p->exit_entry = p->entry;
	p->entry = NULL;
	if (!pr.n)
		return;
	pr.arrays = xalloc(pr.n * sizeof *pr.arrays);
	pr.locals = xalloc(pr.n * sizeof *pr.locals);
	for (size_t i = 0; i < pr.n; i++) {
		pr.arrays[i] = (struct symmap){p->saved.v[i], new_array(s, p->saved.v[i])};
		pr.locals[i] = (struct symmap){p->saved.v[i], new_local(p, p->saved.v[i]->name)};
	}
	node_walk(pr.entry->body, NULL, replace_stored, &pr);
	node_walk(p->body, NULL, replace_read, &pr);
	fetch(&pr);
	pr.entry->sets_saved = false;
	pr.entry->saved.n = p->saved.n = 0;
}

/* Does the code of F keep the goroutine in its register?  Assembly code need not. */
static bool knows_goroutine(const struct function *f)
{
	size_t n = f->file ? strlen(f->file) : 0, len = f->linkage ? strlen(f->linkage) : 0;

	if (!f->die)
		return f->resumes;
	return !(n > 2 && !strcmp(f->file + n - 2, ".s")) &&
	       !(len > 5 && !strcmp(f->linkage + len - 5, ".abi0"));
}

void exit_report(const struct point *pt, bool is_wild, const struct function *f, const char *why,
		 bool quiet)
{
	static ARENA_STATE struct smap said;
	const char *key = xprintf("%p", (const void *)pt);

	if (quiet || smap_get(&said, key))
		return;
	if (!is_wild) {
		diag_error(E_UNSUPPORTED, pt->loc, "the return of \"%s\" cannot be probed",
			   f->name);
		diag_hint("%s", why);
		return;
	}
	smap_put(&said, key, (void *)key);
	diag_warn(W_REFUSED, pt->loc,
		  "functions whose return cannot be probed are left out; the first is \"%s\": %s",
		  f->name, why);
}

const char *exit_refusal(const struct function *f, const struct probe *p)
{
	if (!p || !p->entry)
		return NULL;
	if (!function_is_go(f))
		return function_stack_moves(f) ? "saved entry values are found by the address of "
						 "the stack, which OCaml 5 moves"
					       : NULL;
	if (!knows_goroutine(f))
		return "saved entry values are found by goroutine, which is not known in assembly "
		       "code";
	return p->entry->accesses.n && !f->go_abi
		       ? "the debug information does not say where its parameters are at entry"
		       : NULL;
}
