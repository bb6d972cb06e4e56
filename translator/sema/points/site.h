/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probe sites: the addresses that probe points stand for. */
#ifndef SITE_H
#define SITE_H

#include "dwarf/module.h"
#include "parse/script.h"

struct probe_decl;
struct probe_kind;
struct probe;
struct session;

/* A further name of a site: the probe point that named it, and its text as for pp(). */
typedef VEC(struct site_name {
	const struct point *pt;
	const char *pp;
}) site_name_vec;
struct site_names {
	site_name_vec v;
};

/* Data of a hardware breakpoint: bytes at an address of the module or, if absolute, of the
 * process; writes, or reads as well. */
struct watch {
	unsigned length; /* 1, 2, 4 or 8; 0: the site is not a hardware breakpoint */
	bool reads, absolute;
};

struct site {
	struct module *mod;
	uint64_t addr, offset; /* module address, file offset */
	/* the probed address: addr, unless a cheaper instruction gives the same values; site.c */
	uint64_t pc;
	/* why pc; why addr, by what it costs; for --explain */
	const char *why, *cost;
	/* of the kernel: the symbol that is probed instead of an address, or NULL */
	const char *symbol;
	bool any;      /* a wildcard means it among others */
	bool optional; /* its point is marked ? or ! */
	/* why the runtime cannot have a probe there; NULL: it can */
	const char *refused;
	/* of the kernel, a function of which it may have a copy only */
	bool named;
	/* returns of it that can be awaited at a time; 0: as many as is usual */
	int64_t maxactive;
	struct watch watch;
	bool is_return;
	/* it is at a return instruction: return addresses are not replaced */
	bool at_exit;
	/* counts its users: module address, file offset; 0: none */
	uint64_t semaphore, sem_offset;
	const struct function *f;
	const struct mark *mark; /* for listings; mark may be NULL */
	const struct point *pt;  /* for --explain: whose site */
	const char *func;        /* ppfunc() */
	const char *pp;          /* pp() */
	struct site_names *also; /* further names of it; NULL: none */
};

/* site.c: the cheapest places for all sites of the program, once they are known. */
void choose_sites(struct session *s);
/* site_refusal.c: report the sites that the kernel refuses, and leave them out. */
void drop_refused_sites(struct session *s);

/* A function of an unwinder: see struct ust_unwinder. */
struct unwinder {
	struct module *mod;
	uint64_t offset; /* in the file */
	bool installs;
};
typedef VEC(struct unwinder) unwinder_vec;
struct program;
/* unwinders.c: append the functions of the unwinders that programs may use whose return addresses P
 * replaces. */
void unwinders_find(const struct program *p, unwinder_vec *out);
/* Does F, by its name, read the return addresses of its callers, its own first? */
bool function_unwinds(const struct function *f);

/* One place to be probed, as a family has found it. */
struct spot {
	const struct function *f; /* whose variables are seen there */
	uint64_t addr;            /* module address of the instruction */
	const struct mark *mark;  /* its arguments are variables, too; or NULL */
	const char *pp;           /* pp() */
	const char *why;          /* this instruction, for --explain */
	/* of the kernel, which resolves it; NULL: the module's own */
	const char *symbol;
	bool any, named;      /* see struct site */
	uint64_t offset;      /* of what has a symbol: struct ust_site's */
	const text_vec *also; /* further names, as pp; NULL: none */
	struct watch watch;
};
/* shared_probe.c: resolve the $variables of DECL's body at SPOT and add a site to a probe of DECL
 * whose accesses are equal, or to a new one. */
bool target_add_spot(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		     const struct point *pt, const struct spot *spot, bool quiet);
/* Prefix of probe points in M: process("PATH"), kernel. */
const char *point_of_module(struct module *m);
/* The same where F is entered or, by K, returns. */
bool target_add_site(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		     const struct point *pt, const struct function *f, bool quiet);

/* site_name.c: the site that a probe declaration has for one address of one function, or for one
 * symbol of the kernel. */
struct site_key {
	const struct probe_decl *decl;
	const struct probe_kind *kind;
	const struct site *site;
	int64_t pid;
};
/* NULL if the declaration has no site there. */
struct site *site_of_key(const struct site_key *key);
/* The site at INDEX of P is the one of KEY from now on. */
void site_set_key(const struct site_key *key, struct probe *p, size_t index);
/* SITE is named PP by PT, too; a name that it has is not added. */
void site_add_name(struct site *site, const struct point *pt, const char *pp);

/* site_text.c: PT for the function F alone, and by NAME, another name of F. */
const char *site_text(const struct point *pt, const struct function *f);
/* The probe point of F as pp() gives it, with NAME for the function's name. In the arena, equal
 * texts shared. */
const char *site_text_named(const struct point *pt, const struct function *f, const char *name);

const char *site_instruction(const struct site *site); /* as an assembler would have it */
bool site_is_breakpoint(const struct site *site);      /* int3, brk: of the program itself */

#endif
