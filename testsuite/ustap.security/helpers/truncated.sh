# truncated.sh USTAP: a preloaded library truncates the program right after it was mapped.  ustap
# reports it.
ustap=$1
mkdir -p truncated && cd truncated || exit
export LC_ALL=C DEBUGINFOD_URLS=
cat > p.c <<'EOF'
struct pair { int a, b; };
__attribute__((noinline)) int sum(struct pair *p) { return p->a + p->b; }
int main(int argc, char **argv) { struct pair p = {argc, 1}; return argv[0] ? sum(&p) - 2 : 1; }
EOF
cat > preload.c <<'EOF'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* mmap(2), and the end of the file $VICTIM when it was mapped $MAPPINGS times. */
void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *p = (void *)syscall(SYS_mmap, at, size, prot, flags, fd, offset);
	char path[64], target[4096];
	static int done;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	n = fd < 0 || p == MAP_FAILED ? -1 : readlink(path, target, sizeof target - 1);
	if (n < 0)
		return p;
	target[n] = 0;
	if (!strcmp(target, getenv("VICTIM")) && ++done == atoi(getenv("MAPPINGS")) &&
	    truncate(target, 0))
		abort();
	return p;
}

void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap")));
EOF
gcc -g p.c -o program && gcc -shared -fPIC preload.c -o preload.so || exit

# attack N PATTERN: truncate it when it is mapped for the N-th time, if it is
attack() {
	cp program victim
	VICTIM=$PWD/victim MAPPINGS=$1 LD_PRELOAD=$PWD/preload.so \
		"$ustap" -L "process(\"$PWD/$2\").function(\"sum\")" > out 2>&1 \
		< /dev/null
	status=$?
	if [ -s victim ]; then
		echo "not mapped"
	elif [ $status = 1 ] &&
		grep -q 'error: .*/victim was truncated while ustap was reading it' out
	then
		echo reported
	else
		echo "status $status: $(cat out)"
	fi
}

echo "first: $(attack 1 victim)"
echo "wildcard: $(attack 1 'vict*')"
for n in 2 3 4 5 6; do
	attack $n victim
done | grep -v '^reported$\|^not mapped$'
exit 0
