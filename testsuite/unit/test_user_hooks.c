/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes, hooks and the table of replaced return addresses of the user runtime. */
#include "probes/return_slots.h"
#include "user_check.h"

/* -------------------------------------------------------------- processes */

static PROBED long forking(void)
{
	pid_t pid = fork();

	if (!pid)
		memset(&local, 0, sizeof local);
	return pid;
}

/* True if a forked child returned well and was hit COUNT times. */
static bool child_is_hit(u64 hits)
{
	int status;
	pid_t pid;

	counts[RCOUNT] = 0;
	pid = forking();
	if (!pid)
		_exit(counts[RCOUNT] == hits && identity_pid() == (u32)getpid() &&
				      identity_tid() == (u32)getpid()
			      ? 0
			      : 1);
	return waitpid(pid, &status, 0) == pid && !status && counts[RCOUNT] == 1;
}

static void test_fork(void)
{
	STUB(forking, .rn = 1, .rfirst = RCOUNT);
	check("a forked child is left alone", child_is_hit(0));
	shared.children = 1;
	check("or hit", child_is_hit(1));
	shared.children = 0;
}

static PROBED void in_either(void) { __asm__ volatile(""); }
static PROBED void before_vfork(void) { __asm__ volatile(""); }

static void test_vfork(void)
{
	volatile u64 in_child;
	pid_t pid;

	STUB(before_vfork, .hook = UST_HOOK_VFORK);
	STUB(in_either, .n = 1, .first = COUNT);
	counts[COUNT] = 0;
	before_vfork();
	pid = vfork();
	if (!pid) {
		in_either();
		in_child = counts[COUNT];
		_exit(0);
	}
	check("vfork: the child is left alone", !in_child && local.vforks == 1);
	in_either();
	check("vfork: over", counts[COUNT] == 1 && !local.vforks);
	waitpid(pid, NULL, 0);
}

/* ------------------------------------------------------------------ hooks */

struct info {
	u64 addr;
	const char *name;
	const void *phdr;
	u16 phnum;
};
typedef int callback(struct info *, size_t, void *);

static PROBED int iterate(callback *cb, void *data)
{
	struct info i = {0};
	int r = cb(&i, sizeof i, data);

	__asm__ volatile("");
	return r;
}

static u64 visited[8];
static u32 nvisited, stop_at;

static int visit(struct info *i, size_t size, void *data)
{
	visited[nvisited++] = i->addr;
	return data == &visited && size >= sizeof *i ? nvisited == stop_at ? 9 : 0 : 1;
}

static void test_phdr(void)
{
	STUB(iterate, .hook = UST_HOOK_PHDR, .rn = 1, .rfirst = RCOUNT);
	counts[RCOUNT] = 0;
	check("dl_iterate_phdr without areas",
	      iterate(visit, &visited) == 0 && nvisited == 1 && counts[RCOUNT] == 1);
	process.areas[3] = (struct ust_area){0x10000, 0x1000, 48};
	process.areas[9] = (struct ust_area){0x50000, 0x1000, 48};
	process.nareas = 10;
	nvisited = 0;
	check("dl_iterate_phdr", iterate(visit, &visited) == 0 && nvisited == 3 &&
					 visited[1] == 0x10000 && visited[2] == 0x50000 &&
					 counts[RCOUNT] == 2);
	nvisited = 0;
	stop_at = 2;
	check("dl_iterate_phdr ends early", iterate(visit, &visited) == 9 && nvisited == 2);
	nvisited = 0;
	stop_at = 1;
	WRITE_ONCE(shared.owner, UST_DISARMED);
	check("dl_iterate_phdr, disarmed", iterate(visit, &visited) == 9 && nvisited == 1);
	agent.arm();
}

struct found {
	u64 flags, start, end, map, eh_frame, reserved[7];
};

static PROBED int find(u64 pc, struct found *f)
{
	f->start = pc;
	__asm__ volatile("");
	return -1;
}

static void test_find_object(void)
{
	struct found f = {0};

	STUB(find, .hook = UST_HOOK_FIND_OBJECT);
	check("_dl_find_object elsewhere", find(0x20000, &f) == -1 && f.start == 0x20000);
	check("_dl_find_object", find(0x50fff, &f) == 0 && f.start == 0x50000 && f.end == 0x51000 &&
					 f.eh_frame == 0x50000 + 48);
	STUB(find, .hook = UST_HOOK_FIND_OBJECT, .rn = 1, .rfirst = RCOUNT);
	check("_dl_find_object with a return probe",
	      find(0x10000, &f) == 0 && find(0x20000, &f) == -1);
	process.areas[3].start = process.areas[9].start = 0;
}

static PROBED int libraries_changed(u64 a)
{
	__asm__ volatile("");
	return a;
}

static u32 answered;

