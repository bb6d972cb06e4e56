/* SPDX-License-Identifier: GPL-2.0-or-later */
/* forged_libraries circle | wild | endless | headers: damages the dynamic linker's list of its
 * libraries, and then has functions called from code that it makes at run time and from main(). */
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, CALLS = 2000 };

__attribute__((noinline, noclone)) long called(long n) { return n + 1; }

static unsigned char *pages(int n)
{
	unsigned char *p = mmap(NULL, (size_t)n * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

/* An image without code, whose program headers are many, or elsewhere. */
static ElfW(Addr) image(uint64_t phoff)
{
	ElfW(Ehdr) *e = (ElfW(Ehdr) *)(void *)pages(1);

	memcpy(e->e_ident, ELFMAG, SELFMAG);
	e->e_phnum = 0xffff;
	e->e_phoff = phoff;
	return (ElfW(Addr))e;
}

static struct link_map first, second;

static void damage(const char *how)
{
	char *name = (char *)pages(2);

	first = second = *_r_debug.r_map;
	first.l_next = &second;
	second.l_next = NULL;
	if (!strcmp(how, "circle")) {
		second.l_next = &first;
	} else if (!strcmp(how, "wild")) {
		second.l_next = (struct link_map *)(uintptr_t)-4096;
		first.l_name = (char *)(uintptr_t)0xffffffff80000000;
	} else if (!strcmp(how, "endless")) {
		/* a name without an end, before a page that is not there */
		memset(name, '/', PAGE);
		munmap(name + PAGE, PAGE);
		second.l_next = &second;
		second.l_name = name + 1;
	} else {
		first.l_addr = image(64);
		second.l_addr = image((uint64_t)-PAGE);
	}
	_r_debug.r_map = &first;
}

int main(int argc, char **argv)
{
	/* sub $8,%rsp; call *%rsi; add $8,%rsp; ret */
	static const unsigned char code[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd6,
					     0x48, 0x83, 0xc4, 8, 0xc3};
	struct link_map *own = _r_debug.r_map;
	long sum = 0;

	damage(argc > 1 ? argv[1] : "");
	for (int i = 0; i < CALLS; i++) {
		unsigned char *made = pages(1);

		memcpy(made, code, sizeof code);
		sum += ((long (*)(long, long (*)(long)))(uintptr_t)made)(i, called);
		sum += called(i);
	}
	_r_debug.r_map = own;
	printf("%s: %ld\n", argv[1], sum);
	return 0;
}
