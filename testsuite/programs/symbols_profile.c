/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that makes its dynamic symbol table endless: symbols_profile executes the file "other" beside it, of which the
 * tracer knows nothing. That points its DT_SYMTAB at a million functions, all in memory, each of which is nearer to the
 * code than the one before, and runs for 20 seconds.
 */
#include <elf.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SYMBOLS = 1000000 };

extern Elf64_Dyn _DYNAMIC[];

static void lie(void)
{
	size_t size = SYMBOLS * sizeof(Elf64_Sym);
	Elf64_Sym *all = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (all == MAP_FAILED)
		return;
	for (size_t i = 1; i < SYMBOLS; i++) {
		all[i].st_info = STT_FUNC;
		all[i].st_value = i;
		all[i].st_size = INT32_MAX;
	}
	strcpy((char *)all + size, "nearest");
	for (Elf64_Dyn *d = _DYNAMIC; d->d_tag; d++)
		if (d->d_tag == DT_SYMTAB)
			d->d_un.d_ptr = (uintptr_t)all;
		else if (d->d_tag == DT_STRTAB)
			d->d_un.d_ptr = (uintptr_t)all + size;
		else if (d->d_tag == DT_STRSZ)
			d->d_un.d_val = 4096;
}

static void end(int signo)
{
	(void)signo;
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	char other[4096];

	if (argc == 1) {
		snprintf(other, sizeof other, "%.*s/other", slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
		execl(other, "other", "lie", (char *)NULL);
		return 1;
	}
	lie();
	signal(SIGALRM, end);
	alarm(20);
	for (volatile unsigned n = 0;; n++)
		;
}
