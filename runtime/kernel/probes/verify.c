/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Site verification: makes the kernel examine the instructions of sites while they are registered.
 *
 * A kernel examines a probed instruction when some process has it mapped, and refuses some (lock
 * and segment prefixes, opcodes that it cannot single-step). If no process has it mapped,
 * registration succeeds, and a refusal when the file is mapped later has no effect except that the
 * probe never fires. So the loader maps the part of the file whose sites are being registered: then
 * registration fails as it should. The mapping is never executed.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>

#include "probes/probes.h"
#include "rt.h"

/* Each page with a site is copied for the mapping, so only a part of a file is mapped at a time. */
#define WINDOW (1ull << 20)

static struct {
	const struct path *path; /* of the file that is mapped */
	struct file *file;
	struct mm_struct *mm; /* memory map with the part from FROM on mapped at ADDR, or NULL */
	unsigned long addr;
	u64 from;
} window;

static void unmap(void)
{
	if (window.mm)
		vm_munmap(window.addr, WINDOW);
	WRITE_ONCE(window.mm, NULL);
}

static void close_file(void)
{
	unmap();
	if (window.file)
		fput(window.file);
	window.file = NULL;
	window.path = NULL;
}

static void open_program(const struct path *path)
{
	struct file *file;

	close_file();
	window.path = path;
	file = dentry_open(path, O_RDONLY | O_LARGEFILE, current_cred());
	window.file = IS_ERR(file) ? NULL : file;
}

/* Map the part of file PATH at OFFSET, if possible. Task context, may sleep; the memory map must
 * not be locked. */
void verify_at(const struct path *path, u64 offset)
{
	unsigned long addr;

	if (window.path != path)
		open_program(path);
	if (!window.file || !current->mm ||
	    (window.mm && offset >= window.from && offset - window.from < WINDOW))
		return;
	unmap();
	window.from = offset & PAGE_MASK;
	addr = vm_mmap(window.file, 0, WINDOW, PROT_READ | PROT_EXEC, MAP_PRIVATE, window.from);
	if (IS_ERR_VALUE(addr))
		return;
	window.addr = addr;
	WRITE_ONCE(window.mm, current->mm);
}

/* True if MM is the loader's, with the mapping. Any context. */
bool verify_uses(const struct mm_struct *mm) { return READ_ONCE(window.mm) == mm; }

void verify_end(void) { close_file(); }
