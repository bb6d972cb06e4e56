/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look() is given text in several forms, and the last bytes before what cannot be read. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <uchar.h>

__attribute__((noipa)) int look(const void *bytes, const char16_t *u16, const char32_t *u32, const char16_t *bad, const char *open)
{
	__asm__ volatile("" : : "r"(bytes), "r"(u16), "r"(u32), "r"(bad), "r"(open) : "memory");
	return 0;
}

int main(void)
{
	static const char16_t half[] = {'a', 0xd83d, 'b', 0};
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(pages + 4096, 4096, PROT_NONE);
	memcpy(pages + 4092, "open", 4);
	look("a\0\"b\"\n\377z", u"gr\u00fc\u00df \u20ac \U0001f600", U"\u03c0 \U0001f600", half, pages + 4092);
	puts("done");
	return 0;
}
