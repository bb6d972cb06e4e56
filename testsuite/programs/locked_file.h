// SPDX-License-Identifier: GPL-2.0-or-later
// Threads that wait in the kernel uninterruptibly, as for a slow disk: to write to a file while
// another process writes to it from a page that never comes. For programs that are run as root.
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void hold(int fd)
{
	enum { SIZE = 4096 };
	char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register r = {.range = {(unsigned long)p, SIZE},
				    .mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_api api = {.api = UFFD_API};
	int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &r))
		die("userfaultfd");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	exit(write(fd, p, 1) != 1);
}

// Have a new process write to FD; returns its id when it waits there.
static pid_t lock_file(int fd)
{
	char name[40], what[20] = "";
	pid_t holder = fork();

	if (!holder)
		hold(fd);
	snprintf(name, sizeof name, "/proc/%d/syscall", (int)holder);
	while (memcmp(what, "1 ", 2)) { // SYS_write
		int from = open(name, O_RDONLY);

		if (from < 0 || read(from, what, sizeof what) < 0)
			die(name);
		close(from);
	}
	return holder;
}

// Wait until a thread of this process cannot be interrupted.
static void await_sleeper(void)
{
	char command[100];

	snprintf(command, sizeof command, "grep -q 'State:.D' /proc/%d/task/*/status",
		 (int)getpid());
	while (system(command))
		usleep(1000);
}

static void unlock_file(pid_t holder)
{
	kill(holder, SIGKILL);
	waitpid(holder, NULL, 0);
}
