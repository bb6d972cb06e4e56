/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The load under which scripts and modules of kernel-docs are compared: the same system calls each time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void forks(void)
{
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

static void opens(void)
{
	int dir = open(".", O_RDONLY | O_DIRECTORY);

	close(openat(dir, "docs.data", O_RDWR | O_CREAT | O_TRUNC, 0640));
	close(open("docs.data", O_WRONLY | O_APPEND));
	close(open("/dev/null", O_RDONLY | O_CLOEXEC));
	open("missing-file", O_RDONLY);
	openat(dir, "docs.data/below", O_RDONLY);
	open("docs.data", O_RDWR | O_CREAT | O_EXCL, 0600);
	close(dir);
	unlink("docs.data");
}

static void files(void)
{
	char buf[64] = "";
	int fd = open("docs.data", O_RDWR | O_CREAT | O_TRUNC, 0600);

	for (int i = 1; i <= 7; i++)
		if (pwrite(fd, buf, i, 0) != i)
			exit(1);
	for (int i = 1; i <= 5; i++)
		if (pread(fd, buf, i, 0) != i)
			exit(1);
	close(fd);
	rename("docs.data", "docs.other");
	unlink("docs.other");
	for (int i = 0; i < 3; i++) {
		mkdir("docs.dir", 0700);
		rmdir("docs.dir");
	}
}

static void *nap(void *arg)
{
	nanosleep(&(struct timespec){0, 200000000}, NULL);
	return arg;
}

/* Three sleep at the same time, again and again. */
static void naps(void)
{
	pthread_t t[3];

	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, nap, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
	}
}

/* Write TEXT to the file that PATTERN means: a part of its path is the number of a process. */
static void tell(const char *pattern, const char *text)
{
	glob_t found;
	int fd;

	if (glob(pattern, 0, NULL, &found))
		exit(1);
	fd = open(found.gl_pathv[0], O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(pattern);
	close(fd);
}

/* A probe that is turned off for a while, in the module and in the script. */
static void turns(void)
{
	static const char *const values[] = {"1", "0", "1"};
	char buf[64];
	int fd = open("/dev/zero", O_RDONLY), size = 1;

	for (int i = 0; i < 3; i++) {
		if (i) {
			tell("/sys/module/disable/parameters/on", values[i]);
			tell("/proc/ustap/*/on", values[i]);
		}
		for (int j = 0; j <= i + 1; j++)
			if (read(fd, buf, size++) < 0)
				exit(1);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (chdir("/dev/shm"))
		return 1;
	prctl(PR_SET_NAME, "docs-load");
	if (!strcmp(what, "forks"))
		forks();
	if (!strcmp(what, "opens"))
		opens();
	if (!strcmp(what, "files"))
		files();
	for (int i = 0; i < 4 && !strcmp(what, "nap"); i++)
		nap(NULL);
	if (!strcmp(what, "naps"))
		naps();
	if (!strcmp(what, "turns"))
		turns();
	prctl(PR_SET_NAME, "done");
	if (!strcmp(what, "files"))
		tell("/sys/module/array/parameters/tell", "1");
	return 0;
}
