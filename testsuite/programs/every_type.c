/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comes by probes of all types: functions, system calls, packets, a file of procfs (argv[1]).  Ends when that file has
 * gone with the script; without one after ten seconds.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

volatile long counter;

__attribute__((noinline)) long probed(long a, const char *text)
{
	counter += a + text[0];
	return counter;
}

static void packet(int fd, const struct sockaddr_in *to)
{
	char text[64] = "a packet";

	sendto(fd, text, sizeof text, MSG_DONTWAIT, (const struct sockaddr *)to, sizeof *to);
	while (recv(fd, text, sizeof text, MSG_DONTWAIT) > 0)
		;
}

static bool file(const char *path)
{
	char text[256];
	int fd = open(path, O_RDWR);

	if (fd < 0)
		return false;
	while (read(fd, text, sizeof text) > 0)
		;
	if (write(fd, "written", 7) < 0)
		counter++;
	close(fd);
	return true;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof to;
	int fd = socket(AF_INET, SOCK_DGRAM, 0), i;
	time_t end = time(NULL) + 10;
	bool seen = false;

	if (bind(fd, (struct sockaddr *)&to, size) || getsockname(fd, (struct sockaddr *)&to, &size))
		return 1;
	for (i = 0; argc > 1 || time(NULL) < end; i++) {
		probed(i, "text");
		packet(fd, &to);
		if (argc > 1 && file(argv[1]))
			seen = true;
		else if (seen)
			break;
		if (i % 16 == 0 && !fork())
			_exit(0);
		waitpid(-1, NULL, WNOHANG);
		if (argc < 2)
			usleep(1000);
	}
	return 0;
}
