/* SPDX-License-Identifier: CC0-1.0 */
/*
 * sys/sdt.h: SDT markers (user static probes, USDT) for programs in C, C++ and assembly.
 *
 *     STAP_PROBE2(PROVIDER, NAME, ARG1, ARG2)
 *
 * compiles to a nop and to an ELF note of type 3, owner "stapsdt", in the section .note.stapsdt,
 * which a running program does not load. The note has the address of the nop, the address of the
 * section .stapsdt.base as the linker placed it, the address of a semaphore, and three strings:
 * provider, name and arguments. An argument is SIZE@OPERAND: its bytes, negative for signed
 * integers, followed by f for floating-point numbers; the operand is in the assembler's notation.
 * Tracers such as ustap, gdb, perf and bpftrace read these notes.
 *
 * This file was written for the ustap project from the description of that format. It is in the
 * public domain (CC0): programs that include it do not depend on the licence of ustap.
 *
 * Macros for programs, with 0 to 12 arguments:
 *
 *   STAP_PROBE(P, N), STAP_PROBE1(P, N, A1) ... STAP_PROBE12, and DTRACE_PROBE..., the same
 *   STAP_PROBEV(P, N, ...)            the number of arguments is counted
 *   STAP_PROBE_ASM(P, N, TEMPLATE)    text for the program's own asm statement, where TEMPLATE is
 *                                     STAP_PROBE_ASM_TEMPLATE(COUNT) and the inputs contain
 *                                     STAP_PROBE_ASM_OPERANDS(COUNT, A1, ...)
 *
 * In assembly (__ASSEMBLER__), arguments are texts like -4@%esi, and may contain macros.
 *
 * Macros that a program defines before it includes this file:
 *
 *   _SDT_HAS_SEMAPHORES       each marker has a counter that tracers increment: an unsigned short
 *                             P_N_semaphore with external linkage in the section .probes, as
 *                             dtrace(1) declares and defines it
 *   SDT_LONG_NOP              x86-64: a nop of five bytes follows the nop, so that a jump of the
 *                             user runtime fits at every marker; kernels that replace such a nop
 *                             by a call need no trap there
 *   STAP_SDT_ARG_CONSTRAINT   where the compiler may leave the arguments, instead of its default
 */
#ifndef _SYS_SDT_H
#define _SYS_SDT_H


#define _SDTM_TEXT_(...) #__VA_ARGS__
#define _SDTM_TEXT(...) _SDTM_TEXT_(__VA_ARGS__)

#ifdef _SDT_HAS_SEMAPHORES
#define _SDTM_SEMAPHORE_(provider, name) provider##_##name##_semaphore
#else
#define _SDTM_SEMAPHORE_(provider, name) 0
#endif
#define _SDTM_SEMAPHORE(provider, name) _SDTM_SEMAPHORE_(provider, name)

/* The note is in the group of the current section, so that it disappears with a function that the
 * linker discards. Labels are numbers that the program's own assembly is unlikely to use. */
#ifdef __ASSEMBLER__

#if defined __LP64__ || defined _LP64
#define _SDTM_ADDRESS .8byte
#else
#define _SDTM_ADDRESS .4byte
#endif
#if defined SDT_LONG_NOP && defined __x86_64__
#define _SDTM_NOP nop; .byte 0x0f, 0x1f, 0x44, 0, 0
#else
#define _SDTM_NOP nop
#endif

#define _SDTM_ASM(provider, name, arguments) \
	990: _SDTM_NOP; \
	.pushsection .note.stapsdt, "?", "note"; .balign 4; \
	.4byte 992f - 991f, 994f - 993f, 3; \
	991: .asciz "stapsdt"; 992: .balign 4; \
	993: _SDTM_ADDRESS 990b, _.stapsdt.base, _SDTM_SEMAPHORE(provider, name); \
	.asciz _SDTM_TEXT(provider); .asciz _SDTM_TEXT(name); .asciz arguments; \
	994: .balign 4; .popsection; \
	.ifndef _.stapsdt.base; \
	.pushsection .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat; \
	.weak _.stapsdt.base; .hidden _.stapsdt.base; \
	_.stapsdt.base: .space 1; .size _.stapsdt.base, 1; \
	.popsection; \
	.endif

