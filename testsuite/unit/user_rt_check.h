/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user runtime linked into an ordinary program as if it had been injected: a script's globals,
 * handlers and a reader, all on shared memory, and processes that share it.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "user.h"
#include "wire_records.h"

#define HELPER static __attribute__((unused))

static int bad;

HELPER void check_at(int line, const char *name, bool ok)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("not ok %s: line %d\n", name, line);
	bad |= !ok;
	fflush(stdout);
}
#define check(name, cond) check_at(__LINE__, name, cond)

HELPER void check_count_at(int line, const char *name, u64 got, u64 want)
{
	if (got != want)
		printf("# got %llu, want %llu\n", (unsigned long long)got,
		       (unsigned long long)want);
	check_at(line, name, got == want);
}
#define check_count(name, got, want) check_count_at(__LINE__, name, got, want)

/* ------------------------------------------------------------- the script */

enum { PROCESSES = 4, THREADS = 8 };
enum { ELEMENTS = 300, STRINGS = 128 };

/* The script's globals, in shared memory as in a real script. */
static struct {
	struct ust_gvar counter, agg, number, text, array, named, stats;
} script_globals __attribute__((aligned(4096))) = {
	.counter = {.name = "counter", .storage = UST_COUNTER, .type = UST_LONG},
	.agg = {.name = "agg", .storage = UST_AGG, .type = UST_STAT},
	.number = {.name = "number", .storage = UST_VAR, .type = UST_LONG},
	.text = {.name = "text", .storage = UST_VAR, .type = UST_STRING},
	.array = {.name = "array",
		  .storage = UST_ARRAY,
		  .type = UST_LONG,
		  .nkeys = 1,
		  .keys = {UST_LONG},
		  .full = "array is full",
		  .max = ELEMENTS,
		  .norders = 1},
	.named = {.name = "named",
		  .storage = UST_ARRAY,
		  .type = UST_STRING,
		  .nkeys = 2,
		  .keys = {UST_STRING, UST_LONG},
		  .max = ELEMENTS,
		  .wrap = 1},
	.stats = {.name = "stats",
		  .storage = UST_AGG_ARRAY,
		  .type = UST_STAT,
		  .nkeys = 1,
		  .keys = {UST_LONG},
		  .max = ELEMENTS,
		  .wrap = 1},
};
static char behind_shared[4096] __attribute__((aligned(4096), used));
#define counter script_globals.counter
#define agg     script_globals.agg
#define number  script_globals.number
#define text    script_globals.text
#define array   script_globals.array
#define named   script_globals.named
#define stats   script_globals.stats
static struct ust_gvar *const globals[] = {&counter, &agg, &number, &text, &array, &named, &stats};

static const struct ust_lockref all_refs[] = {{&number, 1}, {&text, 1}, {&array, 1}, {&named, 1}};
static const struct ust_lockset all_locks = {4, all_refs}, number_lock = {1, all_refs},
				array_lock = {1, all_refs + 2};

HELPER void no_handler(struct ust_hit *hit) { (void)hit; }
static const struct ust_site site = {
	.handler = no_handler, .func = "f", .pp = "process.function(\"f\")"};
static u32 ticks;
HELPER void on_tick(struct ust_hit *hit)
{
	struct ust_ctx *c = ust_enter(hit);

	ticks++;
	ust_leave(c);
}
static const struct ust_probe probes[] = {
	{UST_PROBE_TIMER_NS, on_tick, "timer", 0, 0, .timer = {1000000, 0}},
	{UST_PROBE_TIMER_JIFFIES, on_tick, "jiffies", 0, 0, .timer = {1, 0}}};
static const struct ust_where wheres[] = {{0, 0, 0, 0}, {"a", "identifier", "t.stp:1:2", 0}};

