/* All general registers and the arithmetic flags are the same on both sides of an entry and of a
 * return that `ustap record' records. */
#include <stdint.h>
#include <stdio.h>

enum { REGISTERS = 14, FLAGS = REGISTERS, WORDS, CALLS = 3000 };

/* At the entry of callee(), and after its return: rax, rbx, rcx, rdx, rsi, rdi, rbp, r8 to r14,
 * flags. r15 is the address of these arrays. */
struct state {
	uint64_t given[WORDS], entered[WORDS], returned[WORDS];
} state;

void caller(struct state *s);

#define LOAD(at, flags)                                                                            \
	"mov 8*(" flags ")(%r15), %rax\n push %rax\n popf\n"                                       \
	"mov 8*(" at "+0)(%r15), %rax\n mov 8*(" at "+1)(%r15), %rbx\n"                            \
	"mov 8*(" at "+2)(%r15), %rcx\n mov 8*(" at "+3)(%r15), %rdx\n"                            \
	"mov 8*(" at "+4)(%r15), %rsi\n mov 8*(" at "+5)(%r15), %rdi\n"                            \
	"mov 8*(" at "+6)(%r15), %rbp\n mov 8*(" at "+7)(%r15), %r8\n"                             \
	"mov 8*(" at "+8)(%r15), %r9\n mov 8*(" at "+9)(%r15), %r10\n"                             \
	"mov 8*(" at "+10)(%r15), %r11\n mov 8*(" at "+11)(%r15), %r12\n"                          \
	"mov 8*(" at "+12)(%r15), %r13\n mov 8*(" at "+13)(%r15), %r14\n"
#define STORE(at, flags)                                                                           \
	"mov %rax, 8*(" at "+0)(%r15)\n mov %rbx, 8*(" at "+1)(%r15)\n"                            \
	"mov %rcx, 8*(" at "+2)(%r15)\n mov %rdx, 8*(" at "+3)(%r15)\n"                            \
	"mov %rsi, 8*(" at "+4)(%r15)\n mov %rdi, 8*(" at "+5)(%r15)\n"                            \
	"mov %rbp, 8*(" at "+6)(%r15)\n mov %r8, 8*(" at "+7)(%r15)\n"                             \
	"mov %r9, 8*(" at "+8)(%r15)\n mov %r10, 8*(" at "+9)(%r15)\n"                             \
	"mov %r11, 8*(" at "+10)(%r15)\n mov %r12, 8*(" at "+11)(%r15)\n"                          \
	"mov %r13, 8*(" at "+12)(%r15)\n mov %r14, 8*(" at "+13)(%r15)\n"                          \
	"pushf\n pop %rax\n mov %rax, 8*(" flags ")(%r15)\n"

__asm__(".text\n.globl caller\n.type caller, @function\ncaller:\n"
	"push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"mov %rdi, %r15\n" LOAD("0", "14") "call callee\n" STORE("30", "44")
	"pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n"
	".size caller, . - caller\n"
	".type callee, @function\ncallee:\n" STORE("15", "29") LOAD("0", "14") "ret\n"
	".size callee, . - callee\n");

/* Carry, parity, auxiliary carry, zero, sign, overflow. */
static const uint64_t arithmetic = 0x8d5, always = 0x202;

static int differs(const uint64_t *a, const uint64_t *b)
{
	for (int i = 0; i < REGISTERS; i++)
		if (a[i] != b[i])
			return 1;
	return (a[FLAGS] & arithmetic) != (b[FLAGS] & arithmetic);
}

int main(void)
{
	uint64_t seed = 1;
	int wrong = 0;

	for (int call = 0; call < CALLS; call++) {
		for (int i = 0; i < WORDS; i++)
			state.given[i] = seed = seed * 6364136223846793005u + 1442695040888963407u;
		state.given[FLAGS] = always | (seed >> 32 & arithmetic);
		caller(&state);
		wrong += differs(state.given, state.entered);
		wrong += differs(state.given, state.returned);
	}
	printf("%d of %d states differ\n", wrong, 2 * CALLS);
	return wrong != 0;
}
