/*
 * Threads of known behaviour, each for a second: one spins, one sleeps, one waits for a mutex, one
 * for a pipe, one for a socket, one for a condition, and one writes a file to the disk. Writes to
 * the file of its argument: the least and the most microseconds that the lifetimes of all threads
 * can add up to, the processor time, and the microseconds since 1970 of that measure. The most
 * includes what the program took to start, which is longer on a busy machine.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { KINDS = 7 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int pipe_ends[2], sockets[2], ready;
static long least, started;

static long clock_us(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static long now_us(void) { return clock_us(CLOCK_MONOTONIC); }

static void nap(void)
{
	struct timespec t = {.tv_sec = 1};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static void spin(void)
{
	while (clock_us(CLOCK_THREAD_CPUTIME_ID) < 1000000)
		;
}

static void take_lock(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void wait_change(void)
{
	pthread_mutex_lock(&other);
	while (!ready)
		pthread_cond_wait(&changed, &other);
	pthread_mutex_unlock(&other);
}

static void read_pipe(void)
{
	char c;

	if (read(pipe_ends[0], &c, 1) != 1)
		abort();
}

static void read_socket(void)
{
	char c;

	if (recv(sockets[0], &c, 1, 0) != 1)
		abort();
}

static void write_file(void)
{
	int fd = open("written", O_CREAT | O_WRONLY | O_TRUNC, 0600);

	if (fd < 0 || write(fd, "text", 4) != 4 || fsync(fd))
		abort();
	nap();
}

static void *run(void *body)
{
	long begin = now_us();

	__atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
	((void (*)(void))body)();
	__atomic_fetch_add(&least, now_us() - begin, __ATOMIC_RELAXED);
	return NULL;
}

static void wake_all(void)
{
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&other);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&other);
	if (write(pipe_ends[1], "x", 1) != 1 || write(sockets[1], "x", 1) != 1)
		abort();
}

/* Microseconds since the process was created. */
static long age_us(void)
{
	FILE *f = fopen("/proc/self/stat", "r");
	unsigned long long ticks = 0;

	if (!f || fscanf(f,
			 "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
			 "%*d %*d %*d %*d %*d %llu",
			 &ticks) != 1)
		_exit(2);
	fclose(f);
	return clock_us(CLOCK_BOOTTIME) - (long)ticks * (1000000 / sysconf(_SC_CLK_TCK));
}

int main(int argc, char **argv)
{
	static void (*const bodies[KINDS])(void) = {nap,         take_lock,  wait_change, read_pipe,
						    read_socket, write_file, spin};
	pthread_t threads[KINDS];
	long begin = now_us(), most = age_us(), at;
	struct rusage used;
	FILE *to = argc > 1 ? fopen(argv[1], "w") : NULL;

	if (!to || pipe(pipe_ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 1;
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < KINDS; i++) {
		most -= now_us();
		pthread_create(&threads[i], NULL, run, (void *)bodies[i]);
	}
	while (__atomic_load_n(&started, __ATOMIC_RELAXED) < KINDS)
		usleep(1000);
	nap();
	wake_all();
	for (int i = 0; i < KINDS; i++) { /* the one that runs longest is last */
		pthread_join(threads[i], NULL);
		most += now_us();
	}
	getrusage(RUSAGE_SELF, &used);
	at = clock_us(CLOCK_REALTIME);
	begin = now_us() - begin;
	fprintf(to, "%ld %ld %ld %ld\n", least + begin, most + begin,
		(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 + used.ru_utime.tv_usec +
			used.ru_stime.tv_usec,
		at);
	return 0;
}
