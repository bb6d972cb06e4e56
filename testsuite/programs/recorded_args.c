/* Arguments and returned values that `ustap record --args' records. */
#include <string.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP     __asm__ volatile("" ::: "memory")

enum { CALLS = 3000, LONG = 400 };

struct point {
	int x, y;
};
enum color { RED, GREEN };

NOINLINE int number(int a, unsigned char b, long c)
{
	KEEP;
	return a - b - (int)(c >> 38);
}

NOINLINE const char *text(const char *s)
{
	KEEP;
	return s + 1;
}

NOINLINE enum color structure(const struct point *p, enum color c)
{
	KEEP;
	return p ? c : RED;
}

NOINLINE void control(const char *s)
{
	(void)s;
	KEEP;
}

int main(void)
{
	char *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct point p = {3, -4};
	char more[LONG];
	int sum = 0;

	memset(more, 'x', sizeof more - 1);
	more[sizeof more - 1] = 0;
	KEEP;
	sum += number(-1, 200, 1l << 40);
	text("hello");
	text(gone);
	structure(&p, GREEN);
	structure((struct point *)gone, 7);
	control("a\033[2J\n\"b");
	control(more);
	for (int i = 0; i < CALLS; i++)
		sum += number(i, 0, 0);
	munmap(gone, 4096);
	return sum == 0;
}
