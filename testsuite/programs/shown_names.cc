// SPDX-License-Identifier: GPL-2.0-or-later
// Functions whose symbols are mangled: a template's member, an overload, an operator, one that calls back.
namespace shop {
template <class T> struct Box {
	T value;
	__attribute__((noinline)) T add(T more, const char *why)
	{
		asm volatile("" : : "r"(why) : "memory");
		return value + more;
	}
};
__attribute__((noinline)) bool operator<(const Box<int> &a, const Box<int> &b)
{
	asm volatile("" : : : "memory");
	return a.value < b.value;
}
} // namespace shop

__attribute__((noinline)) static int run(shop::Box<int> a, shop::Box<int> b)
{
	int sum = a < b ? a.add(2, "less") : 0;

	asm volatile("" : "+r"(sum));
	return sum + 1;
}

extern "C" __attribute__((noinline)) int plain(int n)
{
	int sum = run({n}, {n + 1});

	asm volatile("" : "+r"(sum));
	return sum + 1;
}

int main() { return plain(1) != 5; }
