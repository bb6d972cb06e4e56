/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * endless_environment unmapped|mapped [SECONDS]: a process that has its arguments and its
 * environment end far behind where they do, in memory that is not mapped or in many megabytes of
 * zeros.  Then it runs for SECONDS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <linux/prctl.h>

enum { MAPPED = 64 << 20 };

/* Field N of the process, from /proc/self/stat. */
static unsigned long field(int n)
{
	char text[4096], *p;
	FILE *f = fopen("/proc/self/stat", "re");
	size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;

	if (f)
		fclose(f);
	text[len] = 0;
	for (p = strrchr(text, ')'), n -= 2; p && n; n--)
		p = strchr(p + 1, ' ');
	return p ? strtoul(p, NULL, 10) : 0;
}

static void set(unsigned long start, unsigned long end)
{
	struct prctl_mm_map m = {
		.start_code = field(26), .end_code = field(27), .start_stack = field(28),
		.start_data = field(45), .end_data = field(46), .start_brk = field(47),
		.brk = (unsigned long)sbrk(0), .arg_start = start, .arg_end = end,
		.env_start = start, .env_end = end, .exe_fd = ~0u,
	};

	if (prctl(PR_SET_MM, PR_SET_MM_MAP, &m, sizeof m, 0)) {
		perror("PR_SET_MM_MAP");
		exit(1);
	}
}

static void __attribute__((noinline)) mark(void) { __asm__ volatile(""); }

int main(int argc, char **argv)
{
	time_t end;
	char *zeros = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (zeros == MAP_FAILED || argc < 2)
		return 1;
	if (!strcmp(argv[1], "mapped")) {
		memset(zeros, 0, MAPPED / 8);
		set((unsigned long)zeros, (unsigned long)zeros + MAPPED);
	} else {
		set(0x100000, 0x7fffffffe000);
	}
	mark();
	end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 0);
	while (time(NULL) < end)
		;
	return 0;
}
