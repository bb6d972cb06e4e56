/* Writes and reads of data in known numbers, for hardware breakpoints. The argument names what is
 * done; counter is written by bump() alone. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

volatile long counter;
volatile int half = 7;
static volatile char local_byte;
volatile short pair[2] __attribute__((aligned(4)));
volatile long fixed __attribute__((section(".watched"))) = 1;
char large[100];
__thread int of_thread;

__attribute__((noinline)) void bump(void) { counter++; }

static void bumps(int n)
{
	while (n--)
		bump();
}

static void *thread(void *arg)
{
	bumps(10);
	return arg;
}

static void threads(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void others(void)
{
	half = half + 1;
	local_byte = (char)half;
	pair[0] = 1;
	pair[1] = 2;
	fixed += pair[1];
	of_thread = large[1] = 1;
}

static void fork_child(void)
{
	if (!fork()) {
		bumps(7);
		_exit(0);
	}
	wait(NULL);
}

/* SIGTRAP is neither handled nor allowed. */
static void deaf(void)
{
	sigset_t all;

	signal(SIGTRAP, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	bumps(4);
}

/* The kernel writes for the program. */
static void read_into(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	if (read(fd, (char *)&counter, sizeof counter) != sizeof counter)
		exit(1);
	close(fd);
}

/* Until the file `stop' exists, or for ten seconds. */
static void slowly(void)
{
	for (int i = 0; i < 10000 && access("stop", F_OK); i++) {
		bump();
		usleep(1000);
	}
}

static void *slow_thread(void *arg)
{
	slowly();
	return arg;
}

static void slow_threads(void)
{
	pthread_t t;

	pthread_create(&t, NULL, slow_thread, NULL);
	slowly();
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	bumps(5);
	if (!strcmp(what, "threads"))
		threads();
	if (!strcmp(what, "others"))
		others();
	if (!strcmp(what, "fork"))
		fork_child();
	if (!strcmp(what, "deaf"))
		deaf();
	if (!strcmp(what, "read"))
		read_into();
	if (!strcmp(what, "slowly"))
		slow_threads();
	if (!strcmp(what, "exec"))
		execl("/proc/self/exe", argv[0], "again", (char *)NULL);
	return 0;
}
