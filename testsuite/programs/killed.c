/* Ends by a signal: killed SIGNAL, itself; killed SIGNAL child, a child; killed
 * wait, by somebody else. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void step(int n) { __asm__ volatile("" :: "r"(n)); }

static void end(int sig)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	step(1);
	raise(sig);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "wait"))
		for (;;) {
			step(0);
			usleep(10000);
		}
	if (argc > 2 && !fork())
		end(atoi(argv[1]));
	else if (argc > 2)
		wait(NULL);
	else if (argc > 1)
		end(atoi(argv[1]));
	return 0;
}
