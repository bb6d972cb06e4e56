/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets that share a port, and leave it. */
#include <netinet/in.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t len = sizeof addr;
	int one = 1, fd[2];

	for (int i = 0; i < 2; i++) {
		fd[i] = socket(AF_INET, SOCK_DGRAM, 0);
		if (setsockopt(fd[i], SOL_SOCKET, SO_REUSEPORT, &one, sizeof one) || bind(fd[i], (void *)&addr, sizeof addr) ||
		    getsockname(fd[i], (void *)&addr, &len))
			perror("reuseport");
	}
	close(fd[0]);
	close(fd[1]);
	return 0;
}
