/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program with markers and semaphores that dtrace made from sdt_shop.d. */
#include <stdio.h>
#include "sdt_shop.h"

void asm_marks(int);
struct goods { int kind; } goods = {7};
struct { unsigned low : 3, high : 29; } bits = {5, 1000};
unsigned short shop_text_semaphore __attribute__((used, section(".probes")));
static int asked;
float price = 2.5f;

int main(void)
{
	SHOP_OPEN();
	for (int i = 0; i < 3; i++) {
		if (SHOP_SELL_BEGIN_ENABLED()) {
			asked++;
			SHOP_SELL_BEGIN(i, "bread");
		}
		SHOP_SELL_END(-i, i + 0.5, &goods);
	}
#ifdef MORE
	asm_marks(12);
	STOCK_TAKE(bits.low, (long)bits.high);
#endif
	__asm__ volatile("" STAP_PROBE_ASM(shop, text, STAP_PROBE_ASM_TEMPLATE(2))
			 : : STAP_PROBE_ASM_OPERANDS(2, asked, price));
	printf("%d\n", asked);
	return 0;
}
