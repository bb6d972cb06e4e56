/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function iN for each kind of instruction, which is its first, and a table of them.  instructions.c calls each.
 *
 *   I INSTRUCTION           the function iN has it, and returns
 *   AFTER LEAD, INSTRUCTION the function eN runs LEAD and goes on to iN
 */
	.macro	ROW entry, text
	.section .rodata.names, "aS"
8:	.asciz	"\text"
	.section .data.rel.ro.table, "aw"
	.quad	\entry, 8b
	.text
	.endm

	.macro	I text
	.text
	.balign	16
	.type	i\@, @function
i\@:	\text
	ret
	.size	i\@, . - i\@
	ROW	i\@, "\text"
	.endm

	.macro	AFTER lead, text
	.text
	.balign	16
e\@:	\lead
	.type	i\@, @function
i\@:	\text
	ret
	.size	i\@, . - i\@
	ROW	e\@, "\text"
	.endm

	.globl	table, table_end
	.section .data.rel.ro.table, "aw"
table:

	/* nops and padding */
	I "nop"
	I "xchg %ax, %ax"
	I "nopl 0(%rax)"
	I "nopl 0(%rax,%rax,1)"
	I "nopw 0(%rax,%rax,1)"
	I ".byte 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0"
	I ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0"
	I ".byte 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0"
	I ".byte 0x3e, 0x90"
	I ".byte 0x65, 0x90"
	I ".byte 0x66, 0x66, 0x66, 0x90"
	I "pause"
	I "endbr64"
	I ".byte 0x3e, 0x0f, 0x1f, 0x00"

	/* lock, segments, other prefixes */
	I "lock incl (%rdi)"
	I "lock xadd %eax, (%rdi)"
	I "lock cmpxchg %ecx, (%rdi)"
	I "lock orl $0, (%rsp)"
	I "lock btsl $3, (%rdi)"
	I ".byte 0x48, 0xf0, 0xff, 0x07"
	I "xchg %eax, (%rdi)"
	I "xchg %rax, %r8"
	I "xchg %eax, %r8d"
	I "xchg %r8w, %ax"
	I "xchg %rax, %rcx"
	I "mov %fs:0, %rax"
	I ".byte 0x64, 0x8d, 0x07"
	I "rdgsbase %rax"
	I "movl %ds:(%rdi), %eax"
	I "movl %es:(%rdi), %eax"
	I "movl %ss:(%rdi), %eax"
	I "movl %cs:(%rdi), %eax"
	I "addr32 mov (%edi), %eax"
	I "addr32 lea (%edi), %eax"
	I ".byte 0x66, 0x40, 0x90"
	I "xacquire lock incl (%rdi)"

	/* one-byte opcodes */
	I "add %rcx, %rax"
	I "adc $5, %eax"
	I "sub $8, %edx"
	I "cmp %rdi, %rsi"
	I "testb $3, %al"
	I "imul $7, %ecx, %eax"
	I "movslq %ecx, %rax"
	I "mov $0x1122334455667788, %rax"
	I "movb $1, (%rdi)"
	I "mov %ds, %eax"
	I "lea 8(%rdi,%rcx,4), %rax"
	I "shl $3, %rax"
	I "rol %cl, %rax"
	I "neg %eax"
	I "not %rcx"
	I "mul %rcx"
	I "incl (%rdi)"
	I "cltq"
	I "cqto"
	I "lahf"
	I "sahf"
	I "cld"
	I "stc"
	I "cmc"
	I "xlatb"
	I "enter $16, $0; leave"
	I "push %rcx; pop %rax"
	I "push %r9; pop %rax"
	I "pushw %cx; popw %ax"
	I "push $5; pop %rax"
	I "push $0x12345; pop %rax"
	I "pushq (%rdi); pop %rax"
	I "pushq %fs; pop %rax"
	I "pushfq; pop %rax; and $0xed5, %eax"
	AFTER "push %rcx", "pop %rax"
	AFTER "push %rcx", "pop %r9"
	AFTER "push %rcx", "popq (%rdi)"
	AFTER "push $0x247", "popfq"
	AFTER "push %rbp; mov %rsp, %rbp", "leave"

	/* strings */
	I "lodsb"
	I "stosb"
	I "movsb"
	I "movsq"
	I "cmpsb"
	I "scasb"
	I "rep movsb"
	I "rep stosq"
	I "repe cmpsb"
	I "repne scasb"
	I ".byte 0x2e, 0xa4"
	I "insb (%dx), %es:(%rdi)"
	I "outsb %ds:(%rsi), (%dx)"

	/* jumps, calls and returns */
	I "jmp 1f; nop; 1:"
	I ".byte 0xe9, 1, 0, 0, 0; nop"
	I "jmp *target(%rip); nop"
	I "je 1f; inc %eax; 1:"
	I "jne 1f; inc %eax; 1:"
	I ".byte 0x0f, 0x84, 2, 0, 0, 0; inc %eax"
	I ".byte 0x2e, 0x74, 2; inc %eax"
	I ".byte 0xf2, 0xeb, 1; nop"
	I ".byte 0x3e, 0xeb, 1; nop"
	I "jrcxz 1f; inc %eax; 1:"
	I "loop 1f; inc %eax; 1:"
	I "loopne 1f; inc %eax; 1:"
	I "call leaf"
	I "call *target(%rip)"
	I "call *%rbx"
	I ".byte 0x3e, 0xff, 0xd3"
	AFTER "lea leaf(%rip), %rax", "jmp *%rax"
	I "ret"
	I "repz ret"
	AFTER "pop %rax; push %rax; push %rax", "ret $8"

	/* refused outright, most of which a signal ends */
	I "int3"
	I "int $3"
	I "ud2"
	I "hlt"
	I "cli"
	I "in $0x80, %al"
	I "out %al, $0x80"
	I "in (%dx), %eax"
	I ".byte 0xf1"
	I "mov %ax, %ss"
	I ".byte 0x06"
	I ".byte 0x0f, 0x0b"
	I ".byte 0x0f, 0xff"
	I "sysenter"

	/* two and three bytes */
	I "syscall"
	I "cpuid"
	I "rdtsc; xor %eax, %eax; xor %edx, %edx"
	I "movzbl (%rdi), %eax"
	I "movsbq %cl, %rax"
	I "cmove %rcx, %rax"
	I "sete %al"
	I "bt $2, %rcx"
	I "bsf %rcx, %rax"
	I "bswap %rax"
	I "xadd %rax, (%rdi)"
	I "cmpxchg %rcx, (%rdi)"
	I "cmpxchg16b (%r9)"
	I "shld $3, %rcx, %rax"
	I "popcnt %rcx, %rax"
	I "prefetcht0 (%rdi)"
	I "mfence"
	I "lfence"
	I "clflush (%rdi)"
	I "ldmxcsr mxcsr(%rip)"
	I "fxsave area(%rip)"
	I "xgetbv"
	I "pshufb %xmm1, %xmm0"
	I "pcmpeqq %xmm1, %xmm0"
	I "crc32b %cl, %eax"
	I "palignr $3, %xmm1, %xmm0"
	I "pinsrq $1, %rcx, %xmm0"
	I "pcmpistri $3, %xmm1, %xmm0"
	I "roundsd $1, %xmm1, %xmm0"

	/* x87, SSE */
	I "fldl (%rdi); fstpl (%rdi)"
	I "fnop"
	I "fld1; fstp %st(0)"
	I "fwait"
	I "fninit"
	I "fnstcw (%rdi)"
	I "movaps %xmm1, %xmm0"
	I "movups (%rdi), %xmm0"
	I "movd %xmm0, %eax"
	I "movq %xmm1, (%rdi)"
	I "addsd %xmm1, %xmm0"
	I "pxor %xmm0, %xmm0"
	I "pshufd $0x1b, %xmm0, %xmm1"
	I "movdqa %xmm1, (%r9)"
	I "cvtsi2sd %ecx, %xmm0"
	I "ucomisd %xmm1, %xmm0"
	I "emms"

	/* operands beside the instruction pointer */
	I "mov static_data(%rip), %rax"
	I "movl $7, static_data(%rip)"
	I "incl static_data(%rip)"
	I "lock incl static_data(%rip)"
	I "cmpxchg %ecx, static_data(%rip)"
	I "lea static_data(%rip), %rax; sub %rax, %rax"
	I "movaps area(%rip), %xmm0"
	I "pshufb area(%rip), %xmm0"
	I "mulq static_data(%rip)"

	/* VEX prefixes; some processors do not have them, which a signal ends */
	I "vzeroupper"
	I "vmovdqa %xmm1, %xmm0"
	I "vmovdqa %xmm1, (%r9)"
	I "vmovdqu (%rdi), %ymm0"
	I "vmovdqu %ymm0, (%r9)"
	I "vmovaps %xmm1, %xmm0"
	I "vmovups %xmm1, (%rdi)"
	I "vmovaps area(%rip), %xmm0"
	I "vmovdqa area(%rip), %xmm0"
	I "vmovd %xmm1, %eax"
	I "vpxor %xmm1, %xmm0, %xmm0"
	I "vpor %xmm1, %xmm0, %xmm1"
	I "vxorps %xmm1, %xmm1, %xmm0"
	I "vaddsd %xmm1, %xmm0, %xmm0"
	I "vpshufd $0x1b, %xmm0, %xmm1"
	I "vpsrldq $3, %xmm1, %xmm0"
	I "vpcmpeqb %xmm1, %xmm0, %xmm0"
	I "vcmpps $1, %xmm1, %xmm0, %xmm0"
	I "vpsubsb %xmm1, %xmm0, %xmm1"
	I "vpsubsw %xmm1, %xmm0, %xmm1"
	I "vpinsrw $1, %ecx, %xmm0, %xmm0"
	I "vpshufb %xmm1, %xmm0, %xmm0"
	I "vpbroadcastb %xmm1, %ymm0"
	I "vperm2f128 $1, %ymm1, %ymm1, %ymm0"
	I "vfmadd231sd %xmm1, %xmm0, %xmm0"
	I "vfnmadd132sd area(%rip), %xmm0, %xmm0"
	I "vpsllvd %xmm1, %xmm0, %xmm1"
	I "vpgatherdd %xmm1, (%r9,%xmm2), %xmm0"
	I "andn %rcx, %rdx, %rax"
	I "rorx $3, %rcx, %rax"
	I "shlx %rcx, %rdx, %rax"
	I "bzhi %rcx, static_data(%rip), %rax"

	.section .data.rel.ro.table, "aw"
table_end:
	.section .data.rel.ro, "aw"
	.balign	8
target:	.quad	leaf
	.data
	.globl	static_data
	.balign	64
static_data:
	.quad	5, 6
	.balign	64
area:	.fill	512, 1, 1
mxcsr:	.long	0x1f80
	.text
	.globl	leaf
leaf:	add	$3, %rax
	ret
	.section .note.GNU-stack, "", @progbits
