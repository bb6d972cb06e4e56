/* Calls three functions of libraries for the first time, which lazy linking resolves then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int n, char **words)
{
	char *copy = strdup(words[0]);

	printf("resolved %d\n", (copy != NULL) + atoi("1") + (int)strtol("1", NULL, 10));
	free(copy);
	return n - 1;
}
