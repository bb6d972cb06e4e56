/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mangled names matched by a pattern. Demangling is compared with c++filt: `test_names FILE`
 * compares all names of a file, one name a line and c++filt's result on the next.
 */
#include <stdio.h>
#include <string.h>

#include "dwarf/dwarf.h"

static int failed;

static void check(bool ok, const char *name, const char *why)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("not ok %s: %s\n", name, why);
	failed += !ok;
}

static const struct {
	const char *mangled, *text;
} rust[] = {
	{"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
	{"_RINvCs1_1a1fmE", "a::f::<u32>"},
	{"_RNvMs_NtCs1_1a6shapesINtB4_2SqmE3get", "<a::shapes::Sq<u32>>::get"},
	{"_RNvXNtCs1_1a6shapesINtB2_2SqmENtB2_4Area4area",
	 "<a::shapes::Sq<u32> as a::shapes::Area>::area"},
	{"_RNCNvCs1_1a4main0B3_", "a::main::{closure#0}"},
	{"_RINvCs1_1a1fTlcERShPyE", "a::f::<(i32, char), &[u8], *const u64>"},
	{"_RINvCs1_1a1fAhj3_KbE", NULL},
	{"_RINvCs1_1a1fAhj3_Kb1_E", "a::f::<[u8; 3], true>"},
	{"_RINvCs1_1a1fFUKChEuE", "a::f::<unsafe extern \"C\" fn(u8)>"},
	{"_ZN1a4main17h0123456789abcdefE", "a::main"},
	{"_ZN1a4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "a::main::{{closure}}"},
	{"_ZN32_$LT$a..b..C$u20$as$u20$a..T$GT$4area17h0123456789abcdefE",
	 "<a::b::C as a::T>::area"},
	{"_RNvBA_", NULL},
	{"_RNvB_1f", NULL},
	{"_R", NULL},
	{"_Z", NULL},
	{"plain", NULL},
};

/* Symbols that a pattern matches, and one that it does not. */
static const struct {
	const char *pattern, *yes, *no;
} cases[] = {
	{"f", "_ZN2ns1fEi", "_ZN2ns1gEi"},
	{"ns::f", "_ZN2ns1fEi", "_ZN3ans1fEi"},
	{"ns::f(int)", "_ZN2ns1fEi", "_ZN2ns1fEl"},
	{"f(int)", "_ZN2ns1fEi", "_ZN2ns1fEv"},
	{"ns::f(int, char const*)", "_ZN2ns1fEiPKc", "_ZN2ns1fEiPc"},
	{"ns::f( int,char const * )", "_ZN2ns1fEiPKc", "_ZN2ns1fEiPc"},
	{"ns::C::get", "_ZNK2ns1C3getEv", "_ZNK2ns1D3getEv"},
	{"C::get()", "_ZNK2ns1C3getEv", "_ZNK2ns1C3getEi"},
	{"C::get() const", "_ZNK2ns1C3getEv", "_ZN2ns1C3getEv"},
	{"C::*", "_ZNK2ns1C3getEv", "_ZN2ns1D3getEv"},
	{"ns::*", "_ZNK2ns1C3getEv", "_ZN2nt1C3getEv"},
	{"n?::C::g*", "_ZNK2ns1C3getEv", "_ZN2ns1C3putEv"},
	{"g*t", "_ZNK2ns1C3getEv", "_ZN3get1C3putEv"},
	{"C::C", "_ZN2ns1CC2Ei", "_ZN2ns1CD1Ev"},
	{"C::C", "_ZN2ns1CC1Ei", "_ZN2ns1D1CEi"},
	{"C::~C", "_ZN2ns1CD1Ev", "_ZN2ns1CC1Ev"},
	{"~C", "_ZN2ns1CD0Ev", "_ZN2ns1CC1Ev"},
	{"C::operator()", "_ZN1CclEi", "_ZN1CixEi"},
	{"C::operator()(int)", "_ZN1CclEi", "_ZN1CclEl"},
	{"C::operator[]", "_ZN1CixEi", "_ZN1CclEi"},
	{"operator*", "_ZN1CmlEi", "_ZN1C5minusEi"},
	{"C::operator<<", "_ZN1ClsEi", "_ZN1ClsIiEEi_"},
	{"C::operator->", "_ZN1CptEv", "_ZN1CltEv"},
	{"C::operator<", "_ZN1CltEi", "_ZN1ClsEi"},
	{"C::operator bool", "_ZN1CcvbEv", "_ZN1CcviEv"},
	{"operator new", "_Znwm", "_Znam"},
	{"operator new(unsigned long)", "_Znwm", "_ZnwmRKSt9nothrow_t"},
	{"twice", "_Z5twiceIiET_S0_", "_Z6thriceIiET_S0_"},
	{"twice<int>", "_Z5twiceIiET_S0_", "_Z5twiceIlET_S0_"},
	{"twice<int>(int)", "_Z5twiceIiET_S0_", "_Z5twiceIlET_S0_"},
	{"ns::Box::put", "_ZN2ns3BoxIiE3putEi", "_ZN2ns4BoxyIiE3putEi"},
	{"ns::Box<int>::put", "_ZN2ns3BoxIiE3putEi", "_ZN2ns3BoxIlE3putEl"},
	{"Box<*>::put", "_ZN2ns3BoxIiE3putEi", "_ZN2ns3PutIiE3putEi"},
	{"std::string::append", "_ZNSs6appendEPKc", "_ZNSs6assignEPKc"},
	{"(anonymous namespace)::f", "_ZN12_GLOBAL__N_11fEv", "_ZN2ns1fEv"},
	{"f", "_ZN12_GLOBAL__N_11fEv", "_ZN12_GLOBAL__N_12ffEv"},
	{"name", "_ZN2ns4nameB5cxx11Ev", "_ZN2ns5nameyB5cxx11Ev"},
	{"Case::Method", "_ZN4Case6MethodEv", "_ZN4case6methodEv"},
	{"_ZN2ns1fEi", "_ZN2ns1fEi", "_ZN2ns1fEl"},
	{"area", "_ZN32_$LT$a..b..C$u20$as$u20$a..T$GT$4area17h0123456789abcdefE",
	 "_ZN1a4main17h0123456789abcdefE"},
	{"a::b::C::area", "_ZN32_$LT$a..b..C$u20$as$u20$a..T$GT$4area17h0123456789abcdefE",
	 "_ZN1a4area17h0123456789abcdefE"},
	{"<a::b::C as a::T>::area",
	 "_ZN32_$LT$a..b..C$u20$as$u20$a..T$GT$4area17h0123456789abcdefE",
	 "_ZN1a4area17h0123456789abcdefE"},
	{"a::main", "_ZN1a4main17h0123456789abcdefE", "_ZN1b4main17h0123456789abcdefE"},
	{"mycrate::foo::bar", "_RNvNtCs1234_7mycrate3foo3bar", "_RNvNtCs1234_7mycrate3fob3bar"},
	{"Sq::get", "_RNvMs_NtCs1_1a6shapesINtB4_2SqmE3get",
	 "_RNvMs_NtCs1_1a6shapesINtB4_2SrmE3get"},
	{"a::shapes::*", "_RNvMs_NtCs1_1a6shapesINtB4_2SqmE3get", "_RNvCs1_1a3get"},
	{"a::f", "_RINvCs1_1a1fmE", "_RINvCs1_1a1gmE"},
	{"main.(*T).Method", "main.(*T).Method", "main.T.Method"},
	{"main.*", "main.(*T).Method", "other.f"},
	{"main.Map", "main.Map[go.shape.int_0]", "main.Mapper"},
};

static void demangling(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rust); i++) {
		const char *got = demangle(rust[i].mangled);

		check(rust[i].text ? got && !strcmp(got, rust[i].text) : !got, rust[i].mangled,
		      got ? got : "not understood");
	}
}

