/* `overwritten_rings WHAT PROGRAM-CALLS`: writes over HEAD or TAIL of all rings that it
 * shares with staprun. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* struct ust_ring of wire.h */
struct ring {
	uint32_t lock, size;
	uint64_t buf, head, seq, last_time, lost_records, lost_bytes, pad, tail;
	uint32_t closed, pad1;
	uint64_t pad2[6];
};

__attribute__((noipa)) void step(int i) { __asm__ volatile("" : : "r"(i) : "memory"); }

static int write_over(uint64_t start, uint64_t end, char what)
{
	int n = 0;

	for (uint64_t at = start; at + sizeof(struct ring) <= end; at += 64) {
		struct ring *r = (struct ring *)at;

		if (r->size != 1u << 20 || r->buf < start || r->buf >= end || r->tail > r->head ||
		    r->head > 1u << 20)
			continue;
		n++;
		if (what == 'h')
			r->head = r->tail + r->size;
		else
			r->tail -= 1u << 20;
	}
	return n;
}

int main(int argc, char **argv)
{
	char line[512], perm[8];
	uint64_t start, end;
	FILE *f;
	int n = 0;

	for (int i = 0; i < 10; i++)
		step(i);
	usleep(200000);
	f = fopen("/proc/self/maps", "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &start, &end, perm) == 3 &&
		    !strcmp(perm, "rw-s"))
			n += write_over(start, end, argc > 1 ? *argv[1] : 'h');
	return n < 2;
}
