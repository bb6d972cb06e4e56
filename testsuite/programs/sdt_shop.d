/* What the program sdt_shop.c tells a tracer. */
#pragma D attributes Evolving/Evolving/Common provider shop provider

struct goods { int kind; };

provider shop {
	probe open();
	probe sell__begin(int number, char *what);
	probe sell__end(int, double price,
			struct goods *g : goodsinfo_t *g);	// one line more
};

provider stock { probe take(unsigned bits, long); };
