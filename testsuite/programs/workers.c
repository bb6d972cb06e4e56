/* A server that forks three workers, prints a line and ends with its parent: workers; or step()
 * once: workers once; in a forked child: workers fork. */
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

__attribute__((noinline)) void step(int n) { __asm__ volatile("" ::"r"(n)); }

static void serve(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < 3; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;) {
				step(i);
				usleep(10000);
			}
		}
	if (write(1, "ready\n", 6) < 0)
		return;
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc < 2)
		serve();
	if (!strcmp(argv[1], "fork") && fork()) {
		wait(NULL);
		return 0;
	}
	step(0);
	return 0;
}
