/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that the runtime takes over, and the system calls that change their handlers and masks.
 */
#ifndef USTAP_INJECT_PATCH_SIGNALS_H
#define USTAP_INJECT_PATCH_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inject/patch/patched_file.h"

struct injector;
struct maps;
struct patch;
struct patches;
struct process;
struct tracee;
struct tracee_thread;

/* ----------------------------------------------------------- signal_hooks.c */

/* Hook the calls of KIND in all files that P maps; false: not all of them are hooked. */
bool signal_hooks_add(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
		      enum calls kind);
/* Restore the code of the hooks of KIND in P; T: P stopped. */
void signal_hooks_remove(const struct injector *in, const struct process *p, const struct tracee *t,
			 enum calls kind);

/* ----------------------------------------------------------------- faults.c */

/* Hook the calls by which P changes its fault handlers, before other sites are armed in its
 * files. */
void faults_watch(struct injector *in, struct process *p, struct tracee *t, struct maps *maps);
/* Make the runtime handle faults first, once, if all such calls are hooked. */
void faults_catch(const struct injector *in, struct process *p, struct tracee *t,
		  const struct maps *maps);
/* Restore the program's dispositions. */
void faults_release(const struct injector *in, struct tracee *t);
/* The program's handlers of faults look for the address in its code, as those of Go and Ada do:
 * they get one of its own code instead of one of a trampoline. */
void faults_look_up(const struct injector *in, const struct tracee *t);

/* ------------------------------------------------------------------- trap.c */

/* Take over SIGTRAP in P, if not done yet; false: breakpoints are not possible, see *WHY. */
bool traps_ready(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
		 const char **why);
/* Hook the files that P has mapped since, if it has breakpoints; false: not all could be hooked. */
bool traps_watch(struct injector *in, struct process *p, struct tracee *t, struct maps *maps);
/* Register P's breakpoint with the handler or, for those of V, that they are removed for good.
 * False: the table is full. */
bool trap_add(const struct injector *in, const struct tracee *t, const struct patch *p);
/* Mark the table entries of V's breakpoints as deleted; searches go on past them. */
void traps_forget(const struct injector *in, const struct tracee *t, const struct patches *v);
/* True if TH has hit a breakpoint of V whose signal has not been delivered yet. */
bool trap_pending(const struct patches *v, const struct tracee_thread *th);
/* Give SIGTRAP back; false: another handler has been installed before the runtime's. */
bool traps_release(const struct injector *in, struct process *p, struct tracee *t);

#endif
