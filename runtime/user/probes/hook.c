/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hooks: sites that the runtime itself watches (enum ust_hook), and requests to the loader. A
 * thread posts a request and waits until it is answered, as long as the loader lives and gets on.
 */
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/time_types.h>

#include "probes/return_slots.h"
#include "user.h"

/* --------------------------------------------------------------- requests */

/* A request is abandoned when the tracer has done nothing for 5 s, or has answered none for 30 s.
 * On a busy machine it needs seconds for the stops of an exec, and the requests of many processes
 * that wait at the same time take as long as all of them. After 300 s it is abandoned anyway: other
 * traced processes can write to the counters. */
enum { WAIT_NS = 100000000, IDLE_WAITS = 50, UNSERVED_WAITS = 300, WAITS = 3000 };
/* Pauses between searches for a free request: short ones at first, as one is soon free mostly; then
 * longer ones, since many threads that search take the processors from the tracer. */
enum { CLAIM_NS = 1000000, LONGEST_CLAIM_NS = 64 * CLAIM_NS };
enum { ABANDONED = 0 }; /* type of a request without a waiting thread */

static long futex(u32 *at, int op, u32 value, const struct __kernel_timespec *limit)
{
	return system_call(__NR_futex, (long)at, op, value, (long)limit, 0, 0);
}

void ring_doorbell(void)
{
	__atomic_fetch_add(&shared.doorbell, 1, __ATOMIC_RELEASE);
	if (!(process.flags & UST_PROCESS_NO_SYSCALLS))
		futex(&shared.doorbell, FUTEX_WAKE, 0x7fffffff, NULL);
}

