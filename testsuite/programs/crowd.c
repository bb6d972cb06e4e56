/* crowd N [wait]: N children that live at the same time call child(), and again after met() of the
 * parent, which prints how many ended as they should. With `wait' the parent reads a byte before it
 * forks, and another one after met(). */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int child(int number)
{
	__asm__ volatile("" ::: "memory");
	return number + 1;
}

__attribute__((noinline)) void met(void) { __asm__ volatile("" ::: "memory"); }

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, good = 0, here[2], go[2], status;
	char byte = 0;

	if (pipe(here) || pipe(go) || (argc > 2 && read(0, &byte, 1) != 1))
		return 1;
	for (int i = 0; i < n; i++)
		if (!fork()) {
			int sum = child(i);

			close(go[1]);
			if (write(here[1], &byte, 1) != 1 || read(go[0], &byte, 1))
				_exit(1);
			_exit(child(i) + sum != 2 * i + 2);
		}
	for (int i = 0; i < n; i++)
		if (read(here[0], &byte, 1) != 1)
			return 1;
	met();
	if (argc > 2 && read(0, &byte, 1) != 1)
		return 1;
	close(go[1]);
	while (wait(&status) > 0)
		good += !status;
	printf("%d of %d children\n", good, n);
	return 0;
}
