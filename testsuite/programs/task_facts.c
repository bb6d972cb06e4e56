/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints what the kernel says of this process: open files, room for files, limits, whether two signals are blocked; then calls look(). */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

__attribute__((noipa)) void look(void) { __asm__ volatile("" : : : "memory"); }

static int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = -3;     /* . and .. and the directory itself */

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static int room(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	int n = 0;

	while (f && fgets(line, sizeof line, f))
		sscanf(line, "FDSize: %d", &n);
	if (f)
		fclose(f);
	return n;
}

int main(void)
{
	struct rlimit files = {200, 1000}, core;
	sigset_t set;

	for (int i = 0; i < 70; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			return 1;
	setrlimit(RLIMIT_NOFILE, &files);
	getrlimit(RLIMIT_CORE, &core);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	printf("%d %d 200 %ld 1 0\n", open_files(), room(), (long)core.rlim_cur);
	fflush(stdout);
	look();
	return 0;
}
