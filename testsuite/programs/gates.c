/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For probes with conditions: work(), gone() and pair() are called between turn(0), turn(1) ...  Says how often the text
 * of work() was another one after turn(1) than before: it was disarmed then.
 *
 *   gates        20 rounds of: turn(0), 10 calls, a pause (long in some rounds), turn(1), 10 calls
 *   gates fork   3 children that each call turn(1) and then work() 1,000 times, and 4 threads that do it 5 times
 *   gates once   turn(1) once, behind a long pause; says whether the text was the file's during it
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

volatile long sink;

__attribute__((noipa)) void turn(int v)
{
	sink += v;
	sink -= v;
}

__attribute__((noipa)) int work(int i)
{
	sink++;
	sink += 2;
	return i;
}

__attribute__((noipa)) int pair(int i)
{
	sink++;
	return work(i) + 1;
}

enum { TEXT = 8, ROUNDS = 20, CALLS = 10 };

static void calls(void)
{
	for (int i = 0; i < CALLS; i++)
		pair(i);
}

/* The first bytes of work() as they are in the file. */
static int is_original(void)
{
	unsigned char there[TEXT];
	unsigned long start = 0, offset = 0, base = 0;
	char line[512], path[256] = "";
	FILE *maps = fopen("/proc/self/maps", "r"), *f;

	while (maps && fgets(line, sizeof line, maps) && base + 1 == 1)
		if (sscanf(line, "%lx-%*x %*s %lx %*s %*s %255s", &start, &offset, path) == 3 &&
		    (unsigned long)work - start < 0x1000)
			base = start;
	f = fopen(path, "r");
	if (!base || !f || fseek(f, (long)((unsigned long)work - base + offset), SEEK_SET) || fread(there, 1, TEXT, f) != TEXT)
		return -1;
	return !memcmp(there, (const void *)work, TEXT);
}

static int once(void)
{
	usleep(300000);
	printf("original %d\n", is_original());
	calls();
	turn(1);
	calls();
	printf("original %d\n", is_original());
	usleep(200000);
	return 0;
}

static void many(void)
{
	usleep(50000);
	turn(1);
	for (int i = 0; i < 1000; i++)
		work(i);
}

static void *thread(void *arg)
{
	for (int i = 0; i < 5; i++)
		many();
	return arg;
}

static int children(void)
{
	pthread_t t[4];

	for (int i = 0; i < 3; i++)
		if (!fork()) {
			many();
			_exit(0);
		}
	for (int i = 0; i < 3; i++)
		wait(NULL);
	turn(0);
	usleep(200000);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned char before[TEXT];
	int changes = 0;

	if (argc > 1 && !strcmp(argv[1], "once"))
		return once();
	if (argc > 1 && !strcmp(argv[1], "fork"))
		return children();
	for (int i = 0; i < ROUNDS; i++) {
		turn(0);
		calls();
		usleep(i % 8 == 3 ? 300000 : 500);
		memcpy(before, (const void *)work, TEXT);
		calls();
		turn(1);
		changes += !!memcmp(before, (const void *)work, TEXT);
		calls();
	}
	printf("changed %d\n", changes > 0 && changes < 10);
	return 0;
}
