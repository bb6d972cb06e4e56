/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions of probes, and semaphores. */
#ifndef USTAP_INJECT_PATCH_GATE_H
#define USTAP_INJECT_PATCH_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inject/patch/patched_file.h"

struct injector;
struct loaded;
struct maps;
struct place;
struct process;
struct tracee;

/* ------------------------------------------------------------------- gate.c */

/* Allocate the state of all gates, open; without memory all sites stay armed. */
void gates_init(struct injector *in);
/* True if all that P's place serves is behind gates. Hooks never are. */
static inline bool place_is_gated(const struct place *p)
{
	return p->ngates && !p->always && !p->hook;
}
/* True if P is to be armed: one of its gates is open, or it has no gate. */
bool place_is_open(const struct injector *in, const struct place *p);
/* A site behind gates was armed. */
void gates_armed(struct injector *in);
/* Decide which gates to close and open now. True: code must be changed for that; then call
 * gates_settle(), with ALL set if it was changed in all processes. */
bool gates_decide(struct injector *in);
void gates_settle(struct injector *in, bool all);
/* Number of sites that only gates keep disarmed. */
unsigned gates_count_disarmed(const struct injector *in);

/* -------------------------------------------------------------- semaphore.c */

/* Number the semaphores that gates control, after files_open(). */
void semaphores_init(struct injector *in);
/* Increment the semaphores of the places of L, once they are mapped; or decrement them again. */
void semaphores_raise(const struct injector *in, const struct process *p, const struct tracee *t,
		      const struct maps *m, struct loaded *l);
/* Take back the increments of SDT semaphores in the file L of P, which is stopped. */
void semaphores_drop(const struct injector *in, const struct process *p, const struct tracee *t,
		     struct loaded *l);
/* Adjust the semaphores after gates were closed or opened. */
void semaphores_turn(const struct injector *in, const struct process *p, const struct tracee *t,
		     const struct loaded *l);

#endif
