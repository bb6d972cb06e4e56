/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `libc LIBRARY': uses many functions of the C library, and says of each area whether results are right.
 * LIBRARY is user_life.c as a library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *path;

static int memory_blocks(void)
{
	unsigned char *v[64] = {0};
	int bad = 0;

	for (int i = 0; i < 3000; i++) {
		int k = i * 7 % 64;
		size_t size = (size_t)(i * 37 % 900) + 1;

		if (v[k] && v[k][0] != (unsigned char)k)
			bad++;
		if (i % 3)
			v[k] = realloc(v[k], size);
		else
			free(v[k]), v[k] = i % 2 ? malloc(size) : calloc(1, size);
		memset(v[k], k, size);
	}
	for (int i = 0; i < 64; i++)
		free(v[i]);
	free(malloc(10000000));
	return bad;
}

static int copies(void)
{
	char a[3000], b[3000];
	int bad = 0;

	for (int i = 0; i < 3000; i++)
		a[i] = (char)(i % 251);
	for (size_t n = 0; n < 2900; n += n / 7 + 1) {
		memset(b, 1, sizeof b);
		memcpy(b + 3, a + 1, n);
		bad += memcmp(b + 3, a + 1, n) != 0 || b[n + 3] != 1;
		memmove(b + 5, b + 3, n);
		bad += memcmp(b + 5, a + 1, n) != 0;
	}
	return bad;
}

static int order(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int texts(void)
{
	char s[200], *v[] = {"pear", "apple", "fig", "cherry"}, *end;
	int bad = 0;

	setlocale(LC_ALL, "C");
	for (int i = 0; i < 50; i++) {
		snprintf(s, sizeof s, "%d %s %.3f %c %p %ls", i, "text", i / 7., 'x', s, L"wide");
		bad += atoi(s) != i || strtol(s, &end, 10) != i || *end != ' ';
		bad += strtod("1.25e2", NULL) != 125 || !strstr(s, "text") || strchr(s, 'x') == NULL;
	}
	qsort(v, 4, sizeof *v, order);
	bad += strcmp(v[0], "apple") || strcmp(v[3], "pear");
	return bad;
}

static int files(void)
{
	char name[] = "/tmp/libcXXXXXX", line[100];
	int fd = mkstemp(name), bad = 0, v[2];
	FILE *f = fdopen(fd, "w+");

	unlink(name);
	for (int i = 0; i < 300; i++)
		fprintf(f, "line %d\n", i);
	rewind(f);
	for (int i = 0, n; i < 300; i++)
		bad += !fgets(line, sizeof line, f) || sscanf(line, "line %d", &n) != 1 || n != i;
	fclose(f);
	if (pipe(v))
		return 1;
	for (int i = 0; i < 100; i++)
		bad += write(v[1], &i, sizeof i) != sizeof i;
	for (int i = 0, n; i < 100; i++)
		bad += read(v[0], &n, sizeof n) != sizeof n || n != i;
	close(v[0]);
	close(v[1]);
	bad += read(v[0], line, 1) != -1 || errno != EBADF;
	return bad;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static long sum;

static void *thread(void *arg)
{
	long n = (long)arg;

	pthread_setspecific(key, arg);
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&mutex);
		sum += n;
		pthread_mutex_unlock(&mutex);
	}
	return (void *)memory_blocks();
}

static int threads(void)
{
	int bad = 0;

	pthread_key_create(&key, free);
	for (long round = 0; round < 5; round++) {
		pthread_t t[4];
		void *r;
		for (long i = 0; i < 4; i++)
			bad += pthread_create(&t[i], NULL, thread, NULL) != 0;
		for (long i = 0; i < 4; i++)
			bad += pthread_join(t[i], &r) != 0 || r;
	}
	return bad;
}

static int processes(void)
{
	char line[100] = "";
	int bad = 0, status;
	pid_t pid = fork();
	FILE *f;

	if (!pid)
		_exit(texts() || copies() ? 1 : 7);
	bad += waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7;
	f = popen("echo from a shell", "r");
	bad += !fgets(line, sizeof line, f) || strcmp(line, "from a shell\n");
	bad += pclose(f) != 0;
	bad += system("exit 3") >> 8 != 3;
	return bad;
}

static int libraries(void)
{
	int bad = 0;

	for (int i = 0; i < 5; i++) {
		void *h = dlopen(path, i % 2 ? RTLD_NOW : RTLD_LAZY);
		long (*weigh)(long) = h ? (long (*)(long))dlsym(h, "weigh") : NULL;

		bad += !weigh || weigh(4) != 10 || dlsym(h, "no such symbol") || !dlerror() || dlclose(h);
		bad += dlopen("/no/such/library", RTLD_NOW) != NULL;
	}
	return bad;
}

static int mappings(void)
{
	int bad = 0;

	for (int i = 0; i < 50; i++) {
		char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		p[5] = 'a';
		p = mremap(p, 8192, 65536, MREMAP_MAYMOVE);
		bad += p[5] != 'a' || mprotect(p, 4096, PROT_READ) || munmap(p, 65536);
	}
	return bad;
}

static int times(void)
{
	struct timespec a, b;
	time_t t = 86400 * 365;
	struct tm tm;
	int bad = 0;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < 100; i++) {
		clock_gettime(CLOCK_MONOTONIC, &b);
		bad += b.tv_sec < a.tv_sec;
	}
	bad += !gmtime_r(&t, &tm) || tm.tm_year != 71 || timegm(&tm) != t;
	return bad;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; int (*run)(void); } areas[] = {
		{"malloc", memory_blocks}, {"copy", copies}, {"text", texts}, {"files", files}, {"threads", threads},
		{"processes", processes}, {"libraries", libraries}, {"memory", mappings}, {"time", times}};

	path = argv[1];
	for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
		int bad = areas[i].run();
		if (bad)
			printf("%s: %d wrong\n", areas[i].name, bad);
		else
			printf("%s ok\n", areas[i].name);
		fflush(stdout);
	}
	return 0;
}
