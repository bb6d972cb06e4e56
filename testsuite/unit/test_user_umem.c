/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading memory of the process that handlers run in, including unmapped memory; and, as
 * `test_user_umem bench', the cost of handlers.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "user_rt_check.h"

/* ---------------------------------------------------------------- memory */

enum { PAGE = 4096 };
static struct ust_ctx *reading;

static void begin_read(struct ust_hit *h) { reading = ust_enter(h); }

/* The state within a handler, outside of one. */
static struct ust_ctx *reader(void)
{
	static struct ust_regs regs;
	static struct ust_hit h = {.regs = &regs, .site = &site, .mode = MODE_PROBE};

	begin_read(&h);
	reading->where = 1;
	return reading;
}

static bool string_is(const void *p, const char *want)
{
	struct ust_ctx *c = reader();
	char dst[STRINGS], e[STRINGS];
	bool ok;

	ust_user_string(c, dst, (ust_long)p);
	ok = want ? !c->failed && !strcmp(dst, want) : c->failed && !dst[0];
	if (c->failed)
		ust_catch(c, e);
	ok &= want || !strncmp(e, "read fault at 0x", 16);
	ok &= want ? !strcmp(ust_user_string2(c, dst, (ust_long)p, "alt"), want)
		   : !strcmp(ust_user_string2(c, dst, (ust_long)p, "alt"), "alt");
	ust_leave(c);
	return ok;
}

static bool number_is(const void *p, u32 size, bool there, u64 want)
{
	struct ust_ctx *c = reader();
	u64 v = ust_load(c, (u64)p, size);
	bool ok = there ? !c->failed && v == want : c->failed && !v;

	if (c->failed)
		ust_catch(c, NULL);
	ok &= ust_touch(c, (u64)p, size) == (there ? want : 0);
	ok &= size != 8 || (u64)ust_user_long(c, (ust_long)p) == (there ? want : 0);
	ust_leave(c);
	return ok;
}

static char *map_pages(u32 n)
{
	return mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static bool nothing_at(u64 p)
{
	return string_is((void *)p, NULL) && number_is((void *)p, 8, false, 0) &&
	       number_is((void *)p, 1, false, 0);
}

static void test_pointers(const char *how)
{
	char *p = map_pages(4), want[STRINGS], *end = p + PAGE;
	u32 i;

	printf("# %s\n", how);
	check("NULL", nothing_at(0) && nothing_at(8));
	check("not canonical",
	      nothing_at(0x8000000000001000ull) && nothing_at(0x0000900000000000ull));
	check("kernel",
	      nothing_at(0xffff888000000000ull) && nothing_at(-1ull) && nothing_at(-3ull));
	check("the end", nothing_at(0x7fffffffffffull) && nothing_at(0x7ffffffff000ull) &&
				 nothing_at(0xffffffffffefffull));
	mprotect(p + PAGE, PAGE, PROT_NONE);
	check("no access", nothing_at((u64)p + PAGE));
	memcpy(end - 4, "end", 4);
	check("a string up to the end of a page",
	      string_is(end - 4, "end") && string_is(end - 1, ""));
	memcpy(end - 4, "end!", 4);
	check("a string beyond it", string_is(end - 4, NULL));
	check("numbers at the end of a page",
	      number_is(end - 4, 4, true, 0x21646e65) && number_is(end - 1, 1, true, '!') &&
		      number_is(end - 8, 8, true, 0x21646e6500000000ull) &&
		      number_is(end - 7, 8, false, 0));
	mprotect(p + PAGE, PAGE, PROT_READ | PROT_WRITE);
	umem_flush();
	memset(p, 'x', 4 * PAGE);
	memset(want, 'x', STRINGS - 1);
	want[STRINGS - 1] = 0;
	check("long ones are cut", string_is(p + 5, want) && string_is(end - 30, want));
	for (i = 0; i < 40; i++) {
		end[i] = 0;
		want[20 + i] = 0;
		if (!string_is(end - 20, want))
			break;
		end[i] = 'x';
		want[20 + i] = 'x';
	}
	check("strings over the end of a page", i == 40);
	check("numbers over the end of a page",
	      number_is(end - 3, 8, true, 0x7878787878787878ull) &&
		      number_is(end - 1, 2, true, 0x7878));
	memcpy(p, "12345678\xff\xff\xff\xff\xff\xff\xff\xfe", 17);
	check("sizes", number_is(p, 1, true, '1') && number_is(p, 2, true, 0x3231) &&
			       number_is(p, 4, true, 0x34333231) &&
			       number_is(p, 8, true, 0x3837363534333231ull) &&
			       number_is(p + 9, 8, true, 0x00feffffffffffffull));
	munmap(p, 4 * PAGE);
}

/* Pages that were readable a moment ago change without the runtime's hooks. */
static bool goes_stale(int how)
{
	char name[] = "/tmp/rtXXXXXX", *p;
	int fd = mkstemp(name);
	bool ok;

	unlink(name);
	if (ftruncate(fd, PAGE))
		return false;
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	strcpy(p, "there");
	ok = string_is(p, "there") && number_is(p, 4, true, 0x72656874);
	if (how == 0)
		ok &= !ftruncate(fd, 0);
	else if (how == 1)
		mprotect(p, PAGE, PROT_NONE);
	else
		munmap(p, PAGE);
	ok &= how == 1 || how == 0 ? string_is(p, NULL) && number_is(p, 4, false, 0)
				   : number_is(p, 4, false, 0) && string_is(p, NULL);
	close(fd);
	return ok;
}

static void test_stale(void)
{
	u32 i, ok[3] = {0};

	for (i = 0; i < 60; i++)
		ok[i % 3] += goes_stale(i % 3);
	check_count("a file is cut", ok[0], 20);
	check_count("access goes", ok[1], 20);
	check_count("memory goes", ok[2], 20);
	check("faults are still ours", process.flags & UST_PROCESS_CATCH_FAULTS);
}

static void fault(long how)
{
	static char *volatile nowhere;

	catch_faults();
	if (how == 0)
		*nowhere = 1;
	else if (how < 3)
		kill(getpid(), how == 1 ? SIGSEGV : SIGBUS);
	else
		*(volatile char *)0x8000000000001000ull;
}

static int status_of(long how)
{
	int status;

	waitpid(child(fault, how), &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

static void release(long arg)
{
	struct sigaction now;

	(void)arg;
	catch_faults();
	faults_release();
	sigaction(SIGSEGV, NULL, &now);
	told->ready = now.sa_handler == SIG_DFL && !(process.flags & UST_PROCESS_CATCH_FAULTS);
	test_pointers("released");
}

static void test_own_faults(void)
{
	check("the program's own fault ends it", status_of(0) == SIGSEGV);
	check("... of another sort", status_of(3) == SIGSEGV);
	check("signals that were sent end it", status_of(1) == SIGSEGV && status_of(2) == SIGBUS);
	told->ready = 0;
	waitpid(child(release, 0), NULL, 0);
	check("dispositions are given back", told->ready);
}

/* System calls are forbidden, as in some containers. */
static void forbidden(long arg)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog p = {4, f};
	sigset_t all;

	(void)arg;
	bad = 0;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		return;
	catch_faults();
	test_pointers("where the system call is forbidden");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	umem_flush();
	check("and signals are blocked", nothing_at(0) && number_is(heap_start, 8, false, 0));
	told->ready = !bad;
}

static void test_memory(void)
{
	sigset_t all;

	test_pointers("by system calls");
	catch_faults();
	test_pointers("plainly");
	test_stale();
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	test_pointers("with signals blocked");
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	test_own_faults();
	told->ready = 0;
	waitpid(child(forbidden, 0), NULL, 0);
	check("a forbidden system call", told->ready);
	process.flags |= UST_PROCESS_NO_SYSCALLS;
	check("without system calls", nothing_at(0) && number_is(heap_start, 8, false, 0));
	process.flags &= ~UST_PROCESS_NO_SYSCALLS;
}

/* ----------------------------------------------------------------- costs */

static volatile u64 sink;
static char *bench_text = "a text of some length";

static void b_empty(struct ust_hit *h) { sink += h->mode; }
static void b_counter(struct ust_hit *h)
{
	(void)h;
	ust_counter_add(&counter, 1);
}
static void b_stat(struct ust_hit *h)
{
	(void)h;
	ust_stat_add(&agg, 1);
}
static void b_context(struct ust_hit *h) { ust_leave(ust_enter(h)); }
static void b_lock1(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);

	ust_lock(c, &number_lock);
	number.l++;
	ust_leave(c);
}
static void b_array(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);

	ust_lock(c, &array_lock);
	++*ust_map_ref(c, &array, &(union ust_key){.l = 5});
	ust_leave(c);
}
static void b_map_stat(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);

	ust_map_stat_add_l(c, &stats, 7, 1);
	ust_leave(c);
}
static void b_load(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);

	sink += ust_load(c, (u64)&bench_text, 8);
	ust_leave(c);
}
static void b_load10(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);
	u32 i;

	for (i = 0; i < 10; i++)
		sink += ust_load(c, (u64)&bench_text, 8);
	ust_leave(c);
}
static void b_string(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);
	char *s = ust_frame_push(c, STRINGS);

	ust_user_string(c, s, (ust_long)bench_text);
	ust_leave(c);
}
static void b_printf(struct ust_hit *h)
{
	struct ust_ctx *c = ust_enter(h);
	char *s = ust_frame_push(c, STRINGS);

	ust_user_string(c, s, (ust_long)bench_text);
	ust_put_d(&c->out, 1234567);
	ust_put(&c->out, " ", 1);
	ust_put_s(&c->out, s);
	ust_put(&c->out, "\n", 1);
	ust_leave(c);
}
static void b_record(struct ust_hit *h)
{
	(void)h;
	port_write(UST_REC_OUT, "1234567 a text of some length\n", 30, false);
}
static void b_clock(struct ust_hit *h)
{
	(void)h;
	sink += clock_monotonic();
}

static void empty_rings(void)
{
	u32 i;

	for (i = 0; i < layout.nrings; i++)
		((struct ust_ring *)layout.rings)[i].tail = ((struct ust_ring *)layout.rings)[i]
								    .head;
}

static double cost(ust_handler handler)
{
	double best = 1e9;
	u32 round, i;

	for (round = 0; round < 30; round++) {
		u64 begin = now_ns();
		double ns;

		for (i = 0; i < 10000; i++)
			hit(handler);
		ns = (now_ns() - begin) / 10000.0;
		best = ns < best ? ns : best;
		empty_rings();
	}
	return best;
}

static void bench(void)
{
	static const struct {
		const char *name;
		ust_handler handler;
	} all[] = {{"counter", b_counter},     {"statistic", b_stat},
		   {"context", b_context},     {"locked number", b_lock1},
		   {"array[5]++", b_array},    {"stats[7] <<< 1", b_map_stat},
		   {"load", b_load},           {"10 loads", b_load10},
		   {"string of 21", b_string}, {"clock", b_clock},
		   {"record", b_record},       {"printf(\"%d %s\\n\")", b_printf}};
	double base = cost(b_empty);
	u32 i;

	for (i = 0; i < sizeof all / sizeof *all; i++)
		printf("# %-18s %6.1f ns\n", all[i].name, cost(all[i].handler) - base);
	process.flags &= ~UST_PROCESS_CATCH_FAULTS;
	printf("# %-18s %6.1f ns\n", "load by call", cost(b_load) - base);
	printf("# %-18s %6.1f ns\n", "string by call", cost(b_string) - base);
	process.flags |= UST_PROCESS_CATCH_FAULTS;
}

int main(int argc, char **argv)
{
	start();
	if (argc > 1 && !strcmp(argv[1], "bench")) {
		catch_faults();
		bench();
		return 0;
	}
	test_memory();
	return bad;
}
