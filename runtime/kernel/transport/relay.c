/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Relay channels: per-CPU buffers from probe handlers to staprun, read through
 * /proc/ustap/NAME/cpuN.
 *
 * They do not use the kernel's relay API, whose callbacks differ between kernels and whose files
 * need a file system. Also, a handler can wait for space here, every read returns whole records,
 * and dropped records are counted exactly.
 *
 * Writers disable interrupts, so a buffer has one writer at a time; only writers change HEAD, and
 * only the reader changes TAIL. Both count bytes from the start; the _at variants are the same
 * modulo the size.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "context/ring_put.h"
#include "rt.h"
#include "strings/text_copy.h"
#include "wire_records.h"

/* Jiffies that a begin or end probe waits for a reader that does not read. */
#define READER_PATIENCE (5 * HZ)

static uint buffer_mb = 1;
module_param(buffer_mb, uint, 0444);
MODULE_PARM_DESC(buffer_mb, "buffer of each CPU in MB");

struct channel {
	char *buf;
	u32 size;
	u32 head_at, tail_at;
	u64 head, tail;
	u64 seq, lost_records, lost_bytes;
	struct mutex readers;
};

static struct channel __percpu *channels;
static atomic_t readers = ATOMIC_INIT(0);
static pid_t reader_tgid;         /* the process that has opened a buffer last */
static atomic64_t lost_elsewhere; /* dropped on CPUs that came online later and have no buffer */

/* ---------------------------------------------------------------- writing */

static __always_inline void fill_head(struct channel *ch, struct ust_rec *rec, u32 type, u32 len)
{
	rec->len = len;
	rec->type = type;
	rec->cpu = raw_smp_processor_id();
	rec->seq = ch->seq++;
	rec->time = port_monotonic_ns();
}

/* Append a record that wraps around the end of the buffer. */
static noinline void append_around(struct channel *ch, u32 type, const char *text, u32 len)
{
	u32 at = ch->head_at;
	struct ust_rec rec;

	fill_head(ch, &rec, type, len);
	at = ring_put(ch->buf, ch->size, at, &rec, sizeof rec);
	at = ring_put(ch->buf, ch->size, at, text, len);
	at = ALIGN(at, 8);
	ch->head_at = at == ch->size ? 0 : at;
}

static __always_inline bool append(struct channel *ch, u32 type, const char *text, u32 len)
{
	u32 whole = ust_rec_size(len), at = ch->head_at;
	struct ust_rec *rec = (struct ust_rec *)(ch->buf + at);

	if (unlikely(!ring_fits(ch->size, ch->head - smp_load_acquire(&ch->tail), whole, type)))
		return false;
	if (likely(whole < ch->size - at)) {
		fill_head(ch, rec, type, len);
		text_copy((char *)(rec + 1), text, len);
		ch->head_at = at + whole;
	} else {
		append_around(ch, type, text, len);
	}
	smp_store_release(&ch->head, ch->head + whole);
	return true;
}

/* Try once; counts the dropped record if LAST is set. */
static __always_inline bool try_append(u32 type, const char *text, u32 len, bool last)
{
	struct channel *ch;
	unsigned long flags;
	bool done = false;

	local_irq_save(flags);
	guard_hold();
	ch = this_cpu_ptr(channels);
	if (likely(ch->buf)) {
		done = append(ch, type, text, len);
		if (unlikely(!done && last)) {
			ch->seq++;
			ch->lost_records++;
			ch->lost_bytes += len;
		}
	} else if (last) {
		atomic64_inc(&lost_elsewhere);
	}
	guard_release();
	local_irq_restore(flags);
	return done;
}

static u64 total_read(void)
{
	u64 sum = 0;
	u32 cpu;

	for_each_possible_cpu(cpu) sum += READ_ONCE(per_cpu_ptr(channels, cpu)->tail);
	return sum;
}

/* Wait until part of the buffers has been read; false if no reader can be expected. */
static bool wait_for_reader(u64 read_before)
{
	unsigned long end = jiffies + READER_PATIENCE;

	while (total_read() == read_before) {
		if (!relay_has_reader() || fatal_signal_pending(current) ||
		    time_after(jiffies, end))
			return false;
		schedule_timeout_killable(1);
	}
	return true;
}

static noinline void append_or_wait(u32 type, const char *text, u32 len)
{
	u64 read_before;

	do {
		read_before = total_read();
		if (try_append(type, text, len, false))
			return;
	} while (wait_for_reader(read_before));
	try_append(type, text, len, true);
}

/* --------------------------------------------------------------- lossless */

static bool is_lossless(void) { return ust_program.flags & UST_PROG_LOSSLESS; }

bool relay_is_reader(void) { return current->tgid == READ_ONCE(reader_tgid); }

bool relay_stalled(void)
{
	u32 cpu;

	if (likely(!is_lossless()) || !relay_has_reader())
		return false;
	for_each_possible_cpu(cpu)
	{
		const struct channel *ch = per_cpu_ptr(channels, cpu);
		u64 used = READ_ONCE(ch->head) - READ_ONCE(ch->tail);

		if (ch->buf && used && used + UST_REC_MAX + RING_RESERVE > ch->size)
			return true;
	}
	return false;
}

bool relay_try(u32 type, const char *text, u32 len, bool last)
{
	return try_append(type, text, len, last);
}

