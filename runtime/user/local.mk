# The runtime inside the traced process: an archive that every script built for it is
# linked with.  It is freestanding and never instrumented: its code runs anywhere in other programs,
# with any stack alignment, with the direction flag set, without libc, and uses no vector register
# and no string instruction.
user_rt_cflags = -std=gnu11 -Wall -Wextra -ffreestanding -fPIE -fvisibility=hidden \
	-mgeneral-regs-only \
	-fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
	-fno-strict-aliasing \
	-fno-tree-loop-distribute-patterns -U_FORTIFY_SOURCE \
	-mmemcpy-strategy=libcall:-1:noalign -mmemset-strategy=libcall:-1:noalign

pkglib_LIBRARIES = libustap_user.a
$(libustap_user_a_OBJECTS): CC = $(RUNTIME_CC)
libustap_user_a_CPPFLAGS = -I$(srcdir)/runtime/user -I$(srcdir)/runtime/include \
	-I$(srcdir)/runtime/common
libustap_user_a_CFLAGS = $(user_rt_cflags)
libustap_user_a_CCASFLAGS =
libustap_user_a_SOURCES = \
	$(runtime_common_sources) \
	runtime/include/arch/sandbox_calls.h \
	runtime/include/arch/thread_id.h \
	runtime/include/sandbox.h \
	runtime/user/agent.c \
	runtime/user/arch/arch.h \
	runtime/user/arch/x86_64.S \
	runtime/user/arch/x86_64.h \
	runtime/user/arch/x86_64_cpu.c \
	runtime/user/arch/x86_64_clock.S \
	runtime/user/arch/x86_64_load.S \
	runtime/user/base/abandon.c \
	runtime/user/base/clock.c \
	runtime/user/base/counter.c \
	runtime/user/base/counter.h \
	runtime/user/base/heap.c \
	runtime/user/base/owner.h \
	runtime/user/base/shared_lock.c \
	runtime/user/base/thread_cell.c \
	runtime/user/base/thread_cell.h \
	runtime/user/base/thread_stat.c \
	runtime/user/base/thread_stat.h \
	runtime/user/builtins/machine.c \
	runtime/user/builtins/task.c \
	runtime/user/builtins/tasks.c \
	runtime/user/context.c \
	runtime/user/gate.c \
	runtime/user/memory/fault.c \
	runtime/user/memory/umem.c \
	runtime/user/port_impl.h \
	runtime/user/probes/callers.c \
	runtime/user/probes/callers.h \
	runtime/user/probes/calls.c \
	runtime/user/probes/handler_stack.c \
	runtime/user/probes/handler_stack.h \
	runtime/user/probes/hit.c \
	runtime/user/probes/hook.c \
	runtime/user/probes/libraries.c \
	runtime/user/probes/libraries.h \
	runtime/user/probes/process_events.c \
	runtime/user/probes/profile.c \
	runtime/user/probes/return_slots.c \
	runtime/user/probes/return_slots.h \
	runtime/user/probes/sandbox.c \
	runtime/user/probes/timer.c \
	runtime/user/probes/trap.c \
	runtime/user/probes/divert.c \
	runtime/user/probes/watch.c \
	runtime/user/process/area.c \
	runtime/user/process/identity.c \
	runtime/user/state.c \
	runtime/user/transport/ring.c \
	runtime/user/user.h
# Ignore the CFLAGS of configure (sanitizers, debug information), which are for programs.
$(libustap_user_a_OBJECTS): CFLAGS = -O2
$(libustap_user_a_OBJECTS): CCASFLAGS =
nobase_dist_pkgdata_DATA += runtime/user/blob.lds

check_PROGRAMS += testsuite/unit/test_user_agent testsuite/unit/test_user_clock \
	testsuite/unit/test_user_counter testsuite/unit/test_user_hooks \
	testsuite/unit/test_user_ring testsuite/unit/test_user_rt \
	testsuite/unit/test_user_stat testsuite/unit/test_user_umem
user_test_cflags = -std=gnu11 -Wall -Wextra -D_GNU_SOURCE= -fexceptions -fcf-protection=none \
	-fno-sanitize=all -pthread