static bool move(struct ust_request *r, u32 from, u32 to)
{
	return __atomic_compare_exchange_n(&r->state, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static struct ust_request *claim_free(void)
{
	u32 i;

	for (i = 0; i < UST_REQUESTS; i++) {
		struct ust_request *r = &shared.requests[i];

		if (move(r, UST_REQ_FREE, UST_REQ_CLAIMED) ||
		    (READ_ONCE(r->type) == ABANDONED && move(r, UST_REQ_DONE, UST_REQ_CLAIMED)))
			return r;
	}
	return NULL;
}

struct request_wait {
	u32 waits;
	u32 idle, steps;      /* waits since the tracer did something, and what it had done */
	u32 unserved, served; /* waits since it answered a request, and how many it had */
};

static struct request_wait wait_start(void)
{
	return (struct request_wait){.steps = READ_ONCE(shared.steps),
				     .served = READ_ONCE(shared.served)};
}

/* Another wait of WAIT_NS is over. True once the tracer has done nothing, or has answered no
 * request, for too many, or there were too many. */
static bool is_over(struct request_wait *p)
{
	u32 steps = READ_ONCE(shared.steps), served = READ_ONCE(shared.served);

	p->idle = steps == p->steps ? p->idle + 1 : 0;
	p->unserved = served == p->served ? p->unserved + 1 : 0;
	p->steps = steps;
	p->served = served;
	return is_orphaned() || p->idle >= IDLE_WAITS || p->unserved >= UNSERVED_WAITS ||
	       ++p->waits >= WAITS;
}

/* A free request; NULL: all are in use, and the tracer does not get on with them. */
static struct ust_request *claim(void)
{
	struct __kernel_timespec pause = {0, CLAIM_NS};
	struct request_wait p = wait_start();
	struct ust_request *r;
	u32 waited = 0;

	while (!(r = claim_free())) {
		if (process.flags & UST_PROCESS_NO_SYSCALLS)
			return NULL;
		if (waited >= WAIT_NS) {
			if (is_over(&p))
				return NULL;
			ring_doorbell(); /* the tracer frees requests of dead processes */
			waited = 0;
		}
		system_call(__NR_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
		waited += pause.tv_nsec;
		if (pause.tv_nsec < LONGEST_CLAIM_NS)
			pause.tv_nsec *= 2;
	}
	return r;
}

/* Returns false if it was not answered. */
static bool wait_for(struct ust_request *r)
{
	const struct __kernel_timespec step = {0, WAIT_NS};
	struct request_wait p = wait_start();
	u32 state;

	while ((state = smp_load_acquire(&r->state)) != UST_REQ_DONE)
		if (process.flags & UST_PROCESS_NO_SYSCALLS ||
		    (futex(&r->state, FUTEX_WAIT, state, &step) == -ETIMEDOUT && is_over(&p)))
			break;
	if (move(r, UST_REQ_DONE, UST_REQ_FREE))
		return true;
	if (!move(r, UST_REQ_POSTED, UST_REQ_FREE))
		WRITE_ONCE(r->type, ABANDONED);
	return false;
}

/* True if a loader is alive and tracing. */
static bool is_served(void)
{
	u32 state = READ_ONCE(shared.status.state);

	return !is_orphaned() && (is_armed() || state == UST_STARTING || state == UST_RUNNING);
}

static bool may_request(void)
{
	return !(process.flags & UST_PROCESS_NO_SYSCALLS) && !READ_ONCE(local.watched) &&
	       is_served();
}

/* Returns false if the request was not answered. Nothing between the claim and the post takes time:
 * a process that is killed there leaves the request behind. */
static noinline bool post(u32 type, u64 arg)
{
	struct ust_request *r;
	u32 pid, tid;

	if (!may_request())
		return false;
	pid = identity_pid();
	tid = system_call(__NR_gettid, 0, 0, 0, 0, 0, 0);
	system_call(__NR_prctl, PR_SET_PTRACER, shared.loader, 0, 0, 0, 0);
	r = claim();
	if (!r)
		return false;
	r->type = type;
	r->pid = pid;
	r->tid = tid;
	r->unique = local.unique;
	r->arg[0] = arg;
	r->arg[1] = 0;
	smp_store_release(&r->state, UST_REQ_POSTED);
	ring_doorbell();
	return wait_for(r);
}

static void request(u32 type, u64 arg)
{
	if (identity_wanted())
		post(type, arg);
}

/* For an untraced child only the program that it will run is reported. */
static void request_exec(u64 path)
{
	if (!identity_wanted()) {
		if (path)
			post(UST_REQ_UNTRACED, path);
	} else if (!post(UST_REQ_EXEC, path) && is_served()) {
		__atomic_fetch_add(&shared.status.unfollowed, 1, __ATOMIC_RELAXED);
	}
}

/* A child between vfork() and exec sees its parent's struct ust_local, which is the one to use. */
void request_untraced(void)
{
	if (local.state != UST_LOCAL_UNWANTED || READ_ONCE(local.untraced))
		return;
	WRITE_ONCE(local.untraced, 1);
	post(UST_REQ_UNTRACED, 0);
}

void request_gates(void) { request(UST_REQ_GATES, 0); }

/* Waits until the tracer holds a pidfd of the child: otherwise it could exit first, and its exit
 * status would be lost. */
void request_child(void) { request(UST_REQ_CHILD, 0); }

/* -------------------------------------------------------------- unwinding */

/* Unwind information for addresses in trampolines: each area is presented as a library. */

struct phdr { /* Elf64_Phdr */
	u32 type, flags;
	u64 offset, vaddr, paddr, filesz, memsz, align;
};
enum { PT_LOAD = 1, PT_GNU_EH_FRAME = 0x6474e550 };

struct phdr_info { /* struct dl_phdr_info */
	u64 addr;
	const char *name;
	const struct phdr *phdr;
	u16 phnum;
	u64 adds, subs;
	size_t tls_modid;
	void *tls_data;
};

struct found_object { /* struct dl_find_object */
	u64 flags, map_start, map_end, link_map, eh_frame, reserved[7];
};

/* Callers keep addresses of program headers. */
struct object {
	struct phdr phdr[2];
	struct phdr_info info;
};
static PRIVATE struct object objects[UST_AREAS];

static struct phdr_info *describe(u32 i)
{
	const struct ust_area *a = &process.areas[i];
	struct object *o = &objects[i];

	o->phdr[0] = (struct phdr){.type = PT_LOAD,
				   .flags = 5,
				   .filesz = a->size,
				   .memsz = a->size,
				   .align = UST_PAGE};
	o->phdr[1] = (struct phdr){.type = PT_GNU_EH_FRAME,
				   .flags = 4,
				   .offset = a->eh_frame_hdr,
				   .vaddr = a->eh_frame_hdr,
				   .paddr = a->eh_frame_hdr,
				   .align = 4};
	o->phdr[1].filesz = o->phdr[1].memsz = 8;
	o->info = (struct phdr_info){.addr = a->start, .name = "", .phdr = o->phdr, .phnum = 2};
	return &o->info;
}

/* Argument N, from 0, of a function that is about to begin. */
static inline unsigned long argument(struct frame *f, u32 n) { return *regs_arg(&f->regs, n); }

/* int _dl_find_object(void *pc, struct dl_find_object *result) */
static bool find_object(struct frame *f)
{
	const struct ust_area *a = area_at(argument(f, 0));
	struct found_object *to = (struct found_object *)argument(f, 1);

	if (!a)
		return false;
	to->flags = 0;
	to->map_start = a->start;
	to->map_end = a->start + a->size;
	to->link_map = 0;
	to->eh_frame = a->start + a->eh_frame_hdr;
	*regs_result(&f->regs) = 0;
	return true;
}

/* int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *data), void *data): when
 * it ends, the callback is then called for the trampoline areas. The callback, its data and the
 * number of the next area are recorded. */
static bool phdr_return(struct frame *f, u64 slot)
{
	struct ust_slot *note = slot_noted(slot);
	u64 i;

	if (!note || (u32)*regs_result(&f->regs))
		return false;
	for (i = note->count; i < UST_AREAS && !process.areas[i].start; i++)
		;
	note->count = i + 1;
	if (i >= UST_AREAS || !slot_put(slot, f->ret, *regs_spare(&f->regs) - UST_STUB_CALL))
		return false;
	f->ret = *regs_spare(&f->regs) - UST_STUB_CALL;
	*regs_spare(&f->regs) = note->ret;
	*regs_arg(&f->regs, 0) = (unsigned long)describe(i);
	*regs_arg(&f->regs, 1) = sizeof(struct phdr_info);
	*regs_arg(&f->regs, 2) = note->now;
	return true;
}

/* ------------------------------------------------------------------ hooks */

/* A new thread, or a process that shares memory and uses its parent's thread pointer meanwhile. */
static void on_clone(u64 flags)
{
	if ((flags & (CLONE_VM | CLONE_SETTLS | CLONE_VFORK)) == CLONE_VM)
		identity_shared();
}

/* The process does not wait where it may make no system call, or no longer than for a tracer that
 * is stopped. Its new modules are probed a moment later then. */
static void on_modules(void)
{
	umem_flush();
	if (!identity_wanted() || READ_ONCE(local.watched) || post(UST_REQ_MODULES, 0) ||
	    !is_served())
		return;
	__atomic_fetch_add(&shared.late_modules, 1, __ATOMIC_RELAXED);
	ring_doorbell();
}

bool hook_entry(const struct ust_point *p, struct frame *f, u64 slot)
{
	switch (p->hook) {
	case UST_HOOK_MODULES:
		on_modules();
		break;
	case UST_HOOK_EXEC:
		request_exec(argument(f, 0));
		break;
	case UST_HOOK_FEXEC:
		request_exec(0);
		break;
	case UST_HOOK_VFORK:
		identity_vfork(false);
		break;
	case UST_HOOK_SPAWN:
		identity_vfork(true);
		break;
	case UST_HOOK_CLONE:
		on_clone(argument(f, 2));
		break;
	case UST_HOOK_UNMAP:
		umem_flush();
		break;
	case UST_HOOK_SIGACTION:
		fault_watch((u32)argument(f, 0));
		break;
	case UST_HOOK_PHDR:
		slot_note(slot, argument(f, 0), argument(f, 1));
		break;
	case UST_HOOK_FIND_OBJECT:
		return find_object(f);
	case UST_HOOK_JUMP:
		context_jump(argument(f, 0));
		break;
	case UST_HOOK_PRCTL:
		sandbox_prctl(argument(f, 0), argument(f, 1), argument(f, 2));
		break;
	case UST_HOOK_SYSCALL:
		sandbox_call(argument(f, 0), argument(f, 1), argument(f, 2), argument(f, 3));
		break;
	case UST_HOOK_SIGNALS:
		return trap_call(&f->regs);
	case UST_HOOK_MASK ... UST_HOOK_MASK_LAST:
		trap_mask(regs_arg(&f->regs, p->hook - UST_HOOK_MASK));
		break;
	}
	return false;
}

bool hook_wants_return(const struct ust_point *p)
{
	return p->hook == UST_HOOK_PHDR || p->hook == UST_HOOK_SPAWN;
}

bool hook_return(const struct ust_point *p, struct frame *f, u64 slot)
{
	if (p->hook == UST_HOOK_SPAWN)
		identity_spawned();
	return p->hook == UST_HOOK_PHDR && phdr_return(f, slot);
}
