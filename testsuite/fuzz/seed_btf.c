/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions and types whose BTF the name fuzzer uses as a kernel's. */
enum way { NEAR, FAR = 7 };
union both {
	int i;
	long l;
};
struct item {
	int a, bits : 3, more : 5;
	short grid[2][3];
	const char *name;
	union both u;
	struct item *next;
	enum way way;
};

__attribute__((noinline)) int area(struct item *p, int times, enum way way)
{
	return p->a + p->next->bits + times + way;
}

__attribute__((noinline)) struct item *find(struct item *p) { return p->next; }
