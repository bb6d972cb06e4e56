/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions whose symbols have the suffixes of copies and parts that compilers make. */
#define FUNCTION(name, symbol) \
	int name(int n) __asm__(symbol); \
	__attribute__((noinline)) int name(int n) \
	{ \
		__asm__ volatile("" : "+r"(n)); \
		return n + __LINE__; \
	}

FUNCTION(work, "work")
FUNCTION(work_constant, "work.specialized.1")
FUNCTION(work_shorter, "work.argelim")
FUNCTION(work_by_value, "work.argprom")
FUNCTION(work_local, "work.__uniq.1234567")
FUNCTION(rest, "rest")
FUNCTION(rest_part, "rest.part.0")
FUNCTION(rest_cold, "rest.cold")

int main(void)
{
	int all = work(1) + work_constant(2) + work_shorter(3) + work_by_value(4) + work_local(5);

	return all + rest(6) + rest_part(7) + rest_cold(8) == 0;
}
