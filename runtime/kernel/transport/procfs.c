/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files below /proc/ustap/NAME with handlers for reads and writes.
 *
 * A handler runs in the task that reads or writes, one at a time. The text of a read is produced
 * when a process reads from the beginning, and stays with its open file, so that it is consistent
 * whatever the size of the reads.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "rt.h"

struct text {
	size_t len, size;
	char bytes[];
};

struct file_probes {
	const struct ust_probe *read, *write;
};
static struct file_probes *files;
static u32 nfiles;

static DEFINE_MUTEX(running_handlers);

static bool is_file(const struct ust_probe *p)
{
	return p->kind == UST_PROBE_PROCFS_READ || p->kind == UST_PROBE_PROCFS_WRITE;
}

/* ------------------------------------------------------------- $value */

/* The type of a hit's subject depends on the probe type: it is a text only in probes of KIND. */
static struct text *text_of(struct ust_ctx *c, u32 kind)
{
	const struct ust_probe *p = c->hit->probe;

	if (likely(p && p->kind == kind && c->hit->subject))
		return (struct text *)c->hit->subject;
	ctx_fail(c, kind == UST_PROBE_PROCFS_READ
			    ? "$value is valid only while a procfs file is read"
			    : "$value is valid only while a procfs file is written");
	return NULL;
}

/* Append TEXT; characters beyond the file's size are dropped. */
void ust_procfs_add(struct ust_ctx *c, const char *text)
{
	struct text *t = text_of(c, UST_PROBE_PROCFS_READ);
	size_t n = t ? min(strlen(text), t->size - t->len) : 0;

	if (!t)
		return;
	memcpy(t->bytes + t->len, text, n);
	t->len += n;
}

void ust_procfs_set(struct ust_ctx *c, const char *text)
{
	struct text *t = text_of(c, UST_PROBE_PROCFS_READ);

	if (!t)
		return;
	t->len = 0;
	ust_procfs_add(c, text);
}

const char *ust_procfs_value(struct ust_ctx *c, char *dst)
{
	const struct text *t = text_of(c, UST_PROBE_PROCFS_WRITE);

	ust_strcpy(dst, t ? t->bytes : "");
	return dst;
}

/* ------------------------------------------------------------- handlers */

static int run(const struct ust_probe *p, struct text *t)
{
	struct ust_hit hit = {.probe = p, .mode = RT_THREAD, .subject = t};
	int err = 0;

	if (mutex_lock_killable(&running_handlers))
		return -EINTR;
	if (READ_ONCE(rt.armed))
		p->handler(&hit);
	else
		err = -ENODEV;
	mutex_unlock(&running_handlers);
	return err;
}

static void await_handlers(void)
{
	mutex_lock(&running_handlers);
	mutex_unlock(&running_handlers);
}

static struct text *text_new(size_t size)
{
	struct text *t = kvzalloc(sizeof *t + size + 1, GFP_KERNEL);

	if (t)
		t->size = size;
	return t;
}

static struct file_probes *probes_of(struct file *file) { return pde_data(file_inode(file)); }

/* Run the handler again: a read from the beginning gets the current state. */
static int refresh(struct file *file)
{
	const struct ust_probe *p = probes_of(file)->read;
	struct text *t = file->private_data, *other;

	if (!t) {
		t = text_new(p->file.size ? p->file.size : ust_program.maxstringlen);
		if (!t)
			return -ENOMEM;
		other = cmpxchg(&file->private_data, NULL, t);
		if (other) {
			kvfree(t);
			t = other;
		}
	}
	t->len = 0;
	return run(p, t);
}

static ssize_t file_read(struct file *file, char __user *to, size_t n, loff_t *pos)
{
	const struct text *t;
	int err;

	if (!probes_of(file)->read)
		return -EINVAL;
	err = *pos ? 0 : refresh(file);
	t = file->private_data;
	return err ? err : t ? simple_read_from_buffer(to, n, pos, t->bytes, t->len) : 0;
}

