// SPDX-License-Identifier: GPL-2.0-or-later
// A thread that sleeps in the kernel, while another calls work(), and loads a library: for
// testsuite/ustap.user/asleep.stp. Arguments: a file, which the thread is to write; files by whose
// existence the sleep begins, a library is loaded, the sleep ends, and the program ends; and that
// library: this file, compiled with LIBRARY defined.
#define _GNU_SOURCE
#ifdef LIBRARY

int of_library(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

#else
#include <dlfcn.h>
#include <pthread.h>

#include "locked_file.h"

// A jump over its first instruction would contain the second one, where the thread continues.
__asm__(".type enter,@function\n"
	"enter: syscall\n"
	"negq %rax\n"
	"negq %rax\n"
	"ret\n"
	".size enter, . - enter\n");

static long write_by_enter(int fd)
{
	long result = SYS_write;

	__asm__ volatile("subq $128, %%rsp\n"
			 "call enter\n"
			 "addq $128, %%rsp\n"
			 : "+a"(result)
			 : "D"((long)fd), "S"("x"), "d"(1L)
			 : "rcx", "r11", "memory");
	return result;
}

__attribute__((noinline)) int work(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static int fd;

static void *write_byte(void *arg)
{
	(void)arg;
	return (void *)write_by_enter(fd);
}

static int work_until(const char *file)
{
	int n = 0;

	while (access(file, F_OK)) {
		n = work(n);
		usleep(1000);
	}
	return n;
}

static int load(const char *library)
{
	int (*of_library)(int);

	*(void **)&of_library = dlsym(dlopen(library, RTLD_NOW), "of_library");
	return of_library(0);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t holder;
	void *result;

	if (argc < 7)
		return 2;
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	holder = lock_file(fd);
	puts("ready");
	fflush(stdout);
	work_until(argv[2]);
	pthread_create(&thread, NULL, write_byte, NULL);
	await_sleeper();
	puts("asleep");
	fflush(stdout);
	work_until(argv[3]);
	printf("loaded %d\n", load(argv[6]));
	fflush(stdout);
	work_until(argv[4]);
	unlock_file(holder);
	pthread_join(thread, &result);
	work_until(argv[5]);
	printf("wrote %ld, then %ld\n", (long)result, write_by_enter(fd));
	return 0;
}
#endif
