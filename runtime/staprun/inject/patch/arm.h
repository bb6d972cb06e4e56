/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One mapped file armed: areas for trampolines, text written, hooks, records of what was done. */
#ifndef USTAP_INJECT_PATCH_ARM_H
#define USTAP_INJECT_PATCH_ARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inject/arch/regs.h"
#include "inject/patch/patch.h"
#include "wire_agent.h"
#include "wire_process.h"

struct file;
struct injector;
struct mapping;
struct maps;
struct process;
struct tracee;

/* ------------------------------------------------------------------- hook.c */

/* True if M belongs to a file with hooks: the dynamic linker, which is mapped at LINKER (0: none),
 * the C library, or a static program, whose entry point is ENTRY. */
bool hooks_in(const struct maps *maps, const struct mapping *m, uint64_t linker, uint64_t entry);
/* Add the hooks of F. */
void hooks_add(const struct injector *in, struct file *f);

/* ------------------------------------------------------------------- area.c */

/* Memory of trampolines in one process, for the code mapped at TEXT. */
struct area {
	uint64_t start, size, text;
	uint32_t extent; /* its number in ust_process */
	bool records;    /* it contains the records of the file */
};

/* An area being filled; the process is not changed before area_commit(). */
struct area_plan {
	uint64_t start, limit, used; /* address, size, bytes used */
	uint8_t *bytes;
	bool returns;      /* some return probe uses it */
	uint64_t reserved; /* bytes at its end that no trampoline may use */
	uint64_t records;  /* address of struct ust_record, NRECORDS of them */
	uint32_t nrecords;
};

/* Reserve SIZE bytes near NEAR within [LO, HI], recorded in M. False if there is no room. */
bool area_begin(struct area_plan *a, struct maps *m, const struct ust_layout *layout, uint64_t lo,
		uint64_t hi, uint64_t near, uint64_t size);
/* Address for the next trampoline, after its point; at least MIN. The caller checks that it
 * fits. */
uint64_t area_next(const struct area_plan *a, uint64_t min);
/* Room for N records after the trampolines of A, which has reserved it and is not committed yet. */
struct ust_record *records_place(struct area_plan *a, size_t n);
/* True if another trampoline at the address AT fits into the area. */
bool area_fits(const struct area_plan *a, uint64_t at);
/* Use the space for P's trampoline. */
void area_take(struct area_plan *a, const struct patch *p);
/* Map and write the area, for the code mapped at TEXT. Returns 0 or errno. */
int area_commit(const struct injector *in, struct process *p, struct tracee *t,
		const struct area_plan *a, uint64_t text);
/* The code at TEXT was unmapped: unmap its areas in which no thread runs. */
void areas_drop(const struct injector *in, struct process *p, struct tracee *t, uint64_t text);
/* Free the planned bytes; the area in the process stays. */
void area_free(struct area_plan *a);

/* ------------------------------------------------------------- text_write.c */

/* Patches of one mapped file, sorted by address; forked children share them. */
struct patches {
	unsigned refs;
	size_t n;
	struct patch v[];
};
/* Drop a reference, which frees V with the last one; NULL is allowed. */
void patches_put(struct patches *v);
/* The patch whose code contains ADDR, or NULL. */
const struct patch *patches_at(const struct patches *v, uint64_t addr);

/* Write the new code of all patches, or the old code; returns the number of those not changed
 * because they hold other bytes. */
size_t text_arm(const struct tracee *t, const struct patches *v);
/* Sites whose patch was overwritten since it was written: their number, the address of the first.
 */
struct overwritten {
	size_t n;
	uint64_t first;
};
/* Write back the original bytes of V in the stopped process T, and add the sites that hold neither
 * their patch nor these to O. Returns the number of sites that could not be written; those that the
 * kernel's uprobes have overwritten can be. */
size_t text_restore(const struct tracee *t, const struct patches *v, struct overwritten *o);
/* True if one of the patches is in place, whatever is mapped there. */
bool text_holds_any(const struct tracee *t, const struct patches *v);
/* Check by samples that the patches are in place and the code was not mapped anew. */
bool text_is_armed(const struct tracee *t, const struct patches *v);
/* True if a sample of V's sites holds the original bytes: the code was mapped again, or restored.
 */