/* Text that is longer than a string reaches the handler in pieces. */
static ssize_t file_write(struct file *file, const char __user *from, size_t n, loff_t *pos)
{
	const struct ust_probe *p = probes_of(file)->write;
	struct text *t;
	int err;

	if (!p)
		return -EINVAL;
	n = min_t(size_t, n, ust_program.maxstringlen - 1);
	t = text_new(n);
	if (!t)
		return -ENOMEM;
	err = copy_from_user(t->bytes, from, n) ? -EFAULT : run(p, t);
	kvfree(t);
	return err ? err : (ssize_t)n;
}

static int file_release(struct inode *inode, struct file *file)
{
	kvfree(file->private_data);
	return 0;
}

static const struct proc_ops file_ops = {
	.proc_read = file_read,
	.proc_write = file_write,
	.proc_lseek = default_llseek,
	.proc_release = file_release,
};

/* --------------------------------------------------------------- files */

/* Directories that have been created for the paths of files. */
static struct made {
	struct made *next;
	struct proc_dir_entry *dir;
	size_t len;
	const char *path;
} * made;

static struct proc_dir_entry *find_dir(const char *path, size_t len)
{
	const struct made *m;

	for (m = made; m; m = m->next)
		if (m->len == len && !memcmp(m->path, path, len))
			return m->dir;
	return NULL;
}

static struct proc_dir_entry *make_dir(const char *path, size_t len, size_t name,
				       struct proc_dir_entry *above)
{
	struct made *m = kmalloc(sizeof *m, GFP_KERNEL);
	char text[64];

	if (!m)
		return NULL;
	snprintf(text, sizeof text, "%.*s", (int)(len - name), path + name);
	*m = (struct made){made, proc_mkdir_mode(text, 0711, above), len, path};
	made = m;
	return m->dir;
}

/* The directory for the file of PATH, and the file's own name. */
static struct proc_dir_entry *directory_of(const char *path, struct proc_dir_entry *top,
					   const char **name)
{
	struct proc_dir_entry *dir = top, *next;
	size_t from = 0, len;

	for (; dir && strchr(path + from, '/'); from = len + 1, dir = next) {
		len = strchr(path + from, '/') - path;
		next = find_dir(path, len);
		if (!next)
			next = make_dir(path, len, from, dir);
	}
	*name = path + from;
	return dir;
}

static const struct ust_probe *find_other(const struct ust_probe *p)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++) {
		const struct ust_probe *q = &ust_program.probes[i];

		if (q != p && is_file(q) && !strcmp(p->file.path, q->file.path))
			return q;
	}
	return NULL;
}

/* Create the file of P; its owner is the user who runs the script. */
static int make_file(const struct ust_probe *p, const struct ust_probe *other,
		     struct proc_dir_entry *top)
{
	struct file_probes *f = &files[nfiles++];
	struct proc_dir_entry *dir, *made_file;
	umode_t mode = p->file.mode | (other ? other->file.mode : 0);
	const char *name;

	f->read = p->kind == UST_PROBE_PROCFS_READ ? p : other;
	f->write = p->kind == UST_PROBE_PROCFS_WRITE ? p : other;
	dir = directory_of(p->file.path, top, &name);
	made_file = dir ? proc_create_data(name, mode, dir, &file_ops, f) : NULL;
	if (!made_file)
		return -ENOMEM;
	proc_set_user(made_file, current_uid(), current_gid());
	return 0;
}

static int make_files(struct proc_dir_entry *dir)
{
	u32 i;
	int err = 0;

	files = kcalloc(ust_program.nprobes, sizeof *files, GFP_KERNEL);
	if (!files)
		return -ENOMEM;
	for (i = 0; i < ust_program.nprobes && !err; i++) {
		const struct ust_probe *p = &ust_program.probes[i],
				       *other = is_file(p) ? find_other(p) : NULL;

		if (is_file(p) && (!other || other > p))
			err = make_file(p, other, dir);
	}
	return err;
}

static void forget_files(void)
{
	struct made *m;

	while ((m = made)) {
		made = m->next;
		kfree(m);
	}
	kfree(files);
	files = NULL;
}

const struct ust_procfs ust_procfs = {
	.init = make_files, .stop = await_handlers, .release = forget_files};
