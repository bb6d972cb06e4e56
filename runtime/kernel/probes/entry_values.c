/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved entry values of return probes: blocks that belong to a task, keyed by the stack pointer at
 * entry and by the probe point.
 *
 * Not all kernels pass a word from entry to return, and none reports that a function was left by
 * longjmp() or an exception. The blocks of a task are therefore a stack: entering a function
 * discards the blocks of deeper ones, as uprobes discards its return addresses. Functions connected
 * by tail calls share a stack pointer. Blocks of exited tasks are reclaimed when no free ones are
 * left.
 */
#include <linux/hash.h>
#include <linux/sched.h>

#include "probes/probes.h"
#include "rt.h"

#define BUCKET_BITS  10
#define MOST_BLOCKS  16384u
#define LEAST_BLOCKS 256u
#define MOST_BYTES   (8u << 20)
/* The limit of uprobes on pending returns per task, and therefore per stack pointer. */
#define MOST_EQUAL MAX_URETPROBE_DEPTH

struct bucket {
	spinlock_t lock;
	struct entry_values *top;
};

static struct bucket *buckets;
static char *blocks;
static u32 nblocks;
static size_t block_size;
static spinlock_t free_lock;
static struct entry_values *free_blocks;
static unsigned long swept; /* jiffies */

static struct bucket *bucket_of(const struct pid *pid)
{
	return &buckets[hash_ptr(pid, BUCKET_BITS)];
}

/* ------------------------------------------------------------ free blocks */

void entry_values_free(struct entry_values *s)
{
	put_pid(s->pid);
	s->pid = NULL;
	spin_lock(&free_lock);
	s->next = free_blocks;
	free_blocks = s;
	spin_unlock(&free_lock);
}

static struct entry_values *take_free(void)
{
	struct entry_values *s;

	spin_lock(&free_lock);
	s = free_blocks;
	if (s)
		free_blocks = s->next;
	spin_unlock(&free_lock);
	return s;
}

/* Unlink *AT. Called with the lock of its bucket held. */
static void reclaim_block(struct entry_values **at)
{
	struct entry_values *s = *at;

	*at = s->next;
	entry_values_free(s);
}

static bool is_gone(const struct entry_values *s)
{
	bool gone;

	rcu_read_lock();
	gone = !pid_task(s->pid, PIDTYPE_PID);
	rcu_read_unlock();
	return gone;
}

/* Reclaim the blocks of exited tasks, at most a few times a second. */
static noinline void sweep(void)
{
	struct entry_values **at;
	u32 i;

	if (time_before(jiffies, READ_ONCE(swept) + HZ / 4))
		return;
	WRITE_ONCE(swept, jiffies);
	for (i = 0; i < 1 << BUCKET_BITS; i++) {
		spin_lock(&buckets[i].lock);
		for (at = &buckets[i].top; *at;)
			if (is_gone(*at))
				reclaim_block(at);
			else
				at = &(*at)->next;
		spin_unlock(&buckets[i].lock);
	}
}

/* -------------------------------------------------------------- the stacks */

/* Discard the task's blocks that are stale: it is about to run at SP, as deep or deeper. */
static void forget(struct bucket *b, const struct pid *pid, unsigned long sp)
{
	struct entry_values **at = &b->top;
	u32 equal = 0;

	while (*at) {
		if ((*at)->pid != pid) {
			at = &(*at)->next;
			continue;
		}
		if ((*at)->sp > sp)
			return;
		if ((*at)->sp < sp || ++equal > MOST_EQUAL)
			reclaim_block(at);
		else
			at = &(*at)->next;
	}
}

/* Count a missed return, and discard blocks of an earlier call so that this call cannot take
 * them. */
static noinline void miss(unsigned long sp)
{
	struct pid *pid = task_pid(current);
	struct bucket *b = bucket_of(pid);

	atomic64_inc(&rt.missed_returns);
	spin_lock(&b->lock);
	forget(b, pid, sp + 1);
	spin_unlock(&b->lock);
}

struct entry_values *entry_values_alloc(const void *point, unsigned long sp)
{
	struct entry_values *s = take_free();

	if (!s) {
		sweep();
		s = take_free();
	}
	if (!s) {
		miss(sp);
		return NULL;
	}
	s->pid = get_pid(task_pid(current));
	s->point = point;
	s->sp = sp;
	return s;
}

void entry_values_push(struct entry_values *s)
{
	struct bucket *b = bucket_of(s->pid);

	spin_lock(&b->lock);
	forget(b, s->pid, s->sp);
	s->next = b->top;
	b->top = s;
	spin_unlock(&b->lock);
}

struct entry_values *entry_values_pop(const void *point, unsigned long sp)
{
	const struct pid *pid = task_pid(current);
	struct bucket *b = bucket_of(pid);
	struct entry_values **at, *s = NULL;

	spin_lock(&b->lock);
	for (at = &b->top; *at; at = &(*at)->next)
		if ((*at)->pid == pid && (*at)->sp == sp && (*at)->point == point) {
			s = *at;
			*at = s->next;
			break;
		}
	spin_unlock(&b->lock);
	return s;
}

void entry_values_rename_task(const void *point, pid_t old)
{
	struct entry_values **at, *s = NULL;
	u32 i;

	for (i = 0; i < 1 << BUCKET_BITS && !s; i++) {
		spin_lock(&buckets[i].lock);
		for (at = &buckets[i].top; *at; at = &(*at)->next)
			if ((*at)->point == point && pid_nr((*at)->pid) == old) {
				s = *at;
				*at = s->next;
				break;
			}
		spin_unlock(&buckets[i].lock);
	}
	if (!s)
		return;
	put_pid(s->pid);
	s->pid = get_pid(task_pid(current));
	entry_values_push(s);
}

/* ------------------------------------------------------------------ making */

static void make_buckets(void)
{
	u32 i;

	for (i = 0; i < 1 << BUCKET_BITS; i++)
		spin_lock_init(&buckets[i].lock);
}

int entry_values_init(void)
{
	u32 i;

	if (!ust_program.saved_words)
		return 0;
	block_size = sizeof(struct entry_values) + ust_program.saved_words * sizeof(ust_long);
	nblocks = clamp_t(u32, MOST_BYTES / block_size, LEAST_BLOCKS, MOST_BLOCKS);
	buckets = port_alloc(sizeof *buckets << BUCKET_BITS);
	blocks = port_alloc(nblocks * block_size);
	if (!buckets || !blocks)
		return -ENOMEM;
	spin_lock_init(&free_lock);
	swept = jiffies;
	make_buckets();
	for (i = 0; i < nblocks; i++) {
		struct entry_values *s = (struct entry_values *)(blocks + i * block_size);

		s->next = free_blocks;
		free_blocks = s;
	}
	return 0;
}

void entry_values_exit(void)
{
	u32 i;

	for (i = 0; blocks && i < nblocks; i++)
		put_pid(((struct entry_values *)(blocks + i * block_size))->pid);
	port_free(blocks);
	port_free(buckets);
	blocks = NULL;
	buckets = NULL;
	free_blocks = NULL;
}
