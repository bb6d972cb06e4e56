/*
 * A thread takes the page with the return address of called() out of memory, which userfaultfd is
 * to provide and does not, and calls the unwinder. Prints "withheld" before that, and waits for a
 * signal.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/userfaultfd.h>

enum { PAGE = 4096, STACK = 1 << 20 };

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Its frame is far below the page. */
static __attribute__((noinline)) int withhold(void *frame)
{
	volatile char far[16 * PAGE];
	unsigned long page = (unsigned long)frame & -(unsigned long)PAGE;
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register area = {.range = {page, PAGE},
				       .mode = UFFDIO_REGISTER_MODE_MISSING};
	void *pcs[8];

	far[0] = 1;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &area) ||
	    madvise((void *)page, PAGE, MADV_DONTNEED))
		die("userfaultfd");
	if (write(1, "withheld\n", 9) < 0)
		die("write");
	return backtrace(pcs, 8) + far[0];
}

int __attribute__((noinline)) called(void)
{
	int n = withhold(__builtin_frame_address(0));

	__asm__ volatile("" : "+r"(n));
	return n;
}

static void *thread(void *arg)
{
	int n;

	while (access("go", F_OK))
		usleep(10000);
	n = called();
	__asm__ volatile("" : "+r"(n));
	return arg;
}

int main(void)
{
	void *pcs[2], *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t t;

	backtrace(pcs, 2); /* loads the unwinder */
	pthread_attr_init(&attr);
	if (pthread_attr_setstack(&attr, stack, STACK) || pthread_create(&t, &attr, thread, NULL))
		die("thread");
	pause();
	return 0;
}
