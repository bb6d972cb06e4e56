/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory, registers and auxiliary vector of a process that is stopped. */
#include "inject/arch/regs.h"
#include "inject/ptrace/ptrace.h"
#include "base/proc_stat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <unistd.h>

size_t tracee_read_some(const struct tracee *t, uint64_t addr, void *to, size_t size)
{
	size_t got = 0;

	for (ssize_t n; got < size; got += (size_t)n) {
		n = pread(t->mem, (char *)to + got, size - got, (off_t)(addr + got));
		if (n <= 0)
			break;
	}
	return got;
}

bool tracee_read(const struct tracee *t, uint64_t addr, void *to, size_t size)
{
	return tracee_read_some(t, addr, to, size) == size;
}

/* Write word by word, for kernels where only ptrace may write to memory that the process may not
 * write. */
static bool poke(pid_t tid, uint64_t addr, const unsigned char *from, size_t size)
{
	while (size) {
		uint64_t word, at = addr & -(uint64_t)sizeof word;
		size_t skip = addr - at, n = sizeof word - skip < size ? sizeof word - skip : size;

		errno = 0;
		word = (uint64_t)ptrace(PTRACE_PEEKDATA, tid, at, 0);
		if (errno)
			return false;
		memcpy((char *)&word + skip, from, n);
		if (ptrace(PTRACE_POKEDATA, tid, at, word) < 0)
			return false;
		addr += n;
		from += n;
		size -= n;
	}
	return true;
}

bool tracee_write(const struct tracee *t, uint64_t addr, const void *from, size_t size)
{
	ssize_t n = 1;

	for (; size && n > 0; from = (const char *)from + n, addr += (size_t)n, size -= (size_t)n) {
		n = pwrite(t->mem, from, size, (off_t)addr);
		if (n <= 0)
			break;
	}
	if (!size)
		return true;
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].stopped)
			return poke(t->v[i].tid, addr, from, size);
	return false;
}

uint64_t tracee_pc(const struct tracee *t, size_t i) { return regs_pc(&t->v[i].regs); }

uint64_t tracee_sp(const struct tracee *t, size_t i) { return regs_sp(&t->v[i].regs); }

void tracee_set_pc(struct tracee *t, size_t i, uint64_t pc)
{
	regs_set_pc(&t->v[i].regs, pc);
	t->v[i].changed = true;
}

static ssize_t read_auxv(pid_t tid, Elf64_auxv_t *v, size_t size)
{
	char name[40];
	ssize_t n;
	int fd;

	snprintf(name, sizeof name, "/proc/%d/auxv", (int)tid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, v, size);
	close(fd);
	return n;
}

uint64_t auxv_value(pid_t pid, unsigned long type)
{
	Elf64_auxv_t v[64];
	ssize_t n = read_auxv(pid, v, sizeof v);

	if (n <= 0)
		n = read_auxv(proc_live_thread(pid), v, sizeof v);
	for (ssize_t i = 0; i < n / (ssize_t)sizeof v[0] && v[i].a_type != AT_NULL; i++)
		if (v[i].a_type == type)
			return v[i].a_un.a_val;
	return 0;
}
