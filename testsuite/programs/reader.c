// SPDX-License-Identifier: GPL-2.0-or-later
// Reads standard input slowly from a small pipe, and writes the lines other than "y" to standard
// output: for testsuite/ustap.user/reader.stp.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SMALLEST = 4096 };

__attribute__((noinline)) int copy(const char *line)
{
	return strcmp(line, "y\n") && fputs(line, stdout) < 0;
}

int main(void)
{
	char line[SMALLEST];
	int n = 0, wrong = 0;

	fcntl(STDIN_FILENO, F_SETPIPE_SZ, SMALLEST);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		wrong += copy(line);
		if (++n % 100 == 0)
			usleep(1000);
	}
	return wrong;
}
