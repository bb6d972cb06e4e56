/* Indirect functions (IFUNC): one whose copies the compiler chooses from, one with a resolver, one
 * whose resolver calls through a pointer; and those of the C library. */
#include <stdio.h>
#include <string.h>

__attribute__((noinline, target_clones("avx2", "default"))) long total(const int *v, int n)
{
	long s = 0;

	for (int i = 0; i < n; i++)
		s += v[i];
	return s;
}

static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
static int fourfold(int x) { return 4 * x; }

static int (*resolve(void))(int)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("sse2") ? twice : thrice;
}
int by_processor(int x) __attribute__((ifunc("resolve")));

static int (*find(void))(int) { return fourfold; }
static int (*resolve_elsewhere(void))(int)
{
	static int (*(*volatile finder)(void))(int) = find;

	return finder();
}
int from_elsewhere(int x) __attribute__((ifunc("resolve_elsewhere")));

int main(void)
{
	static volatile int v[100];
	char text[200], copy[200] = "";
	long sum = 0;

	for (int i = 0; i < 100; i++)
		v[i] = i;
	for (int i = 0; i < 7; i++)
		sum += total((const int *)v, 100) + by_processor(i) + from_elsewhere(i);
	memset(text, 'x', sizeof text);
	text[177] = 0;
	for (int i = 0; i < 5; i++) {
		sum += (long)strlen(text);
		memcpy(copy, text, 150 + (size_t)i);
	}
	printf("%ld %zu\n", sum, strlen(copy));
	return 0;
}