#define STAP_PROBE(provider, name) _SDTM_ASM(provider, name, "")
#define STAP_PROBE1(provider, name, a1) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1))
#define STAP_PROBE2(provider, name, a1, a2) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1 a2))
#define STAP_PROBE3(provider, name, a1, a2, a3) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1 a2 a3))
#define STAP_PROBE4(provider, name, a1, a2, a3, a4) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1 a2 a3 a4))
#define STAP_PROBE5(provider, name, a1, a2, a3, a4, a5) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1 a2 a3 a4 a5))
#define STAP_PROBE6(provider, name, a1, a2, a3, a4, a5, a6) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1 a2 a3 a4 a5 a6))
#define STAP_PROBE7(provider, name, a1, a2, a3, a4, a5, a6, a7) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1 a2 a3 a4 a5 a6 a7))
#define STAP_PROBE8(provider, name, a1, a2, a3, a4, a5, a6, a7, a8) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1 a2 a3 a4 a5 a6 a7 a8))
#define STAP_PROBE9(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1 a2 a3 a4 a5 a6 a7 a8 a9))
#define STAP_PROBE10(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1 a2 a3 a4 a5 a6 a7 a8 a9 a10))
#define STAP_PROBE11(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11))
#define STAP_PROBE12(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
	_SDTM_ASM(provider, name, _SDTM_TEXT(a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12))

#else /* C, C++ */

#if defined __LP64__ || defined _LP64
#define _SDTM_ADDRESS "\t.8byte "
#else
#define _SDTM_ADDRESS "\t.4byte "
#endif
#if defined SDT_LONG_NOP && defined __x86_64__
#define _SDTM_NOP "nop\n\t.byte 0x0f, 0x1f, 0x44, 0, 0\n"
#else
#define _SDTM_NOP "nop\n"
#endif

#define _SDTM_DIGIT(unit, next) \
	"\t.if (\\code >> 2) >= " #unit "\n" \
	"\t.byte 48 + (\\code >> 2) / " #unit " - (\\code >> 2) / " #next " * 10\n" \
	"\t.endif\n"
/* _sdt_size makes the text of an argument's size of its type, a number of _SDTM_CODE(). */
#define _SDTM_BODY(provider, name, arguments) \
	"\t.macro _sdt_size code\n" \
	"\t.if \\code & 1\n\t.byte 45\n\t.endif\n" \
	_SDTM_DIGIT(1000, 10000) _SDTM_DIGIT(100, 1000) _SDTM_DIGIT(10, 100) _SDTM_DIGIT(1, 10) \
	"\t.if \\code & 2\n\t.byte 102\n\t.endif\n" \
	"\t.endm\n" \
	"990:\t" _SDTM_NOP \
	"\t.pushsection .note.stapsdt, \"?\", \"note\"\n" \
	"\t.balign 4\n" \
	"\t.4byte 992f - 991f, 994f - 993f, 3\n" \
	"991:\t.asciz \"stapsdt\"\n" \
	"992:\t.balign 4\n" \
	"993:" _SDTM_ADDRESS "990b\n" \
	_SDTM_ADDRESS "_.stapsdt.base\n" \
	_SDTM_ADDRESS _SDTM_TEXT(_SDTM_SEMAPHORE(provider, name)) "\n" \
	"\t.asciz \"" _SDTM_TEXT(provider) "\"\n" \
	"\t.asciz \"" _SDTM_TEXT(name) "\"\n" \
	"\t.ascii \"" arguments "\"\n" \
	"\t.byte 0\n" \
	"994:\t.balign 4\n" \
	"\t.popsection\n" \
	"\t.purgem _sdt_size\n"

#define _SDTM_BASE \
	"\t.ifndef _.stapsdt.base\n" \
	"\t.pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n" \
	"\t.weak _.stapsdt.base\n" \
	"\t.hidden _.stapsdt.base\n" \
	"_.stapsdt.base:\n" \
	"\t.space 1\n" \
	"\t.size _.stapsdt.base, 1\n" \
	"\t.popsection\n" \
	"\t.endif\n"

/*
 * The type of an argument as a constant for the assembler: bit 0 is set if it is a signed integer,
 * bit 1 if it is a floating-point number, and the size is in bits 2 and higher. Arrays and
 * functions are pointers.
 */
