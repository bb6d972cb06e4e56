/*
 * Threads of known behaviour, each for 0.3 s: one spins, one sleeps, one waits for a mutex, one
 * reads from a pipe. Writes the sum of their lifetimes and of main's to a file, in microseconds.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static long sum;

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void nap(void)
{
	struct timespec t = {.tv_nsec = 300000000};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static void spins(void)
{
	long end = now_us() + 300000;

	while (now_us() < end)
		;
}

static void locks(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void reads(void)
{
	char c;

	if (read(ends[0], &c, 1) != 1)
		perror("read");
}

static void *run(void *body)
{
	long begin = now_us();

	((void (*)(void))body)();
	__atomic_fetch_add(&sum, now_us() - begin, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	static void (*const bodies[])(void) = {spins, nap, locks, reads};
	pthread_t threads[4];
	long begin = now_us();
	FILE *to = argc > 1 ? fopen(argv[1], "w") : NULL;

	if (!to || pipe(ends))
		return 1;
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, (void *)bodies[i]);
	nap();
	pthread_mutex_unlock(&mutex);
	if (write(ends[1], "x", 1) != 1)
		return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	fprintf(to, "%ld\n", sum + now_us() - begin);
	return 0;
}
