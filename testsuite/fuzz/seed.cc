/* SPDX-License-Identifier: GPL-2.0-or-later */
namespace ns {
struct base { int b; virtual long area(int times); };
struct item : base {
	int &r;
	item(int &x) : r(x) {}
	long area(int times) override;
	template <class T> T mix(T by) { return by + r; }
};
long base::area(int times) { return times + b; }
long item::area(int times) { return base::area(times) + mix(3) + mix(4L); }
}
int n;
extern "C" int main() { ns::item i(n); return (int)i.area(n); }
extern "C" void _start() { for (;;) main(); }