testsuite_unit_test_user_agent_SOURCES = testsuite/unit/test_user_agent.c \
	testsuite/unit/user_check.h
testsuite_unit_test_user_agent_CPPFLAGS = $(libustap_user_a_CPPFLAGS)
testsuite_unit_test_user_agent_CFLAGS = $(user_test_cflags)
testsuite_unit_test_user_agent_LDFLAGS = $(AM_LDFLAGS) -pthread
testsuite_unit_test_user_agent_LDADD = libustap_user.a libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_user_clock_SOURCES = testsuite/unit/test_user_clock.c \
	runtime/staprun/base/clock_source.c
testsuite_unit_test_user_clock_CPPFLAGS = $(libustap_user_a_CPPFLAGS) -I$(srcdir)/runtime/staprun
testsuite_unit_test_user_clock_CFLAGS = $(user_test_cflags)
testsuite_unit_test_user_clock_LDFLAGS = $(AM_LDFLAGS) -pthread
testsuite_unit_test_user_clock_LDADD = libustap_user.a
testsuite_unit_test_user_counter_SOURCES = testsuite/unit/test_user_counter.c \
	testsuite/unit/user_rt_check.h
testsuite_unit_test_user_counter_CPPFLAGS = $(libustap_user_a_CPPFLAGS)
testsuite_unit_test_user_counter_CFLAGS = $(user_test_cflags)
testsuite_unit_test_user_counter_LDFLAGS = $(AM_LDFLAGS) -pthread
testsuite_unit_test_user_counter_LDADD = libustap_user.a libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_user_hooks_SOURCES = testsuite/unit/test_user_hooks.c \
	testsuite/unit/user_check.h
testsuite_unit_test_user_hooks_CPPFLAGS = $(libustap_user_a_CPPFLAGS)
testsuite_unit_test_user_hooks_CFLAGS = $(user_test_cflags)
testsuite_unit_test_user_hooks_LDFLAGS = $(AM_LDFLAGS) -pthread
testsuite_unit_test_user_hooks_LDADD = libustap_user.a libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_user_rt_SOURCES = testsuite/unit/test_user_rt.c testsuite/unit/user_rt_check.h
testsuite_unit_test_user_rt_CPPFLAGS = $(libustap_user_a_CPPFLAGS)
testsuite_unit_test_user_rt_CFLAGS = $(user_test_cflags)
testsuite_unit_test_user_rt_LDFLAGS = $(AM_LDFLAGS) -pthread
testsuite_unit_test_user_rt_LDADD = libustap_user.a libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_user_ring_SOURCES = testsuite/unit/test_user_ring.c \
	testsuite/unit/user_rt_check.h
testsuite_unit_test_user_ring_CPPFLAGS = $(libustap_user_a_CPPFLAGS)
testsuite_unit_test_user_ring_CFLAGS = $(user_test_cflags)
testsuite_unit_test_user_ring_LDFLAGS = $(AM_LDFLAGS) -pthread
testsuite_unit_test_user_ring_LDADD = libustap_user.a libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_user_stat_SOURCES = testsuite/unit/test_user_stat.c \
	testsuite/unit/user_rt_check.h
testsuite_unit_test_user_stat_CPPFLAGS = $(libustap_user_a_CPPFLAGS)
testsuite_unit_test_user_stat_CFLAGS = $(user_test_cflags)
testsuite_unit_test_user_stat_LDFLAGS = $(AM_LDFLAGS) -pthread
testsuite_unit_test_user_stat_LDADD = libustap_user.a libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_user_umem_SOURCES = testsuite/unit/test_user_umem.c \
	testsuite/unit/user_rt_check.h
testsuite_unit_test_user_umem_CPPFLAGS = $(libustap_user_a_CPPFLAGS)
testsuite_unit_test_user_umem_CFLAGS = $(user_test_cflags)
testsuite_unit_test_user_umem_LDFLAGS = $(AM_LDFLAGS) -pthread
testsuite_unit_test_user_umem_LDADD = libustap_user.a libstaprun.a $(ZYDIS_LIBS)