#ifdef __cplusplus
extern "C++" {
namespace _sdtm {
template <class T> struct real { enum { value = 0 }; };
template <> struct real<float> { enum { value = 1 }; };
template <> struct real<double> { enum { value = 1 }; };
template <> struct real<long double> { enum { value = 1 }; };
/* An enumeration counts as unsigned in C++. */
template <class T> struct integer { enum { sign = 0 }; };
template <> struct integer<char> { enum { sign = (char)-1 < (char)1 }; };
template <> struct integer<wchar_t> { enum { sign = (wchar_t)-1 < (wchar_t)1 }; };
template <> struct integer<signed char> { enum { sign = 1 }; };
template <> struct integer<short> { enum { sign = 1 }; };
template <> struct integer<int> { enum { sign = 1 }; };
template <> struct integer<long> { enum { sign = 1 }; };
__extension__ template <> struct integer<long long> { enum { sign = 1 }; };
template <class T> struct plain { typedef T type; };
template <class T> struct plain<const T> { typedef T type; };
template <class T> struct plain<volatile T> { typedef T type; };
template <class T> struct plain<const volatile T> { typedef T type; };
template <class T> struct argument {
	typedef typename plain<T>::type bare;
	enum { value = sizeof(T) << 2 | real<bare>::value << 1 | integer<bare>::sign };
};
/* The type of a value, as it is passed by value: arrays and functions decay. Objects of a class,
 * which perhaps cannot be copied, stay references. */
template <bool is_class> struct passed { template <class T> struct by { typedef T type; }; };
template <> struct passed<true> { };
template <class T> typename passed<__is_class(T) || __is_union(T)>::template by<T>::type value(T);
template <bool is_class> struct referred { };
template <> struct referred<true> { template <class T> struct by { typedef const T &type; }; };
template <class T>
typename referred<__is_class(T) || __is_union(T)>::template by<T>::type value(const T &);
} /* namespace _sdtm */
}
#define _SDTM_TYPE(x) __typeof__(::_sdtm::value(x))
#define _SDTM_CODE(x) ::_sdtm::argument<_SDTM_TYPE(x)>::value
#else
/* A comma expression decays arrays and functions, and gives bit-fields a type that has a size. */
#define _SDTM_VALUE(x) ((void)0, (x))
#define _SDTM_CLASS(x) __builtin_classify_type(x)
#define _SDTM_IS_INTEGER(x) (_SDTM_CLASS(x) >= 1 && _SDTM_CLASS(x) <= 4)
#define _SDTM_INTEGER_TYPE(x) \
	__typeof__(__builtin_choose_expr(_SDTM_IS_INTEGER(x), _SDTM_VALUE(x), 0))
#define _SDTM_SIGNED(x) \
	(_SDTM_IS_INTEGER(x) && (_SDTM_INTEGER_TYPE(x))-1 < (_SDTM_INTEGER_TYPE(x))1)
#define _SDTM_CODE(x) \
	__extension__((int)(sizeof(__typeof__(_SDTM_VALUE(x))) << 2) | \
		      (_SDTM_CLASS(x) == 8) << 1 | _SDTM_SIGNED(x))
#endif

/* clang takes no bit-field as an operand that may be in memory: it gets a copy. */
#if !defined __clang__
#define _SDTM_OPERAND(x) (x)
#elif defined __cplusplus
#define _SDTM_OPERAND(x) ((__decltype(::_sdtm::value(x)))(x))
#else
#define _SDTM_OPERAND(x) _SDTM_VALUE(x)
#endif

/* n: a constant, o: memory, r: a register */
#ifndef STAP_SDT_ARG_CONSTRAINT
#if defined __powerpc__
#define STAP_SDT_ARG_CONSTRAINT nZr
#elif defined __arm__
#define STAP_SDT_ARG_CONSTRAINT g
#elif defined __s390x__
#define STAP_SDT_ARG_CONSTRAINT norQT
#else
#define STAP_SDT_ARG_CONSTRAINT nor
#endif
#endif

