/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts, locks and globals of the user runtime: many threads and processes on one heap, which
 * are killed, stopped, interrupted and left in the middle of any operation.
 */
#include "user_rt_check.h"
#include "arrays/arrays.h"

/* ------------------------------------------------------------ exact sums */

enum { ROUNDS = 3000 };

static void *sum_thread(void *arg)
{
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		hit(locked);
		hit(unlocked);
		hit(statistic);
	}
	return arg;
}

static void sum_process(long arg)
{
	pthread_t t[THREADS];
	u32 i;

	(void)arg;
	for (i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, sum_thread, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

static u64 array_sum(struct ust_gvar *g, u64 *elements)
{
	struct ust_ctx *c;
	struct ust_hit h = {.mode = MODE_ALONE};
	struct ust_iter it;
	u64 sum = 0;

	*elements = 0;
	c = ust_enter(&h);
	ust_iter_begin(c, &it, g, -1, 0, 0, UST_NO_LIMIT, 0);
	while (ust_iter_next(c, &it)) {
		sum += g->storage == UST_AGG_ARRAY ? it.st.sum : it.l;
		++*elements;
	}
	ust_leave(c);
	return sum;
}

static void test_sums(void)
{
	u64 all = PROCESSES * THREADS * ROUNDS, n;
	struct ust_stat st;
	u32 i;

	for (i = 0; i < PROCESSES; i++)
		child(sum_process, 0);
	for (i = 0; i < PROCESSES; i++)
		wait(NULL);
	check_count("counter", ust_counter_read(&counter), all);
	ust_stat_read(&agg, &st);
	check_count("statistic: count", st.count, all);
	check_count("statistic: sum", st.sum, 3 * all);
	check_count("locked number", number.l, all);
	check_count("array", array_sum(&array, &n), all);
	check_count("array: elements", n, 100);
	check_count("array of statistics", array_sum(&stats, &n), 2 * all);
	check_count("array of statistics: elements", n, 8);
	check_count("nothing skipped", told->context + told->nested, 0);
}

/* --------------------------------------------------------- killed owners */

static void die_inside(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);

	ust_lock(c, &all_locks);
	kill(getpid(), SIGKILL);
}

static void die(long arg)
{
	(void)arg;
	hit(die_inside);
}

static void test_killed_locked(void)
{
	u64 begin;
	pid_t pid = child(die, 0);

	wait_dead(pid);
	begin = now_ns();
	number.l = 0;
	hit(locked);
	check("a zombie's locks are free", number.l == 1 && now_ns() - begin < 4000000000);
	waitpid(pid, NULL, 0);
	pid = child(die, 0);
	waitpid(pid, NULL, 0);
	begin = now_ns();
	hit(locked);
	check("a dead process's locks are free", number.l == 2 && now_ns() - begin < 4000000000);
}

static void *die_in_thread(void *arg)
{
	hit(die_inside);
	return arg;
}

static void die_threaded(long arg)
{
	pthread_t t;

	(void)arg;
	pthread_create(&t, NULL, die_in_thread, NULL);
	pthread_join(t, NULL);
}

static void test_killed_contexts(void)
{
	u64 begin, i;

	for (i = 0; i < 300; i++)
		waitpid(child(die_threaded, 0), NULL, 0);
	shared.status.skipped_context = number.l = 0;
	begin = now_ns();
	for (i = 0; i < 1000; i++)
		hit(locked);
	check("contexts of killed threads are taken back",
	      number.l == 1000 && !shared.status.skipped_context && now_ns() - begin < 10000000000);
	told->context = told->nested = number.l = 0;
	sum_process(0);
	check_count("and serve many threads", number.l, THREADS * ROUNDS);
	check_count("without skipping",
		    shared.status.skipped_context + shared.status.skipped_nested, 0);
}

/* Random insertions and removals, until killed. */
static void change_arrays(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);
	u64 r = arch_ticks() * 0x9e3779b97f4a7c15ull >> 20;
	union ust_key k = {.l = r % 1000},
		      two[] = {{.s = r & 1 ? "abc" : "defghi"}, {.l = r % 1000}};
	ust_long *v;

	if (!c)
		return;
	ust_lock(c, &all_locks);
	if (r >> 10 & 1)
		ust_map_del(&array, &k);
	v = ust_map_ref(c, &array, &k);
	if (v)
		*v = k.l + 1;
	if (c->failed)
		ust_catch(c, NULL);
	if (r % 1000 == 0)
		ust_map_clear(&array);
	ust_strcpy(ust_map_ref_s(c, &named, two), "value");
	if (r >> 11 & 1)
		ust_map_del(&named, two);
	ust_map_stat_add(c, &stats, &k, 1);
	if (r >> 12 & 1)
		ust_map_del(&stats, &k);
	ust_leave(c);
}

