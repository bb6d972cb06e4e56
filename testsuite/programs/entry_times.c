/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function that takes no time, called 50 times. */
__attribute__((noinline)) int quick(int n, const char *s)
{
	return s[n] + n;
}

int main(void)
{
	volatile int sum = 0;

	for (int i = 0; i < 50; i++)
		sum += quick(i % 5, "quick");
	return sum == 0;
}