#define _SDTM_ARG(n, x) \
	[_sdt_t##n] "n"(_SDTM_CODE(x)), \
	[_sdt_a##n] _SDTM_TEXT(STAP_SDT_ARG_CONSTRAINT)(_SDTM_OPERAND(x))

/* The text of an argument. The string of the note ends before it, the assembler's macro makes the
 * size of the constant, and the string goes on with the operand. */
#define _SDTM_TEMPLATE_0
#define _SDTM_TEMPLATE_1 \
	"; _sdt_size %c[_sdt_t1]; .ascii "@%[_sdt_a1]
#define _SDTM_TEMPLATE_2 _SDTM_TEMPLATE_1 \
	"; _sdt_size %c[_sdt_t2]; .ascii "@%[_sdt_a2]
#define _SDTM_TEMPLATE_3 _SDTM_TEMPLATE_2 \
	"; _sdt_size %c[_sdt_t3]; .ascii "@%[_sdt_a3]
#define _SDTM_TEMPLATE_4 _SDTM_TEMPLATE_3 \
	"; _sdt_size %c[_sdt_t4]; .ascii "@%[_sdt_a4]
#define _SDTM_TEMPLATE_5 _SDTM_TEMPLATE_4 \
	"; _sdt_size %c[_sdt_t5]; .ascii "@%[_sdt_a5]
#define _SDTM_TEMPLATE_6 _SDTM_TEMPLATE_5 \
	"; _sdt_size %c[_sdt_t6]; .ascii "@%[_sdt_a6]
#define _SDTM_TEMPLATE_7 _SDTM_TEMPLATE_6 \
	"; _sdt_size %c[_sdt_t7]; .ascii "@%[_sdt_a7]
#define _SDTM_TEMPLATE_8 _SDTM_TEMPLATE_7 \
	"; _sdt_size %c[_sdt_t8]; .ascii "@%[_sdt_a8]
#define _SDTM_TEMPLATE_9 _SDTM_TEMPLATE_8 \
	"; _sdt_size %c[_sdt_t9]; .ascii "@%[_sdt_a9]
#define _SDTM_TEMPLATE_10 _SDTM_TEMPLATE_9 \
	"; _sdt_size %c[_sdt_t10]; .ascii "@%[_sdt_a10]
#define _SDTM_TEMPLATE_11 _SDTM_TEMPLATE_10 \
	"; _sdt_size %c[_sdt_t11]; .ascii "@%[_sdt_a11]
#define _SDTM_TEMPLATE_12 _SDTM_TEMPLATE_11 \
	"; _sdt_size %c[_sdt_t12]; .ascii "@%[_sdt_a12]
#define STAP_PROBE_ASM_TEMPLATE(count) _SDTM_TEMPLATE_##count
#define _SDTM_OPERANDS_0(none)
#define _SDTM_OPERANDS_1(a1) _SDTM_ARG(1, a1)
#define _SDTM_OPERANDS_2(a1, a2) \
	_SDTM_OPERANDS_1(a1), _SDTM_ARG(2, a2)
#define _SDTM_OPERANDS_3(a1, a2, a3) \
	_SDTM_OPERANDS_2(a1, a2), _SDTM_ARG(3, a3)
#define _SDTM_OPERANDS_4(a1, a2, a3, a4) \
	_SDTM_OPERANDS_3(a1, a2, a3), _SDTM_ARG(4, a4)
#define _SDTM_OPERANDS_5(a1, a2, a3, a4, a5) \
	_SDTM_OPERANDS_4(a1, a2, a3, a4), _SDTM_ARG(5, a5)
#define _SDTM_OPERANDS_6(a1, a2, a3, a4, a5, a6) \
	_SDTM_OPERANDS_5(a1, a2, a3, a4, a5), _SDTM_ARG(6, a6)
#define _SDTM_OPERANDS_7(a1, a2, a3, a4, a5, a6, a7) \
	_SDTM_OPERANDS_6(a1, a2, a3, a4, a5, a6), _SDTM_ARG(7, a7)
#define _SDTM_OPERANDS_8(a1, a2, a3, a4, a5, a6, a7, a8) \
	_SDTM_OPERANDS_7(a1, a2, a3, a4, a5, a6, a7), _SDTM_ARG(8, a8)
#define _SDTM_OPERANDS_9(a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	_SDTM_OPERANDS_8(a1, a2, a3, a4, a5, a6, a7, a8), _SDTM_ARG(9, a9)
#define _SDTM_OPERANDS_10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
	_SDTM_OPERANDS_9(a1, a2, a3, a4, a5, a6, a7, a8, a9), _SDTM_ARG(10, a10)
#define _SDTM_OPERANDS_11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
	_SDTM_OPERANDS_10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10), _SDTM_ARG(11, a11)
#define _SDTM_OPERANDS_12(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
	_SDTM_OPERANDS_11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11), _SDTM_ARG(12, a12)
#define STAP_PROBE_ASM_OPERANDS(count, ...) _SDTM_OPERANDS_##count(__VA_ARGS__)
#define STAP_PROBE_ASM(provider, name, ...) \
	_SDTM_BODY(provider, name, _SDTM_TEXT(__VA_ARGS__)) _SDTM_BASE