const struct ust_program ust_program = {.abi = UST_ABI,
					.sites = &site,
					.nsites = 1,
					.probes = probes,
					.nprobes = 2,
					.gvars = globals,
					.ngvars = 7,
					.wheres = wheres,
					.nwheres = 2,
					.maxaction = 100000,
					.maxnesting = 10,
					.maxerrors = 1000000,
					.maxskipped = 1000000,
					.maxstringlen = STRINGS,
					.frame_size = 1024};

enum { HEAP = 64 << 20 };
char heap_start[HEAP] __attribute__((aligned(4096)));

/* Results and progress of the children. */
static struct {
	u64 hits, nested, context, made;
	int ready;
} * told;

uint64_t vdso_offset(const char *name);

HELPER void become_traced(void)
{
	local = (struct ust_local){
		.pid = getpid(), .state = UST_LOCAL_WANTED, .host_pid = getpid()};
}

/* The contents do not change. */
HELPER void make_shared(void *at, size_t size)
{
	char *copy = malloc(size);

	memcpy(copy, at, size);
	if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
	    at)
		exit(2);
	memcpy(at, copy, size);
	free(copy);
}

HELPER void start(void)
{
	make_shared(heap_start, HEAP);
	make_shared(&script_globals, 4096);
	told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	layout.heap_end = (u64)(heap_start + HEAP);
	layout.ncpu = sysconf(_SC_NPROCESSORS_CONF);
	layout.buffer_mb = 1;
	shared.loader = getpid();
	layout.hwcap2 = getauxval(AT_HWCAP2);
	process.clock_gettime = getauxval(AT_SYSINFO_EHDR) + vdso_offset("__vdso_clock_gettime");
	process.phdrs = getauxval(AT_PHDR);
	process.nphdrs = getauxval(AT_PHNUM);
	become_traced();
	if (agent.init(&layout)) {
		printf("not ok init\n");
		exit(1);
	}
	shared.status.state = UST_RUNNING;
	agent.arm();
}

HELPER void handle_faults(int signal)
{
	const struct ust_disposition none = {0};
	struct ust_disposition act;

	ust_fault_ours(&act, &none, (u64)arch_faults, (u64)fault_restorer);
	process.fault_states[0] = 2;
	syscall(SYS_rt_sigaction, signal, &act, NULL, 8);
}

/* Handle faults, as in most programs: memory and the thread pointer are read directly, not by
 * system calls. */
HELPER void catch_faults(void)
{
	handle_faults(SIGSEGV);
	handle_faults(SIGBUS);
	process.flags |= UST_PROCESS_CATCH_FAULTS;
}

HELPER __attribute__((noipa)) void hit(ust_handler handler)
{
	struct ust_regs regs = {0};
	struct ust_hit h = {.regs = &regs, .site = &site, .mode = MODE_PROBE};

	*regs_sp(&regs) = (unsigned long)__builtin_frame_address(0);
	handler(&h);
}

HELPER pid_t child(void (*run)(long), long arg)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	become_traced();
	shared.status.skipped_context = shared.status.skipped_nested = 0;
	run(arg);
	__atomic_fetch_add(&told->nested, shared.status.skipped_nested, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&told->context, shared.status.skipped_context, __ATOMIC_SEQ_CST);
	_exit(0);
}

enum { MOST_THREADS = 256 };
static pthread_barrier_t all_run;

/* Begin N threads of RUN(ARG), which wait for all_run. */
HELPER void begin_threads(pthread_t *t, u32 n, void *(*run)(void *), void *arg)
{
	u32 i;

	pthread_barrier_init(&all_run, NULL, n);
	for (i = 0; i < n; i++)
		pthread_create(&t[i], NULL, run, arg);
}

