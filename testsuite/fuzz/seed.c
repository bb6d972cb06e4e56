/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source of the ELF fuzzer's seeds (fuzz/seeds), built in many forms: small, without libc, with
 * samples of all constructs. */
enum way { NEAR, FAR = 7 };
union both {
	int i;
	float f;
};
struct item {
	int a, bits : 3, more : 5;
	short grid[2][3];
	const char *name;
	union both u;
	struct item *next;
	enum way way;
};
struct item the_item = {1, 2, 3, {{1, 2, 3}, {4, 5, 6}}, "name", {4}, &the_item, FAR};
static long total;
static __thread int own;

#define MARK(name, args)                                                           \
	"990: nop\n.pushsection .note.stapsdt,\"\",@note\n"                        \
	".balign 4\n .4byte 992f-991f, 994f-993f, 3\n"                             \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n"                                \
	"993: .8byte 990b, _.stapsdt.base, 0\n"                                    \
	".asciz \"seed\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n"              \
	"994: .balign 4\n.popsection\n.ifndef _.stapsdt.base\n"                    \
	".pushsection .stapsdt.base,\"aG\",@progbits,.stapsdt.base,comdat\n"       \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n" \
	".size _.stapsdt.base,1\n.popsection\n.endif\n"

static inline __attribute__((always_inline)) int mix(struct item *p, int by)
{
	int all = p->a;

	for (int i = 0; i < by; i++)
		all += p->grid[i & 1][i % 3];
	return all;
}

__attribute__((noinline)) long area(struct item *p, int times, double d, enum way way)
{
	int local[3] = {times, way, p->bits};
	struct item copy = *p;

	__asm__ volatile(MARK("mark", "8@%%rdi -4@%%esi 4@-4(%%rsp) $5 4@the_item+4(%%rip)")
			 :
			 : "r"(local), "r"(&copy));
	total += mix(p, times) + (long)d;
	if (way == FAR)
		goto out;
	own += mix(&copy, local[1]);
out:
	return total + own;
}

int main(void) { return (int)area(&the_item, 3, 1.5, NEAR); }

void _start(void)
{
	main();
	for (;;)
		;
}