void relay_wait(u32 type, const char *text, u32 len)
{
	while (relay_has_reader() && !fatal_signal_pending(current)) {
		schedule_timeout_killable(1);
		if (try_append(type, text, len, false))
			return;
	}
	try_append(type, text, len, true);
}

void port_write_output(struct ust_ctx *c, u32 type, const char *text, u32 len)
{
	port_write(type, text, len, c->hit->mode == PORT_ALONE);
}

void port_write(u32 type, const char *text, u32 len, bool may_wait)
{
	if (likely(!may_wait))
		try_append(type, text, len, true);
	else
		append_or_wait(type, text, len);
}

void relay_message(u32 type, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vscnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	port_write(type, text, n, false);
}

void relay_lost(u64 *records, u64 *bytes)
{
	u32 cpu;

	*records = atomic64_read(&lost_elsewhere);
	*bytes = 0;
	for_each_possible_cpu(cpu)
	{
		*records += READ_ONCE(per_cpu_ptr(channels, cpu)->lost_records);
		*bytes += READ_ONCE(per_cpu_ptr(channels, cpu)->lost_bytes);
	}
}

bool relay_has_reader(void) { return atomic_read(&readers) > 0; }

/* ---------------------------------------------------------------- reading */

/* Size in bytes of the record at AT of the buffer. */
static u32 record_size(const struct channel *ch, u32 at)
{
	u32 len;

	/* records are multiples of 8 bytes, as is the buffer: len never wraps */
	memcpy(&len, ch->buf + at, sizeof len);
	return ust_rec_size(len);
}

/* Size in bytes of the whole records before HEAD that fit in ROOM. */
static u32 whole_records(const struct channel *ch, u64 head, u32 room)
{
	u32 at = ch->tail_at, sum = 0;

	while (ch->tail + sum < head) {
		u32 n = record_size(ch, at);

		if (sum + n > room)
			break;
		sum += n;
		at += n;
		if (at >= ch->size)
			at -= ch->size;
	}
	return sum;
}

static int copy_out(const struct channel *ch, char __user *buf, u32 n)
{
	u32 to_end = ch->size - ch->tail_at, first = n < to_end ? n : to_end;

	if (copy_to_user(buf, ch->buf + ch->tail_at, first) ||
	    copy_to_user(buf + first, ch->buf, n - first))
		return -EFAULT;
	return 0;
}

static ssize_t read_locked(struct channel *ch, char __user *buf, size_t size)
{
	u64 head = smp_load_acquire(&ch->head);
	u32 n;
	int err;

	if (head == ch->tail)
		return 0;
	n = whole_records(ch, head, min_t(size_t, size, ch->size));
	if (!n)
		return -EINVAL;
	err = copy_out(ch, buf, n);
	if (err)
		return err;
	ch->tail_at += n;
	if (ch->tail_at >= ch->size)
		ch->tail_at -= ch->size;
	smp_store_release(&ch->tail, ch->tail + n);
	return n;
}

/* Read whole records; returns 0 if the buffer is empty. */
static ssize_t cpu_read(struct file *file, char __user *buf, size_t size, loff_t *pos)
{
	struct channel *ch = pde_data(file_inode(file));
	ssize_t n;

	if (mutex_lock_killable(&ch->readers))
		return -EINTR;
	n = read_locked(ch, buf, size);
	mutex_unlock(&ch->readers);
	return n;
}

static int cpu_open(struct inode *inode, struct file *file)
{
	WRITE_ONCE(reader_tgid, current->tgid);
	atomic_inc(&readers);
	return 0;
}

static int cpu_release(struct inode *inode, struct file *file)
{
	atomic_dec(&readers);
	return 0;
}

static const struct proc_ops cpu_ops = {
	.proc_open = cpu_open,
	.proc_release = cpu_release,
	.proc_read = cpu_read,
};

/* ----------------------------------------------------------------- making */

static int make_channel(struct proc_dir_entry *dir, u32 cpu)
{
	struct channel *ch = per_cpu_ptr(channels, cpu);
	char name[16];

	mutex_init(&ch->readers);
	ch->size = buffer_mb << 20;
	ch->buf = vzalloc_node(ch->size, cpu_to_node(cpu));
	snprintf(name, sizeof name, "cpu%u", cpu);
	return ch->buf && proc_create_data(name, 0400, dir, &cpu_ops, ch) ? 0 : -ENOMEM;
}

/* True if there is memory for all buffers; allocating more would invoke the OOM killer. */
static bool enough_memory(void)
{
	u64 pages = (u64)num_online_cpus() * buffer_mb << (20 - PAGE_SHIFT);
	long available = si_mem_available();

	return available > 0 && pages <= (u64)available / 4 * 3;
}

int relay_init(struct proc_dir_entry *dir)
{
	u32 cpu;
	int err;

	if (buffer_mb < 1 || buffer_mb > 4095)
		return -EINVAL;
	if (!enough_memory())
		return -ENOMEM;
	channels = alloc_percpu(struct channel);
	if (!channels)
		return -ENOMEM;
	for_each_online_cpu(cpu)
	{
		err = make_channel(dir, cpu);
		if (err)
			return err;
	}
	return 0;
}

void relay_exit(void)
{
	u32 cpu;

	if (!channels)
		return;
	for_each_possible_cpu(cpu) vfree(per_cpu_ptr(channels, cpu)->buf);
	free_percpu(channels);
	channels = NULL;
}