/* The second statement has no operands, so the compiler expects it to change memory: a variable
 * that is an argument is read again at the next marker, and can be changed there by a debugger. */
#define _SDTM_PROBE(count, provider, name, ...) \
	do { \
		__asm__ __volatile__( \
			_SDTM_BODY(provider, name, _SDTM_TEXT(_SDTM_TEMPLATE_##count)) \
			: : STAP_PROBE_ASM_OPERANDS(count, __VA_ARGS__)); \
		__asm__ __volatile__(_SDTM_BASE); \
	} while (0)

#define STAP_PROBE(provider, name) _SDTM_PROBE(0, provider, name, )
#define STAP_PROBE1(provider, name, a1) \
	_SDTM_PROBE(1, provider, name, a1)
#define STAP_PROBE2(provider, name, a1, a2) \
	_SDTM_PROBE(2, provider, name, a1, a2)
#define STAP_PROBE3(provider, name, a1, a2, a3) \
	_SDTM_PROBE(3, provider, name, a1, a2, a3)
#define STAP_PROBE4(provider, name, a1, a2, a3, a4) \
	_SDTM_PROBE(4, provider, name, a1, a2, a3, a4)
#define STAP_PROBE5(provider, name, a1, a2, a3, a4, a5) \
	_SDTM_PROBE(5, provider, name, a1, a2, a3, a4, a5)
#define STAP_PROBE6(provider, name, a1, a2, a3, a4, a5, a6) \
	_SDTM_PROBE(6, provider, name, a1, a2, a3, a4, a5, a6)
#define STAP_PROBE7(provider, name, a1, a2, a3, a4, a5, a6, a7) \
	_SDTM_PROBE(7, provider, name, a1, a2, a3, a4, a5, a6, a7)
#define STAP_PROBE8(provider, name, a1, a2, a3, a4, a5, a6, a7, a8) \
	_SDTM_PROBE(8, provider, name, a1, a2, a3, a4, a5, a6, a7, a8)
#define STAP_PROBE9(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	_SDTM_PROBE(9, provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9)
#define STAP_PROBE10(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
	_SDTM_PROBE(10, provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)
#define STAP_PROBE11(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
	_SDTM_PROBE(11, provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)
#define STAP_PROBE12(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
	_SDTM_PROBE(12, provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)

/* The number of arguments behind provider and name. */
#define _SDTM_COUNT(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, n, ...) n
#define _SDTM_PROBEV(n, ...) _SDTM_PROBEV_(n, __VA_ARGS__)
#define _SDTM_PROBEV_(n, ...) STAP_PROBE##n(__VA_ARGS__)
#define STAP_PROBEV(...) \
	_SDTM_PROBEV(_SDTM_COUNT(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, , ), \
		     __VA_ARGS__)

#endif /* C, C++ */

#define DTRACE_PROBE(provider, name) STAP_PROBE(provider, name)
#define DTRACE_PROBE1(provider, name, a1) \
	STAP_PROBE1(provider, name, a1)
#define DTRACE_PROBE2(provider, name, a1, a2) \
	STAP_PROBE2(provider, name, a1, a2)
#define DTRACE_PROBE3(provider, name, a1, a2, a3) \
	STAP_PROBE3(provider, name, a1, a2, a3)
#define DTRACE_PROBE4(provider, name, a1, a2, a3, a4) \
	STAP_PROBE4(provider, name, a1, a2, a3, a4)
#define DTRACE_PROBE5(provider, name, a1, a2, a3, a4, a5) \
	STAP_PROBE5(provider, name, a1, a2, a3, a4, a5)
#define DTRACE_PROBE6(provider, name, a1, a2, a3, a4, a5, a6) \
	STAP_PROBE6(provider, name, a1, a2, a3, a4, a5, a6)
#define DTRACE_PROBE7(provider, name, a1, a2, a3, a4, a5, a6, a7) \
	STAP_PROBE7(provider, name, a1, a2, a3, a4, a5, a6, a7)
#define DTRACE_PROBE8(provider, name, a1, a2, a3, a4, a5, a6, a7, a8) \
	STAP_PROBE8(provider, name, a1, a2, a3, a4, a5, a6, a7, a8)
#define DTRACE_PROBE9(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	STAP_PROBE9(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9)
#define DTRACE_PROBE10(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
	STAP_PROBE10(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)
#define DTRACE_PROBE11(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
	STAP_PROBE11(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)
#define DTRACE_PROBE12(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
	STAP_PROBE12(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)

#endif
