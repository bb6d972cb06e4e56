/*
 * Names that hostile_names.py makes hostile: each is long enough for what is written over it.  Only the debug
 * information, the symbol table and the note have them; the program does not look at its names.
 */
#include <stdio.h>

#define PAD(x) x##_0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
#define MEMBER PAD(member_name_0123456789012345678901234567890123456789012345678901234567890123456789)
#define CONSTANT PAD(constant_name_0123456789012345678901234567890123456789012345678901234567890123456789)
#define PARAMETER PAD(parameter_name_0123456789012345678901234567890123456789012345678901234567890123456789)
#define FUNCTION PAD(function_name_0123456789012345678901234567890123456789012345678901234567890123456789)

#define MARK_NAME "marker_name_0123456789012345678901234567890123456789012345678901234567890123456789_012345678901234567890" \
	"1234567890123456789012345678901234567890"

enum way { NEAR, CONSTANT };
struct item { int first; enum way way; int MEMBER; };

__attribute__((noinline)) int victim(struct item *item, enum way way)
{
	__asm__ volatile("" : : : "memory");
	return item->MEMBER + way;
}

__attribute__((noinline)) int parameters(int PARAMETER)
{
	__asm__ volatile("" : : : "memory");
	return PARAMETER + 1;
}

__attribute__((noinline)) int marked(int n)
{
	__asm__ volatile("990: nop\n.pushsection .note.stapsdt,\"\",@note\n.balign 4\n"
			 ".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte 990b, 0, 0\n.asciz \"hostile\"\n.asciz \"" MARK_NAME "\"\n.asciz \"\"\n"
			 "994: .balign 4\n.popsection" : : : "memory");
	return n;
}

#line 1 "file_name_0123456789012345678901234567890123456789012345678901234567890123456789_0123456789012345678901234567890123456789.c"
__attribute__((noinline)) int FUNCTION(int n)
{
	__asm__ volatile("" : : : "memory");
	return n;
}

int main(void)
{
	struct item item = {1, CONSTANT, 3};

	printf("%d\n", victim(&item, CONSTANT) + parameters(1) + marked(1) + FUNCTION(1));
	return 0;
}