static void change_for_ever(long arg)
{
	(void)arg;
	for (;;)
		hit(change_arrays);
}

/* All linked elements are found by their keys, and no others. */
static bool is_whole(struct ust_gvar *g, bool values)
{
	struct map *m = g->impl;
	u32 i, n = 0, prev = MAP_NONE, frees = 0;
	u64 seq = 0;

	for (i = m->first; i != MAP_NONE && n <= m->max; i = map_elem(m, i)->next) {
		struct elem *e = map_elem(m, i);

		if (e->prev != prev || e->seq <= seq || !ust_map_has(g, e->key))
			return false;
		if (g == &array && values && e->v.l && e->v.l != e->key[0].l + 1)
			return false;
		seq = e->seq;
		prev = i;
		n++;
	}
	for (i = m->free; i != MAP_NONE && frees <= m->max; i = map_elem(m, i)->next)
		frees++;
	return n == m->count && m->last == prev && n + frees == m->used && m->used <= m->max;
}

static void mend_all(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);

	ust_lock(c, &all_locks);
	ust_map_stat_add_l(c, &stats, 1, 1);
	ust_map_del(&stats, &(union ust_key){.l = 1});
	ust_leave(c);
}

static void clear_all(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);

	ust_lock(c, &all_locks);
	ust_map_clear(&array);
	ust_map_clear(&named);
	ust_map_clear(&stats);
	ust_leave(c);
}

static void test_killed_changing(void)
{
	u32 i, whole = 0, n = 150;
	pid_t pid[2];

	hit(clear_all);
	for (i = 0; i < n; i++) {
		pid[0] = child(change_for_ever, 0);
		pid[1] = child(change_for_ever, 0);
		sleep_us(1000 + arch_ticks() % 1000);
		kill(pid[0], SIGKILL);
		sleep_us(arch_ticks() % 300);
		kill(pid[1], SIGKILL);
		hit(mend_all);
		waitpid(pid[0], NULL, 0);
		waitpid(pid[1], NULL, 0);
		hit(mend_all);
		whole += is_whole(&array, true) && is_whole(&named, true) && is_whole(&stats, true);
	}
	check_count("arrays are whole after kills", whole, n);
}

static void test_repair(void)
{
	struct map *m = array.impl;
	u64 sum, n, i;

	hit(clear_all);
	for (i = 0; i < 5000; i++)
		hit(change_arrays);
	sum = array_sum(&array, &n);
	for (i = 0; i < m->used; i++) {
		struct elem *e = map_elem(m, i);

		e->next = e->prev = e->chain = (i * 7 + 1) % m->used;
	}
	memset(m->buckets, 0, 16);
	m->free = m->first = m->last = 0;
	map_repair(&array);
	check("repair", is_whole(&array, true) && array_sum(&array, &i) == sum && i == n);
	for (i = 0; i < 5000; i++)
		hit(change_arrays);
	check("and on", is_whole(&array, true));
}

/* --------------------------------------------------------------- signals */

enum { CALLS_OF_ALARM = 3, ENOUGH_ALARMS = 500 };

static volatile u64 calls, alarms;
static sigjmp_buf back;
static volatile sig_atomic_t may_jump;

static void on_alarm(int signal)
{
	u32 i;

	(void)signal;
	alarms++;
	for (i = 0; i < CALLS_OF_ALARM; i++) {
		calls++;
		hit(locked);
		hit(unlocked);
		hit(print_number);
	}
	if (may_jump) {
		may_jump = 0;
		siglongjmp(back, 1);
	}
}

static void set_alarm(u32 us, int flags)
{
	struct sigaction act = {.sa_handler = on_alarm, .sa_flags = flags};
	struct itimerval every = {{0, us}, {0, us}};

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* Calls probes for MS milliseconds, and until enough alarms came, on a machine that has little time
 * for this. */
static void call_for(u32 ms)
{
	u64 end = now_ns() + ms * 1000000ull;
	u32 i;

	while (now_ns() < end || alarms < ENOUGH_ALARMS) {
		for (i = 0; i < 100; i++) {
			__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
			hit(locked);
			hit(unlocked);
			hit(print_number);
		}
		drain();
	}
}

static void reset(void)
{
	struct ust_stat st;

	ust_stat_clear(&agg);
	ust_stat_read(&agg, &st);
	number.l = calls = alarms = told->made = 0;
	counter.l -= ust_counter_read(&counter);
	shared.status.skipped_nested = shared.status.skipped_context = 0;
}

static void check_nested(const char *name)
{
	struct ust_stat st;
	u64 skipped;

	set_alarm(0, 0);
	skipped = shared.status.skipped_nested;
	ust_stat_read(&agg, &st);
	printf("# %s: %llu calls, %llu alarms, %llu skipped\n", name, (unsigned long long)calls,
	       (unsigned long long)alarms, (unsigned long long)skipped);
	check("interrupted handlers: hits and skipped ones are all calls",
	      number.l + told->made + skipped == 2 * calls);
	check_count("... statistics are exact", st.count, calls);
	check_count("... and counters", ust_counter_read(&counter), calls);
	check("... some are skipped", skipped);
	/* two probes of each call skip a handler that interrupts another */
	check("... no more than alarms make", skipped <= 2 * CALLS_OF_ALARM * alarms);
	check_count("... none for lack of a context", shared.status.skipped_context, 0);
	check_count("... records", ring_bad, 0);
}

static void test_nested(void)
{
	static char stack[1 << 16];
	stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};

	reset();
	set_alarm(200, 0);
	call_for(1000);
	check_nested("on the same stack");
	sigaltstack(&s, NULL);
	reset();
	set_alarm(200, SA_ONSTACK);
	call_for(1000);
	check_nested("on another stack");
}

