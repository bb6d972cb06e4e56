/* A program that is started again and again: CALLS [wait|stay|busy]. It calls work() at once, or
 * waits until its mark is probed; with "stay" it then lives until it is killed; with "busy" it
 * calls work() until SIGTERM and prints the number of calls. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

unsigned short follow_called_semaphore __attribute__((section(".probes")));

__attribute__((noipa)) int work(int i)
{
	DTRACE_PROBE1(follow, called, i);
	return i + 1;
}

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	stopped = 1;
}

static void call_until_stopped(void)
{
	long calls = 0;

	while (!stopped)
		work(calls++);
	printf("%ld\n", calls);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	int calls = argc > 1 ? atoi(argv[1]) : 0;

	if (!strcmp(how, "busy")) {
		signal(SIGTERM, stop);
		call_until_stopped();
		return 0;
	}
	for (int ms = 0; ms < 10000 && !strcmp(how, "wait"); ms++) {
		if (*(volatile unsigned short *)&follow_called_semaphore)
			break;
		usleep(1000);
	}
	for (int i = 0; i < calls; i++)
		work(i);
	if (!strcmp(how, "stay")) {
		puts("ready");
		fflush(stdout);
		pause();
	}
	return 0;
}
