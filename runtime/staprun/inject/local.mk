# The loader's part of the user runtime.  Zydis decodes the instructions that make room for jumps.
libstaprun_a_SOURCES += \
	runtime/staprun/inject/adopt.c \
	runtime/staprun/inject/area.c \
	runtime/staprun/inject/arm.c \
	runtime/staprun/inject/blob.c \
	runtime/staprun/inject/blobfile.c \
	runtime/staprun/inject/blobfile.h \
	runtime/staprun/inject/branches.c \
	runtime/staprun/inject/broker.c \
	runtime/staprun/inject/calls_x86_64.c \
	runtime/staprun/inject/confine.c \
	runtime/staprun/inject/credentials.c \
	runtime/staprun/inject/deaths.c \
	runtime/staprun/inject/decode_x86_64.c \
	runtime/staprun/inject/disposition.c \
	runtime/staprun/inject/elffile.c \
	runtime/staprun/inject/faults.c \
	runtime/staprun/inject/follow.c \
	runtime/staprun/inject/gate.c \
	runtime/staprun/inject/happen.c \
	runtime/staprun/inject/hook.c \
	runtime/staprun/inject/inject.h \
	runtime/staprun/inject/insn.h \
	runtime/staprun/inject/launch.c \
	runtime/staprun/inject/leftover.c \
	runtime/staprun/inject/mapped.c \
	runtime/staprun/inject/maps.c \
	runtime/staprun/inject/module.c \
	runtime/staprun/inject/patch.c \
	runtime/staprun/inject/permit.c \
	runtime/staprun/inject/process.c \
	runtime/staprun/inject/process.h \
	runtime/staprun/inject/record.c \
	runtime/staprun/inject/relocate_x86_64.c \
	runtime/staprun/inject/remote.c \
	runtime/staprun/inject/request.c \
	runtime/staprun/inject/returns.c \
	runtime/staprun/inject/script.c \
	runtime/staprun/inject/script.h \
	runtime/staprun/inject/script_process.c \
	runtime/staprun/inject/semaphore.c \
	runtime/staprun/inject/stub_x86_64.c \
	runtime/staprun/inject/text.c \
	runtime/staprun/inject/tracee.c \
	runtime/staprun/inject/tracer.c \
	runtime/staprun/inject/trap.c \
	runtime/staprun/inject/untraced.c \
	runtime/staprun/inject/vdso.c \
	runtime/staprun/inject/watch.c \
	runtime/staprun/inject/withdraw.c

check_PROGRAMS += testsuite/unit/test_tracee
testsuite_unit_test_tracee_SOURCES = testsuite/unit/test_tracee.c testsuite/unit/staprun_check.h
testsuite_unit_test_tracee_CPPFLAGS = $(staprun_test_cppflags) -I$(srcdir)/runtime/staprun/inject
testsuite_unit_test_tracee_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_tracee_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += testsuite/unit/test_elffile
testsuite_unit_test_elffile_SOURCES = testsuite/unit/test_elffile.c testsuite/unit/staprun_check.h
testsuite_unit_test_elffile_CPPFLAGS = $(staprun_test_cppflags) -I$(srcdir)/runtime/staprun/inject
testsuite_unit_test_elffile_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_elffile_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += testsuite/unit/test_patch
testsuite_unit_test_patch_SOURCES = testsuite/unit/test_patch.c testsuite/unit/test_patch_bulk.c \
	testsuite/unit/test_patch_cases.c testsuite/unit/test_patch_unwind.c testsuite/unit/patch_test.h \
	testsuite/unit/staprun_check.h
testsuite_unit_test_patch_CPPFLAGS = $(staprun_test_cppflags) -I$(srcdir)/runtime/staprun/inject
testsuite_unit_test_patch_CFLAGS = $(libstaprun_a_CFLAGS) -fexceptions -fcf-protection=none -fno-sanitize=all
testsuite_unit_test_patch_LDFLAGS = $(AM_LDFLAGS) -pthread
testsuite_unit_test_patch_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += testsuite/unit/test_launch
testsuite_unit_test_launch_SOURCES = testsuite/unit/test_launch.c testsuite/unit/staprun_check.h
testsuite_unit_test_launch_CPPFLAGS = $(staprun_test_cppflags) -I$(srcdir)/runtime/staprun/inject
testsuite_unit_test_launch_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_launch_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += testsuite/unit/test_permit
testsuite_unit_test_permit_SOURCES = testsuite/unit/test_permit.c testsuite/unit/staprun_check.h
testsuite_unit_test_permit_CPPFLAGS = $(staprun_test_cppflags) -I$(srcdir)/runtime/staprun/inject
testsuite_unit_test_permit_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_permit_LDADD = libstaprun.a $(ZYDIS_LIBS)