static __attribute__((noipa)) void jump_for(u64 end)
{
	if (sigsetjmp(back, 1))
		return;
	while (now_ns() < end) {
		u32 i;

		may_jump = 1;
		for (i = 0; i < 50; i++) {
			calls++;
			hit(locked);
			hit(unlocked);
			hit(print_number);
		}
		may_jump = 0;
		drain();
	}
}

static void test_jumps(void)
{
	u64 end = now_ns() + 1000000000;

	reset();
	set_alarm(200, 0);
	while (now_ns() < end)
		jump_for(end);
	set_alarm(0, 0);
	/* the context left by the last jump is released at this thread's next hit */
	calls++;
	hit(locked);
	printf("# jumps: %llu calls, %llu alarms, %llu skipped, number %llu\n",
	       (unsigned long long)calls, (unsigned long long)alarms,
	       (unsigned long long)shared.status.skipped_nested, (unsigned long long)number.l);
	/* an alarm takes the call that it jumps out of, and its own calls if that was in a handler
	 */
	check("handlers left by siglongjmp()",
	      number.l && calls - number.l <= (CALLS_OF_ALARM + 1) * alarms + 1);
	check_count("... take no context", shared.status.skipped_context, 0);
	reset();
	sum_process(0);
	check_count("leave no lock behind", number.l, THREADS * ROUNDS);
	check("arrays are whole", is_whole(&array, false) && is_whole(&named, true));
	drain();
	check_count("and rings", ring_bad, 0);
}

/* ------------------------------------------------------- errors, timers */

static void divide(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);

	ust_put_s(&c->out, "before");
	c->where = 1;
	ust_div(c, 1, 0);
	ust_leave(c);
}

static bool next_is(u32 type, const char *want)
{
	u32 i;

	for (i = 0; i < layout.nrings; i++) {
		struct ust_ring *r = (struct ust_ring *)layout.rings + i;
		struct ust_rec *rec = (struct ust_rec *)(r->buf + (r->tail & (r->size - 1)));

		if (r->tail == r->head)
			continue;
		r->tail += ust_rec_size(rec->len);
		return rec->type == type && rec->len == strlen(want) &&
		       !memcmp(rec + 1, want, rec->len);
	}
	return false;
}

static void test_errors(void)
{
	cpu_set_t one, all;

	sched_getaffinity(0, sizeof all, &all);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof one, &one);
	drain();
	hit(divide);
	check("output before an error", next_is(UST_REC_OUT, "before"));
	check("an error", next_is(UST_REC_ERROR, "division by 0 near identifier 'a' at t.stp:1:2"));
	check("is counted", shared.status.errors == 1 && !shared.status.exit_requested);
	sched_setaffinity(0, sizeof all, &all);
}

static void test_timers(void)
{
	u64 now = 1000000000, next, i;

	timers_start(now);
	ticks = 0;
	for (i = 0; i < 100; i++) {
		next = timers_run(clock_monotonic());
		while (clock_monotonic() < next)
			sleep_us(100);
	}
	timers_start(clock_monotonic());
	ticks = 0;
	now = now_ns();
	while (now_ns() - now < 100000000)
		if (timers_run(clock_monotonic()) > clock_monotonic())
			sleep_us(200);
	printf("# %u ticks in 100 ms\n", ticks);
	check("timers", ticks > 10 && ticks <= 126);
	WRITE_ONCE(shared.owner, UST_DISARMED);
	check("disarmed timers", timers_run(clock_monotonic() + 1000000000) == ~0ull);
	hit(locked);
	reset();
	hit(locked);
	check("no hit counts when disarmed", number.l == 0 && !shared.status.skipped_context);
	agent.arm();
}

/* --------------------------------------------------------------- stopped */

static void stop_locked_handler(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);

	ust_lock(c, &all_locks);
	raise(SIGSTOP);
	ust_leave(c);
}

