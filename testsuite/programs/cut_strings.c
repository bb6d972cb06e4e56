/* Deep stacks and long strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noipa)) int bottom(const char *text) { return text[0]; }

__attribute__((noipa)) int a_function_with_a_name_of_forty_characters(int n, const char *text)
{
	return n ? 1 + a_function_with_a_name_of_forty_characters(n - 1, text) : bottom(text);
}

int main(void)
{
	char text[600];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = 0;
	/* the longest that fits, and one byte more */
	a_function_with_a_name_of_forty_characters(15, text + sizeof text - 512);
	bottom(text + sizeof text - 513);
	return 0;
}