HELPER void run_threads(u32 n, void *(*run)(void *), void *arg)
{
	pthread_t t[MOST_THREADS];
	u32 i;

	begin_threads(t, n, run, arg);
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

HELPER u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

HELPER void sleep_us(u32 us)
{
	struct timespec t = {0, us * 1000};

	nanosleep(&t, NULL);
}

HELPER void wait_stopped(pid_t pid)
{
	int status;

	waitpid(pid, &status, WUNTRACED);
}

/* Dead but not reaped: it still exists, as a zombie. */
HELPER void wait_dead(pid_t pid)
{
	siginfo_t info;

	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
}

/* ---------------------------------------------------- what handlers do */

HELPER void locked(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);
	u64 v;

	if (!c)
		return;
	ust_lock(c, &all_locks);
	v = ++number.l;
	++*ust_map_ref(c, &array, &(union ust_key){.l = v % 100});
	ust_strcpy(text.s, v & 1 ? "odd" : "even");
	ust_strcpy(ust_map_ref_s(c, &named, (union ust_key[]){{.s = text.s}, {.l = v % 50}}),
		   text.s);
	ust_leave(c);
}

HELPER void unlocked(struct ust_hit *h)
{
	(void)h;
	ust_counter_add(&counter, 1);
	ust_stat_add(&agg, 3);
}

HELPER void statistic(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);

	if (!c)
		return;
	ust_map_stat_add_l(c, &stats, 7, 1);
	ust_map_stat_add(c, &stats, &(union ust_key){.l = arch_ticks() / 64 % 8}, 1);
	ust_leave(c);
}

HELPER void print_number(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);

	if (!c)
		return;
	ust_put_d(&c->out, ust_tid(c));
	ust_put_s(&c->out, " ");
	ust_put_d(&c->out, __atomic_fetch_add(&told->made, 1, __ATOMIC_RELAXED));
	ust_put_s(&c->out, "\n");
	ust_leave(c);
}

/* --------------------------------------------------------- reading rings */

struct seen {
	u64 records, gaps, lost, bytes;
	u64 last_time, next;
};
static struct seen seen[64];
static u64 ring_bad;
enum { NUMBERS = 4 << 20 };
static u8 numbers[NUMBERS]; /* number of reads of number N */

HELPER void take_record(const struct ust_rec *rec, const char *s, struct seen *to, u32 ring)
{
	unsigned tid;
	unsigned long long n;
	char end;

	if (rec->seq > to->next)
		to->gaps += rec->seq - to->next;
	if (rec->cpu != ring || rec->time < to->last_time || rec->seq + 1 < to->next)
		ring_bad++;
	to->next = rec->seq + 1;
	to->last_time = rec->time;
	to->records++;
	if (sscanf(s, "%u %llu%c", &tid, &n, &end) != 3 || end != '\n' || strlen(s) != rec->len ||
	    n >= NUMBERS)
		ring_bad++;
	else
		numbers[n]++;
}

HELPER void drain_ring(u32 i)
{
	struct ust_ring *r = (struct ust_ring *)layout.rings + i;
	u64 head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);
	char s[256];
	u32 k;

	while (r->tail < head) {
		struct ust_rec rec;

		for (k = 0; k < sizeof rec; k++)
			((char *)&rec)[k] = ((char *)r->buf)[(r->tail + k) & (r->size - 1)];
		if (rec.len >= sizeof s) {
			ring_bad++;
			r->tail = head;
			return;
		}
		for (k = 0; k < rec.len; k++)
			s[k] = ((char *)r->buf)[(r->tail + sizeof rec + k) & (r->size - 1)];
		s[rec.len] = 0;
		take_record(&rec, s, &seen[i], i);
		__atomic_store_n(&r->tail, r->tail + ((sizeof rec + rec.len + 7) & ~7ull),
				 __ATOMIC_RELEASE);
	}
}

HELPER void drain(void)
{
	u32 i;

	for (i = 0; i < layout.nrings; i++)
		drain_ring(i);
}

HELPER u64 lost_all(void)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < layout.nrings; i++)
		sum += ((struct ust_ring *)layout.rings)[i].lost_records;
	return sum;
}

HELPER struct seen seen_all(void)
{
	struct seen sum = {0};
	u32 i;

	for (i = 0; i < layout.nrings; i++) {
		sum.records += seen[i].records;
		sum.gaps += seen[i].gaps;
	}
	return sum;
}
