/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libgcc unwinds through replaced return addresses by an area's unwind information.
 */
#include "patch_test.h"
#include "inject/arch/arch.h"
#include "inject/patch/patch.h"
#include "wire_process.h"

#include <stdint.h>
#include <pthread.h>
#include <stdlib.h>
#include <unwind.h>

void __register_frame(void *eh_frame);
void __deregister_frame(void *eh_frame);

#define PROBED __attribute__((__noipa__))

/* --------------------------------------------------------------- backtraces */

enum { DEPTH = 20, FRAMES = 200 };

static uint64_t frames[FRAMES], plain_frames[FRAMES];
static unsigned nframes, nplain, ours;

static _Unwind_Reason_Code see(struct _Unwind_Context *c, void *unused)
{
	uint64_t ip = _Unwind_GetIP(c);

	(void)unused;
	if (in_areas(ip))
		ours++;
	else if (nframes < FRAMES)
		frames[nframes++] = ip;
	return _URC_NO_REASON;
}

static PROBED long bottom(long n)
{
	_Unwind_Backtrace(see, NULL);
	return n + 1;
}

static long (*at_bottom)(long) = bottom;

static PROBED long even(long n);
static PROBED long odd(long n)
{
	volatile long v = n ? even(n - 1) : at_bottom(n);

	return v + 1;
}

static PROBED long even(long n)
{
	volatile long v[5] = {n ? odd(n - 1) : at_bottom(n)};

	return v[0] + 2;
}

/* It shares even()'s stack slot. */
static PROBED long tail(long n) { return even(n + 1); }

static PROBED long trace(void)
{
	long v = tail(DEPTH);

	return v + 1;
}

static struct test_area area;
static struct patch patches[8];
static unsigned npatches;

static void probe(const void *f)
{
	struct patch_site s = {.addr = (uint64_t)f,
			       .text = f,
			       .start = (uint64_t)f,
			       .end = (uint64_t)f + 32,
			       .next = (uint64_t)f + 32,
			       .entry = true,
			       .rn = 1};
	struct patch *p = &patches[npatches++];

	if (!patch_plan(p, &s, area_room(&area), (uint64_t)area.start)) {
		check(false, "unwind: patched", p->why);
		exit(1);
	}
	patch_in(p, &area);
}

static void unprobe(void)
{
	while (npatches)
		patch_out(&patches[--npatches]);
	memset(fake_slots, 0, sizeof fake_slots);
}

static void probe_all(void)
{
	probe(trace);
	probe(tail);
	probe(even);
	probe(odd);
}

static void test_backtrace(void)
{
	long v = trace(), w;

	memcpy(plain_frames, frames, sizeof frames);
	nplain = nframes;
	nframes = ours = 0;
	probe_all();
	w = trace();
	check(nplain > DEPTH && nframes == nplain && !memcmp(frames, plain_frames, 8 * (DEPTH + 2)),
	      "unwind: backtrace shows the true callers", "others");
	/* tail() and even() share one. */
	check(ours == DEPTH + 1 + 1 + 1, "unwind: a frame for each replaced address",
	      "too few or many");
	check(v == w, "unwind: results", "wrong");
	unprobe();
}

/* ----------------------------------------------------- exceptions, two phases */

/* A function that catches, written by hand: its personality continues at landing(). */
long catching(long n);
__asm__(".text\n.globl catching\n.type catching, @function\n"
	"catching:\n	.cfi_startproc\n	.cfi_personality 0x9b, personality_ref\n"
	"	push %rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset %rbx, -16\n"
	"	lea 1000(%rdi), %rbx\n"
	"	call odd\n"
	"	xor %eax, %eax\n	jmp 1f\n"
	"landing: mov %rbx, %rax\n"
	"1:	pop %rbx\n	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n"
	".size catching, . - catching\n"
	".pushsection .data.rel.local, \"aw\"\n.balign 8\npersonality_ref: .quad "
	"personality\n.popsection\n");
extern const char landing[];

static unsigned cleanups;