static void *answer(void *arg)
{
	struct ust_request *r = &shared.requests[0];

	while (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != UST_REQ_POSTED)
		usleep(1000);
	answered = r->type == UST_REQ_MODULES && r->pid == (u32)getpid() ? 1 : 2;
	__atomic_store_n(&r->state, UST_REQ_DONE, __ATOMIC_RELEASE);
	syscall(SYS_futex, &r->state, 1, 1, NULL, NULL, 0);
	return arg;
}

static void test_requests(void)
{
	pthread_t t;
	u32 bell = shared.doorbell;

	STUB(libraries_changed, .hook = UST_HOOK_MODULES);
	pthread_create(&t, NULL, answer, NULL);
	check("a request", libraries_changed(3) == 3 && answered == 1 &&
				   shared.doorbell == bell + 1 &&
				   shared.requests[0].state == UST_REQ_FREE);
	pthread_join(t, NULL);
	shared.loader = 0x3ffffff;
	check("no answer", libraries_changed(4) == 4 && shared.requests[0].state == UST_REQ_FREE);
	check("the tracer learns of it later",
	      shared.late_modules == 1 && shared.doorbell == bell + 3);
	shared.loader = getpid();
	WRITE_ONCE(shared.owner, UST_DISARMED);
	shared.status.state = UST_STOPPED;
	check("no request is posted",
	      libraries_changed(4) == 4 && shared.doorbell == bell + 3 && shared.late_modules == 1);
	shared.status.state = UST_RUNNING;
	agent.arm();
}

static PROBED int set_action(int sig, const void *act)
{
	__asm__ volatile("" ::"r"(act));
	return sig;
}

static void test_sigaction(void)
{
	STUB(set_action, .hook = UST_HOOK_SIGACTION);
	process.flags = UST_PROCESS_CATCH_FAULTS;
	set_action(SIGINT, &bad);
	check("sigaction that matters not", process.flags & UST_PROCESS_CATCH_FAULTS);
	set_action(SIGBUS, &bad);
	check("sigaction", !(process.flags & UST_PROCESS_CATCH_FAULTS));
}

/* ---------------------------------------------------------- table of slots */

static void test_full_table(void)
{
	u64 step = (layout.slots_mask + 1) << 4, n = 128, i, caller;
	u8 *mem = mmap(NULL, step * (n + 2), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	u64 *at = (u64 *)(mem + 0x2348);
	bool ok = true;

#define AT(i) (at + (i)*step / 8)
	for (i = 0; i < n; i++) {
		ok &= !!slot_put((u64)AT(i), 1000 + i, 2000 + i);
		*AT(i) = 2000 + i;
	}
	check("a neighbourhood fills", ok && !shared.status.missed_returns);
	check("and is full", !slot_put((u64)AT(n), 1, 2) && shared.status.missed_returns == 1);
	*AT(5) = 0;
	munmap((void *)((u64)AT(9) & ~4095ull), 4096);
	*AT(n) = 2;
	check("the forgotten make room",
	      slot_put((u64)AT(n), 1, 2) && slot_put((u64)AT(n + 1), 3, 4));
	check("slots are found",
	      slot_take((u64)AT(n), &caller) == 1 && slot_take((u64)AT(77), &caller) == 1077 &&
		      !slot_take((u64)AT(77), &caller) && slot_take((u64)AT(127), &caller) == 1127);
	shared.status.missed_returns = 0;
	munmap(mem, step * (n + 2));
}

static struct ust_slot *entry_of(u64 slot)
{
	struct ust_slot *e = (struct ust_slot *)layout.slots + ((slot >> 4) & layout.slots_mask);

	while ((e->key & ~(u64)UST_SLOT_STATES) != slot << UST_SLOT_CHAIN_BITS)
		e++;
	return e;
}

/* Operations that other threads of the parent had in progress when this child was forked. */
static void test_left_by_fork(void)
{
	u64 place, slot = (u64)&place & ~7ull, caller = 0;

	slot_put(slot, 11, 12);
	entry_of(slot)->key |= UST_SLOT_MARKED;
	check("marked for ever: taken", slot_take(slot, &caller) == 11 && caller == 11);
	check("marked for ever: put", slot_put(slot, 13, 14) && slot_take(slot, &caller) == 13);
	entry_of(slot)->key ^= UST_SLOT_DEAD | UST_SLOT_BUSY;
	check("busy for ever", slot_put(slot, 15, 16) && slot_take(slot, &caller) == 15);
	check("notes", slot_note(slot, 5, 6) && slot_noted(slot)->ret == 5 &&
			       slot_noted(slot)->now == 6 && !slot_noted(slot + 8));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	start();
	test_fork();
	test_vfork();
	test_phdr();
	test_find_object();
	test_requests();
	test_sigaction();
	test_full_table();
	test_left_by_fork();
	return bad;
}
