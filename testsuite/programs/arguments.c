/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives its arguments to a function: strings at the very end of the stack. */
__attribute__((noinline)) void take(const char *s)
{
	__asm__ volatile("" : : "r"(s) : "memory");
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		take(argv[i]);
	return 0;
}