__attribute__((used)) _Unwind_Reason_Code personality(int version, _Unwind_Action actions,
						      _Unwind_Exception_Class class,
						      struct _Unwind_Exception *e,
						      struct _Unwind_Context *c)
{
	(void)version, (void)class, (void)e;
	if (actions & _UA_FORCE_UNWIND)
		return _URC_CONTINUE_UNWIND;
	if (actions & _UA_SEARCH_PHASE)
		return _URC_HANDLER_FOUND;
	_Unwind_SetIP(c, (uint64_t)landing);
	return _URC_INSTALL_CONTEXT;
}

static PROBED long raise(long n)
{
	static struct _Unwind_Exception e;

	memset(&e, 0, sizeof e);
	memcpy(&e.exception_class, "ustaptst", 8);
	_Unwind_RaiseException(&e);
	return n;
}

static void clean(long *p) { cleanups += *p; }

static PROBED long with_cleanup(long n)
{
	long one __attribute__((cleanup(clean))) = 1;
	long v = n ? with_cleanup(n - 1) : even(2);

	return v + one;
}

static void test_raise(void)
{
	long i, ok = 0;

	at_bottom = raise;
	ok += catching(DEPTH) == 1000 + DEPTH;
	probe_all();
	probe(catching);
	probe(raise);
	for (i = 0; i < 100; i++)
		ok += catching(i % DEPTH) == 1000 + i % DEPTH;
	check(ok == 101, "unwind: exceptions are caught", "they are not");
	at_bottom = bottom;
	unprobe();
}

/* -------------------------------------------------------------- ending threads */

static PROBED long leave(long n)
{
	if (n == 0)
		pthread_exit((void *)77);
	return n;
}

static void *thread(void *unused)
{
	(void)unused;
	return (void *)with_cleanup(DEPTH);
}

static void test_exit(void)
{
	pthread_t t;
	void *result = NULL;

	at_bottom = leave;
	probe_all();
	probe(with_cleanup);
	probe(leave);
	returns = cleanups = 0;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, &result);
	check(result == (void *)77 && cleanups == DEPTH + 1 && returns > DEPTH,
	      "unwind: pthread_exit() and cleanups", "not all of them");
	at_bottom = bottom;
	unprobe();
}

/* ------------------------------------------------------------------ the end */

/* A frame whose entry was reclaimed ends a backtrace, even when the table is full. */
static PROBED long forget(long n)
{
	static struct ust_slot kept[FAKE_SLOTS];

	memcpy(kept, fake_slots, sizeof kept);
	memset(fake_slots, 0xff, sizeof fake_slots);
	_Unwind_Backtrace(see, NULL);
	memcpy(fake_slots, kept, sizeof kept);
	return n;
}

static void test_forgotten(void)
{
	at_bottom = forget;
	probe_all();
	nframes = ours = 0;
	trace();
	check(nframes == 3 && ours == 1 && !frames[2], "unwind: an unknown slot ends it",
	      "it does not");
	at_bottom = bottom;
	unprobe();
}

/* The header that libgcc reads to find the FDE: its address and those of the table are relative to
 * the header. */
static void test_header(void)
{
	const uint8_t *hdr = area.start + area_eh_frame_hdr(), *fde;
	int32_t v[4];
	uint64_t range[2];

	memcpy(v, hdr + 4, sizeof v);
	fde = hdr + v[3];
	memcpy(range, fde + 8, sizeof range);
	check(!memcmp(hdr, "\x01\x1b\x03\x3b", 4) &&
		      hdr + 4 + v[0] == area.start + area_eh_frame() && v[1] == 1 &&
		      hdr + v[2] == area.start && range[0] == (uint64_t)area.start &&
		      range[1] == area.size,
	      "unwind: search table", "wrong");
}

void test_unwinding(void)
{
	uint64_t text = (uint64_t)test_unwinding & ~4095ull;
	void *eh_frame;

	area = area_make(text - (1 << 28), text + (1 << 30), 1 << 16);
	eh_frame = area.start + area_eh_frame();
	__register_frame(eh_frame);
	test_header();
	test_backtrace();
	test_raise();
	test_exit();
	test_forgotten();
	__deregister_frame(eh_frame);
}
