/* A program that is started again and again: CALLS [wait|stay]. It calls work() at once, or waits
 * until its mark is probed; with "stay" it then lives until it is killed. */
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

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	int calls = argc > 1 ? atoi(argv[1]) : 0;

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
