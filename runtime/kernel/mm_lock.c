/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lock of the memory map, for handlers in the kernel.
 *
 * They only try to take it, and keep it until they end. Unlocking may wake a writer, which takes
 * locks of the scheduler that the interrupted code may hold. So with interrupts disabled an
 * irq_work unlocks it, as the kernel does for stacks of BPF programs. Until that runs, which is as
 * soon as interrupts are enabled, the map is in a slot of its CPU, where the next handler of the
 * same program finds it again.
 */
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "rt.h"

/* Memory maps of a CPU that wait for interrupts to be enabled. A handler has a slot before it locks
 * a map: there is one for each level of interruption, and some for tasks that follow each other
 * while interrupts are disabled. */
enum { UNLOCKS = 8 };
struct unlocks {
	struct irq_work work;
	struct mm_struct *mm[UNLOCKS];
};
static DEFINE_PER_CPU(struct unlocks, unlocks);

/* A slot that a handler has taken, and whose map it holds. */
#define TAKEN ((struct mm_struct *)1)

static void unlock_later(struct irq_work *work)
{
	struct unlocks *u = container_of(work, struct unlocks, work);
	u32 i;

	for (i = 0; i < UNLOCKS; i++) {
		struct mm_struct *mm = READ_ONCE(u->mm[i]);

		if (mm && mm != TAKEN && cmpxchg(&u->mm[i], mm, NULL) == mm)
			mmap_read_unlock_non_owner(mm);
	}
}

int mm_lock_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) init_irq_work(&per_cpu(unlocks, cpu).work, unlock_later);
	return 0;
}

void mm_lock_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) irq_work_sync(&per_cpu(unlocks, cpu).work);
}

/* Change a slot of this CPU from FROM to TO. False: no slot has FROM. */
static bool change_slot(struct mm_struct *from, struct mm_struct *to)
{
	struct unlocks *u = this_cpu_ptr(&unlocks);
	u32 i;

	for (i = 0; i < UNLOCKS; i++)
		if (READ_ONCE(u->mm[i]) == from && cmpxchg(&u->mm[i], from, to) == from)
			return true;
	return false;
}

bool mm_lock(struct ctx *x, struct mm_struct *mm)
{
	if (x->port.map || change_slot(mm, TAKEN)) {
		x->port.map = mm;
		return true;
	}
	if (!change_slot(NULL, TAKEN))
		return false;
	if (!mmap_read_trylock(mm)) {
		change_slot(TAKEN, NULL);
		return false;
	}
	/* another context releases it */
	rwsem_release(&mm->mmap_lock.dep_map, _RET_IP_);
	x->port.map = mm;
	return true;
}

void mm_unlock(struct ctx *x)
{
	struct mm_struct *mm = x->port.map;

	x->port.map = NULL;
	if (irqs_disabled() || in_nmi()) {
		change_slot(TAKEN, mm);
		irq_work_queue(this_cpu_ptr(&unlocks.work));
	} else {
		mmap_read_unlock_non_owner(mm);
		change_slot(TAKEN, NULL);
	}
}
