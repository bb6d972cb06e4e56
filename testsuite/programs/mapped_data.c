/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `mapped_data FILE keep|remove STOP': maps FILE as code, as runtimes do with code that they have
 * made, and removes it, or keeps it. When STOP exists, calls step() once.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noipa)) int step(int n) { return n + 1; }

int main(int argc, char **argv)
{
	int fd = argc == 4 ? open(argv[1], O_RDONLY) : -1, n;

	if (fd < 0 || mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) {
		perror("mapped_data");
		return 1;
	}
	if (!strcmp(argv[2], "remove"))
		unlink(argv[1]);
	puts("ready");
	fflush(stdout);
	while (access(argv[3], F_OK))
		usleep(20000);
	n = step(1);
	return n != 2;
}