bool text_is_original(const struct tracee *t, const struct patches *v);
/* True if a thread of T that sleeps, so it cannot be moved, continues within a patch of V. */
bool text_holds_sleeper(const struct tracee *t, const struct patches *v);
/* Move threads out of code that is replaced, including the return addresses of signal frames. */
void text_move_threads(struct tracee *t, const struct patches *v);

/* --------------------------------------------------------------- arm_plan.c */

/* The virtual address in F of the code mapped at M. */
uint64_t arm_text_addr(const struct file *f, const struct mapping *m);
/* Find branches and functions in the code of F, mapped at M; once for all processes. */
void arm_examine_file(struct file *f, const struct mapping *m);

/* -------------------------------------------------------------------- arm.c */

/* A file that is mapped in a process and patched there. */
struct loaded {
	const struct file *file;
	uint64_t start, end, offset; /* of the mapping of its code */
	struct patches *patches;
	bool counted; /* its semaphores are incremented */
};

/* Patch F, mapped at M, by the plan made ahead if that still applies. Sites that cannot be patched
 * are reported once. If T is running, only plan: nothing is reported. */
void arm_file(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
	      const struct mapping *m, struct file *f);

/* Reserve the address ranges of P's plans in MAPS, its mappings now. Plans whose ranges are in use
 * are discarded. */
void plans_enter(struct process *p, struct maps *maps);
/* True if a plan of P has a breakpoint. */
bool plans_trap(const struct process *p);
/* Discard all plans of P except those of hooked system calls. */
void plans_drop_files(struct process *p);
/* Use no more plans of P. They are freed by plans_free(), which takes longer, when P runs again. */
void plans_retire(struct process *p);
void plans_free(struct process *p);

/* ------------------------------------------------------------- module_map.c */

/* True if the script unwinds stacks, and P's mappings differ from the list that it was given. */
bool module_map_changed(const struct injector *in, const struct process *p,
			const struct maps *maps);
/* Write the list of mappings to the process. */
void module_map_write(const struct injector *in, struct process *p, struct tracee *t,
		      const struct maps *maps);

/* ---------------------------------------------------------------- returns.c */

/* True if ADDR is in an area of trampolines of P. */
bool areas_hold(const struct process *p, uint64_t addr);

struct returns {
	bool seen;          /* some were found */
	size_t stale;       /* number of those whose stack slot has another value */
	struct ust_slot *v; /* copy of the table */
	bool *read;         /* chunks of it that were read; the others are unused */
};
/* Restore stack slots that hold addresses of trampolines. */
void returns_give_back(struct returns *r, const struct injector *in, const struct process *p,
		       const struct tracee *t);

/* Free the buffers of R. */
void returns_free(struct returns *r);

/* ----------------------------------------------------------- patch_record.c */

/* Bytes to reserve in an area for N records. */
uint64_t records_size(size_t n);
/* Describe P to the process, for its runtime and for a later loader. */
void record_fill(struct ust_record *to, const struct patch *p);
/* The reverse: false if the record is invalid. BEFORE: the patch of the record before, or NULL. */
bool record_read(const struct ust_record *from, struct patch *before, struct patch *to);
/* Complete the new code of the N patches V that record_read() has filled, in order. */
void records_join(struct patch *v, size_t n);
/* Record A, which is about to be mapped in P. Returns 0 or errno. */
int extent_enter(const struct injector *in, struct process *p, const struct tracee *t,
		 struct area *a, const struct area_plan *plan);
/* Clear the record of A in the process T; an error is ignored, as the process may be gone. */
void extent_forget(const struct injector *in, const struct tracee *t, const struct area *a);
/* Record that the semaphores of the file at TEXT are incremented. */
void extent_raised(const struct injector *in, const struct process *p, const struct tracee *t,
		   uint64_t text);

#endif