static void matching(void)
{
	const char *shown = "";

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct name_pattern p = name_pattern(cases[i].pattern);
		bool yes = name_matches(&p, cases[i].yes, &shown),
		     no = name_matches(&p, cases[i].no, &shown);

		check(yes && !no, xprintf("%s names %s", cases[i].pattern, cases[i].yes),
		      no ? xprintf("it names %s as well", cases[i].no) : "it does not");
	}
}

/* A literal name takes precedence over its matches as a glob. */
static void exactness(void)
{
	struct name_pattern p = name_pattern("main.(*T).Method"), q = name_pattern("operator*");
	const char *shown;

	check(name_matches(&p, "main.(*T).Method", &shown) == NAME_EXACT, "exact Go method",
	      "not exact");
	check(name_matches(&p, "main.(*BigT).Method", &shown) == NAME_GLOB, "the same as a glob",
	      "is not one");
	check(name_matches(&q, "_ZN1CmlEi", &shown) == NAME_EXACT && !strcmp(shown, "operator*"),
	      "exact operator", "not exact");
	check(name_matches(&q, "_ZN1CdvEi", &shown) == NAME_GLOB, "other operators by a glob",
	      "not matched");
}

/* A truncated or changed name is read within its bounds. */
static void damage(void)
{
	char copy[200];

	for (size_t i = 0; i < ARRAY_LEN(rust); i++)
		for (size_t k = 0; rust[i].mangled[k]; k++)
			for (int c = 'A'; c < 'z'; c++) {
				const char *shown;
				struct name_pattern p = name_pattern("*::x");

				snprintf(copy, sizeof copy, "%s", rust[i].mangled);
				copy[k] = (char)c;
				name_matches(&p, copy, &shown);
				copy[k] = 0;
				demangle(copy);
			}
	check(true, "damaged names", "");
}

static char *line_of(FILE *f, char *buf, int size)
{
	if (!fgets(buf, size, f))
		return NULL;
	buf[strcspn(buf, "\n")] = 0;
	return buf;
}

static void compare(const char *path)
{
	static char name[100000], want[100000];
	FILE *f = fopen(path, "r");
	int n = 0, wrong = 0;

	while (f && line_of(f, name, sizeof name) && line_of(f, want, sizeof want)) {
		const char *got = demangle(name);

		n++;
		if (strcmp(got ? got : name, want) && ++wrong < 20)
			printf("%s\n  got  %s\n  want %s\n", name, got ? got : "nothing", want);
	}
	printf("%d names, %d differ\n", n, wrong);
	failed += wrong > 0 || !n;
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		compare(argv[1]);
		return failed != 0;
	}
	demangling();
	matching();
	exactness();
	damage();
	arena_free_all();
	return failed != 0;
}
