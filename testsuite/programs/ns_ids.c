/* Ids as the process itself sees them, as arguments of ids(). */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) void ids(int pid, int tid, int ppid, int pgrp, int sid)
{
	__asm__ volatile("" : : "r"(pid), "r"(tid), "r"(ppid), "r"(pgrp), "r"(sid) : "memory");
}

int main(void)
{
	ids(getpid(), (int)syscall(SYS_gettid), getppid(), getpgrp(), getsid(0));
	return 0;
}