static void stop_locked(long arg)
{
	(void)arg;
	hit(stop_locked_handler);
}

/* An owner in another pid namespace, so that the kernel is not queried. */
static u32 no_owner(u32 i) { return (process.pid_space ^ 1) << OWNER_TID_BITS | (i % 1000 + 1); }

/* Threads that were preempted in handlers hold the cells of all CPUs and one more. */
static void test_held_cells(void)
{
	u32 n = layout.ncpu + 1, held = 0, i;
	struct ust_stat st;

	reset();
	for (i = 0; i < n; i++)
		((struct owned *)port_percpu(agg.impl, i))->owner = no_owner(i);
	for (i = 0; i < 100; i++)
		hit(unlocked);
	for (i = 0; i < n; i++) {
		struct owned *l = port_percpu(agg.impl, i);

		held += l->owner == no_owner(i);
		l->owner = 0;
	}
	ust_stat_read(&agg, &st);
	check_count("cells that others hold are not waited for", held, n);
	check_count("... and no addition is lost", st.count, 100);
}

/* ----------------------------------------------------------- overwritten */

enum { LOCKS = 3000, HOGS = 3 };
static struct owned *overwritten;
static u32 *done; /* of each child below, in shared memory */

static void *overwrite_one(void *lock)
{
	u32 i;

	for (i = 0; !READ_ONCE(done[0]); i++)
		WRITE_ONCE(*(u32 *)lock, no_owner(i));
	return NULL;
}

/* A lock with an ever changing owner. */
static void take_changing(long arg)
{
	pthread_t t;

	(void)arg;
	pthread_create(&t, NULL, overwrite_one, &overwritten[LOCKS].owner);
	lock_take(&overwritten[LOCKS]);
	WRITE_ONCE(done[0], 1);
	pthread_join(t, NULL);
}

static void stay_on_this_processor(void)
{
	unsigned long set[16] = {1};

	syscall(SYS_sched_setaffinity, 0, sizeof set, set);
}

static void be_busy(long arg)
{
	(void)arg;
	stay_on_this_processor();
	while (!READ_ONCE(done[1]))
		arch_pause();
}

/* On a busy processor each yield takes long. */
static void take_many(long arg)
{
	u32 i;

	(void)arg;
	stay_on_this_processor();
	for (i = 0; i < LOCKS; i++)
		lock_take(&overwritten[i]);
	WRITE_ONCE(done[1], 1);
}

static bool ends_within(pid_t pid, u64 begin, u64 seconds)
{
	while (!waitpid(pid, NULL, WNOHANG)) {
		if (now_ns() - begin > seconds * 1000000000) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return false;
		}
		sleep_us(10000);
	}
	return true;
}

/* Values that a traced process may write by accident or on purpose. */
static void test_overwritten_locks(void)
{
	u64 begin = now_ns();
	pid_t pid[HOGS + 2];
	u32 i;

	overwritten = mmap(NULL, (LOCKS + 1) * sizeof *overwritten + 4096, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	done = (u32 *)(overwritten + LOCKS + 1);
	for (i = 0; i <= LOCKS; i++)
		overwritten[i].owner = no_owner(i);
	for (i = 0; i < HOGS; i++)
		pid[i] = child(be_busy, 0);
	pid[i++] = child(take_many, 0);
	pid[i] = child(take_changing, 0);
	check("locks without owners are waited for for some seconds together",
	      ends_within(pid[HOGS], begin, 20));
	printf("# waited %llu ms\n", (unsigned long long)(now_ns() - begin) / 1000000);
	check("as is one whose owner changes", ends_within(pid[HOGS + 1], begin, 30));
	printf("# waited %llu ms\n", (unsigned long long)(now_ns() - begin) / 1000000);
	WRITE_ONCE(done[1], 1);
	while (wait(NULL) > 0)
		continue;
}

/* Ends the script: the last test. */
static void test_stopped_owner(void)
{
	u64 begin = now_ns();
	pid_t pid = child(stop_locked, 0);
	int status;

	wait_stopped(pid);
	reset();
	hit(locked);
	printf("# waited %llu ms\n", (unsigned long long)(now_ns() - begin) / 1000000);
	check("a stopped owner of locks is not waited for for ever",
	      number.l == 1 && now_ns() - begin < 60000000000);
	check("but ends the script",
	      shared.status.failed && shared.status.exit_requested && !is_armed());
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	check("and comes to its end", status == 0);
	agent.end(0);
	check("all contexts are free", !shared.status.skipped_context);
}

int main(void)
{
	start();
	catch_faults();
	test_sums();
	test_killed_locked();
	test_killed_contexts();
	test_killed_changing();
	test_repair();
	hit(clear_all);
	test_errors();
	test_nested();
	test_jumps();
	test_timers();
	test_held_cells();
	test_overwritten_locks();
	test_stopped_owner();
	return bad;
}
