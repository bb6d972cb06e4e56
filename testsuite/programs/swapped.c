/* SPDX-License-Identifier: GPL-2.0-or-later */
/* take(p) with P in a page that was written and then sent to swap; exit status 1 if it is still there. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#define PAGE 4096

__attribute__((noipa)) void take(const char *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

static int resident(char *p)
{
	unsigned char there = 1;

	return !mincore(p, PAGE, &there) && (there & 1);
}

int main(void)
{
	char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	strcpy(p, "back from swap");
	for (int i = 0; i < 100 && resident(p); i++) {
		madvise(p, PAGE, MADV_PAGEOUT);
		usleep(1000);
	}
	if (resident(p))
		return 1;
	take(p);
	return 0;
}
