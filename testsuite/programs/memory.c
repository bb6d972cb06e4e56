/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look() is given memory of all kinds of numbers, and a string that ends with the last byte before what cannot be read. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((noipa)) int look(const void *numbers, const char *text, const char *open)
{
	__asm__ volatile("" : : "r"(numbers), "r"(text), "r"(open) : "memory");
	return 0;
}

int main(void)
{
	uint64_t numbers = 0xf1f2f3f4f5f6f7f8;
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(pages + 4096, 4096, PROT_NONE);
	memcpy(pages + 4092, "open", 4);
	memcpy(pages + 100, "some text", 10);
	look(&numbers, pages + 100, pages + 4092);
	puts("done");
	return 0;
}
