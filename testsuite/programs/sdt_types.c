/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Markers with an argument of each type, in C and C++; with BIT_FIELDS also of bit-fields. */
#define SDT_USE_VARIADIC
#include <sys/sdt.h>

#ifdef __cplusplus
typedef bool truth;
#else
typedef _Bool truth;
#endif
struct fields {
	unsigned low : 3;
	int high : 5;
	unsigned long long wide : 40;
	char c;
	int list[3];
} fields;
struct large { long l[40]; } large;
struct odd { char c[3]; } odd;
union either { long l; double d; } either;
enum positive { ZERO, ONE } positive;
enum negative { MINUS = -1, PLUS } negative;

char c;
signed char sc;
unsigned char uc;
short s;
unsigned short us;
int i;
unsigned u;
long l;
unsigned long ul;
long long ll;
unsigned long long ull;
float f;
double d;
truth b;
void *p;
char *cp;
const char *ccp;
char text[10];
int list[4];
void (*function)(void);
volatile int vi;
const int ci = 3;
struct fields *sp;

#define ONE(name) STAP_PROBE1(types, name, name)

void globals(void);
void globals(void)
{
	STAP_PROBE(types, none);
	ONE(c); ONE(sc); ONE(uc); ONE(s); ONE(us); ONE(i); ONE(u); ONE(l); ONE(ul); ONE(ll); ONE(ull);
	ONE(f); ONE(d); ONE(b); ONE(p); ONE(cp); ONE(ccp); ONE(text); ONE(list); ONE(function);
	ONE(vi); ONE(ci); ONE(sp); ONE(positive); ONE(negative); ONE(large); ONE(odd); ONE(either);
}

void values(int x, char y, double z, struct fields *q, const char *const volatile t);
void values(int x, char y, double z, struct fields *q, const char *const volatile t)
{
	STAP_PROBE3(types, integers, 5, -7, 5UL);
	STAP_PROBE2(types, characters, "abc", 'c');
	STAP_PROBE2(types, reals, 2.5, 1.5f);
	STAP_PROBE5(types, parameters, x, y, z, q, t);
	STAP_PROBE4(types, expressions, x + 1, y * 2, x < y, (unsigned short)x);
	STAP_PROBE3(types, members, q->c, q->list, &fields);
	DTRACE_PROBE12(types, twelve, 1, 2, 3, 4, 5, 6, 7, 8, 9, x, y, i);
	STAP_PROBEV(types, counted, 1, x, y);
	STAP_PROBEV(types, uncounted);
#ifdef BIT_FIELDS
	STAP_PROBE4(types, bits, q->low, q->high, q->wide, fields.high);
#endif
}
