/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings of the user runtime: whole records in sequence, exact losses, writers that are stopped or
 * killed. */
#include "user_rt_check.h"

enum { PRINTS = 12000 };

static void *print_thread(void *arg)
{
	u32 i;

	for (i = 0; i < PRINTS; i++)
		hit(print_number);
	return arg;
}

static void print_process(long arg)
{
	pthread_t t[THREADS];
	u32 i;

	(void)arg;
	for (i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, print_thread, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	__atomic_fetch_add(&told->ready, 1, __ATOMIC_SEQ_CST);
}

static void test_rings(void)
{
	u64 all = PROCESSES * THREADS * PRINTS, n = 0, i;

	told->made = told->ready = 0;
	for (i = 0; i < PROCESSES; i++)
		child(print_process, 0);
	while (__atomic_load_n(&told->ready, __ATOMIC_SEQ_CST) < PROCESSES)
		drain();
	for (i = 0; i < PROCESSES; i++)
		wait(NULL);
	drain();
	for (i = 0; i < all; i++)
		n += numbers[i] == 1;
	check_count("records are whole, in sequence and in time", ring_bad, 0);
	check_count("every record is there or lost", seen_all().records + lost_all(), all);
	check_count("none is there twice", n, seen_all().records);
	check("lost ones are gaps, but for those at the end", seen_all().gaps <= lost_all());
}

/* A record in ring I: the others are locked. It shows the records dropped there as a gap. */
static void write_to(u32 i)
{
	struct ust_ring *r = (struct ust_ring *)layout.rings;
	u32 k;

	for (k = 0; k < layout.nrings; k++)
		r[k].lock = k == i ? 0 : getppid();
	port_write(UST_REC_OUT, "1 1\n", 4, false);
	for (k = 0; k < layout.nrings; k++)
		r[k].lock = 0;
}

static void test_stopped_reader(void)
{
	u64 before = seen_all().records, lost = lost_all();

	told->made = 0;
	print_process(0);
	print_process(0);
	drain();
	check("a full ring loses records", lost_all() > lost);
	check_count("and counts them exactly", seen_all().records - before + lost_all() - lost,
		    2 * THREADS * PRINTS);
}

static void write_to_all(void)
{
	u32 i;

	for (i = 0; i < layout.nrings; i++)
		write_to(i);
	drain();
}

/* One writer: with several, one may drop a record because the others, not running, hold the locks
 * of all rings; such a record has no sequence number. */
static void test_gaps(void)
{
	u64 lost, gaps;
	u32 i;

	write_to_all();
	told->made = 0;
	lost = lost_all();
	gaps = seen_all().gaps;
	for (i = 0; i < NUMBERS && lost_all() < lost + 1000; i++)
		hit(print_number);
	drain();
	write_to_all();
	check("one writer fills a ring", lost_all() >= lost + 1000);
	check_count("records that it drops are gaps", seen_all().gaps - gaps, lost_all() - lost);
}

static void stop_inside(long arg)
{
	struct ust_ring *r = (struct ust_ring *)layout.rings;
	u32 i;

	for (i = 0; i < arg; i++)
		r[i].lock = lock_self();
	told->ready = 1;
	raise(SIGSTOP);
	for (i = 0; i < arg; i++)
		r[i].lock = 0;
}

static void test_held_rings(void)
{
	u64 begin, before, lost = lost_all();
	pid_t pid = child(stop_inside, layout.nrings - 1);
	u32 i;

	wait_stopped(pid);
	drain();
	before = seen_all().records;
	begin = now_ns();
	for (i = 0; i < 1000; i++)
		hit(print_number);
	drain();
	check("stopped holders of all rings but one delay no writer",
	      seen_all().records - before == 1000 && now_ns() - begin < 2000000000);
	kill(pid, SIGCONT);
	waitpid(pid, NULL, 0);
	pid = child(stop_inside, layout.nrings);
	wait_stopped(pid);
	begin = now_ns();
	before = seen_all().records;
	hit(print_number);
	drain();
	check("nor do those of all", now_ns() - begin < 3000000000 &&
					     seen_all().records == before &&
					     lost_all() == lost + 1);
	kill(pid, SIGKILL);
	wait_dead(pid);
	hit(print_number);
	drain();
	check("rings of killed ones are taken over", seen_all().records == before + 1);
	waitpid(pid, NULL, 0);
	check_count("still in sequence", ring_bad, 0);
}

static void print_for_ever(long arg)
{
	(void)arg;
	for (;;)
		hit(print_number);
}

static void test_killed_writers(void)
{
	u32 i, round;
	pid_t pid[3];

	told->made = 0;
	for (round = 0; round < 100; round++) {
		for (i = 0; i < 3; i++)
			pid[i] = child(print_for_ever, 0);
		for (i = 0; i < 3; i++) {
			sleep_us(500 + arch_ticks() % 700);
			kill(pid[i], SIGKILL);
			drain();
		}
		for (i = 0; i < 3; i++)
			waitpid(pid[i], NULL, 0);
		told->made %= NUMBERS / 2;
	}
	drain();
	check_count("killed writers leave whole records", ring_bad, 0);
	for (i = 0; i < 500; i++)
		hit(print_number);
	drain();
	check("and free rings", ring_bad == 0 && !shared.status.skipped_context);
}

int main(void)
{
	start();
	catch_faults();
	test_rings();
	test_stopped_reader();
	test_gaps();
	test_held_rings();
	test_killed_writers();
	return bad;
}
