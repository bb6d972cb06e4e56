/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: calendar, clocks, random numbers. */
#include "common.h"

enum { DAY = 86400 };
/* 32-bit times: the language defines others as errors. */
#define EARLIEST (-2147483647ll - 1)
#define LATEST   2147483647ll

static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
				   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* The Gregorian calendar repeats every 400 years; counted from March, leap days come last. */
struct date {
	u32 year, month, day;
};

static struct date date_of(u32 days_since_1600_march)
{
	enum { FOUR_CENTURIES = 146097, CENTURY = 36524, FOUR_YEARS = 1461, YEAR = 365 };
	u32 n = days_since_1600_march % FOUR_CENTURIES,
	    year = 1600 + days_since_1600_march / FOUR_CENTURIES * 400;
	u32 centuries = n / CENTURY - n / (FOUR_CENTURIES - 1), in_four, years, month;

	n -= centuries * CENTURY;
	year += centuries * 100 + n / FOUR_YEARS * 4;
	in_four = n % FOUR_YEARS;
	years = in_four / YEAR - in_four / (FOUR_YEARS - 1);
	n = in_four - years * YEAR;
	year += years;
	/* from March the months have 31, 30, 31, 30, 31 days, then the same again: 153 for five */
	month = (5 * n + 2) / 153;
	n -= (153 * month + 2) / 5;
	return (struct date){year + (month >= 10), (month + 2) % 12, n + 1};
}

static void put_padded(struct ust_out *o, u32 v, unsigned char flags, int width)
{
	const struct ust_spec spec = {.conv = 'd', .flags = flags, .width = width, .prec = -1};

	ust_put_l(o, &spec, v);
}

static void put_clock(struct ust_out *o, u32 second)
{
	put_padded(o, second / 3600, UST_F_ZERO, 2);
	ust_put(o, ":", 1);
	put_padded(o, second / 60 % 60, UST_F_ZERO, 2);
	ust_put(o, ":", 1);
	put_padded(o, second % 60, UST_F_ZERO, 2);
}

const char *ust_ctime(struct ust_ctx *c, char *dst, ust_long seconds)
{
	/* Days from 1 March 1600, a Wednesday, to 1 January 1970; BEFORE: offset in days that
	 * avoids negative numbers. */
	enum { MARCH_1600 = 135080, WEDNESDAY = 3, BEFORE = 25000 };
	struct ust_out o;
	struct date d;
	u32 day, second;
	u64 from_early;

	if (seconds < EARLIEST || seconds > LATEST) {
		ctx_fail(c, seconds < 0 ? "time is too far in the past"
					: "time is too far in the future");
		dst[0] = 0;
		return dst;
	}
	from_early = (u64)(seconds + (ust_long)DAY * BEFORE);
	day = MARCH_1600 - BEFORE + (u32)(from_early / DAY);
	second = (u32)(from_early % DAY);
	d = date_of(day);
	ust_out_string(&o, dst);
	ust_put(&o, days[(day + WEDNESDAY) % 7], 3);
	ust_put(&o, " ", 1);
	ust_put(&o, months[d.month], 3);
	ust_put(&o, " ", 1);
	put_padded(&o, d.day, 0, 2);
	ust_put(&o, " ", 1);
	put_clock(&o, second);
	ust_put(&o, " ", 1);
	put_padded(&o, d.year, 0, -1);
	ust_out_finish(&o);
	return dst;
}

ust_long ust_monotonic_ns(struct ust_ctx *c)
{
	(void)c;
	return port_monotonic_ns();
}
ust_long ust_get_cycles(struct ust_ctx *c)
{
	(void)c;
	return port_cycles();
}

ust_long ust_randint(struct ust_ctx *c, ust_long n)
{
	if (n < 1 || n > 1 << 20) {
		ctx_fail(c, "randint() takes a number from 1 to 1048576");
		return 0;
	}
	return (u64)port_random() * (u64)n >> 32;
}
