# DejaGnu; see testsuite/README.md.
EXTRA_DIST += \
	testsuite/README.md \
	testsuite/check \
	testsuite/config/default.exp \
	testsuite/lib/progress.exp \
	testsuite/lib/run.exp \
	testsuite/lib/strict_cc.c \
	testsuite/lib/subreaper.c \
	testsuite/lib/ustap.exp \
	testsuite/lib/watchpoints.c \
	testsuite/forms \
	testsuite/kernel-debug \
	testsuite/kernel-docs \
	testsuite/kernel-rt \
	testsuite/kernel-stack \
	testsuite/mass \
	testsuite/gdb \
	testsuite/model/calls.c \
	testsuite/model/language.py \
	testsuite/model/model \
	testsuite/model/scripts.py \
	testsuite/oracle/compare \
	testsuite/oracle/examples \
	testsuite/oracle/examples.refused \
	testsuite/oracle/listing \
	testsuite/oracle/manual \
	testsuite/oracle/manual.differences \
	testsuite/programs \
	testsuite/ustap.dumps \
	testsuite/ustap.errors \
	testsuite/ustap.examples \
	testsuite/ustap.kernel \
	testsuite/ustap.lang \
	testsuite/ustap.process \
	testsuite/soak \
	testsuite/soak-control \
	testsuite/soak-kernel \
	testsuite/stacks \
	testsuite/kernel-remote \
	testsuite/signed \
	testsuite/ustap.security \
	testsuite/ustap.soak \
	testsuite/ustap.staprun \
	testsuite/ustap.tapsets \
	testsuite/ustap.suite/all.exp \
	testsuite/ustap.user \
	testsuite/vm

# A unit test is a program that prints `ok NAME' or `not ok NAME: why' for each
# of its checks and exits 0 if all held.  Programs in check_PROGRAMS are run:
#   check_PROGRAMS += testsuite/unit/maps
#   testsuite_unit_maps_SOURCES = testsuite/unit/maps.c
#   testsuite_unit_maps_CPPFLAGS = -I$(srcdir)/translator
#   testsuite_unit_maps_LDADD = libustap.a $(ELFUTILS_LIBS)

unit_cppflags = -I$(srcdir)/translator -DPROGRAMS='"$(abs_srcdir)/testsuite/programs"'
check_PROGRAMS += testsuite/unit/test_arch testsuite/unit/test_dwarf testsuite/unit/test_functions
check_PROGRAMS += testsuite/unit/test_util testsuite/unit/test_options testsuite/unit/fuzz_parse
testsuite_unit_test_arch_SOURCES = testsuite/unit/test_arch.c
testsuite_unit_test_arch_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_arch_LDADD = libustap.a $(ELFUTILS_LIBS)
check_PROGRAMS += testsuite/unit/test_guard
testsuite_unit_test_guard_SOURCES = testsuite/unit/test_guard.c
testsuite_unit_test_guard_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_guard_LDADD = libustap.a $(ELFUTILS_LIBS) $(ZYDIS_LIBS)
testsuite_unit_test_dwarf_SOURCES = testsuite/unit/test_dwarf.c
testsuite_unit_test_dwarf_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_dwarf_LDADD = libustap.a $(ELFUTILS_LIBS)
check_PROGRAMS += testsuite/unit/test_names
testsuite_unit_test_names_SOURCES = testsuite/unit/test_names.c
testsuite_unit_test_names_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_names_CFLAGS = $(AM_CFLAGS) $(ELFUTILS_CFLAGS)
testsuite_unit_test_names_LDADD = libustap.a $(ELFUTILS_LIBS)
testsuite_unit_test_functions_SOURCES = testsuite/unit/test_functions.c
testsuite_unit_test_functions_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_functions_LDADD = libustap.a $(ELFUTILS_LIBS)
testsuite_unit_test_util_SOURCES = testsuite/unit/test_util.c
testsuite_unit_test_util_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_util_LDADD = libustap.a $(ELFUTILS_LIBS)
testsuite_unit_test_options_SOURCES = testsuite/unit/test_options.c
testsuite_unit_test_options_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_options_LDADD = libustap.a $(ELFUTILS_LIBS)
testsuite_unit_fuzz_parse_SOURCES = testsuite/unit/fuzz_parse.c testsuite/fuzz/fragments.h
testsuite_unit_fuzz_parse_CPPFLAGS = $(unit_cppflags)
testsuite_unit_fuzz_parse_LDADD = libustap.a $(ELFUTILS_LIBS)

check_PROGRAMS += testsuite/unit/test_nesting
testsuite_unit_test_nesting_SOURCES = testsuite/unit/test_nesting.c
testsuite_unit_test_nesting_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_nesting_LDADD = libustap.a $(ELFUTILS_LIBS)

# Expected errors compared with stap's, if it is installed; STAP_OPTIONS="-r DIR" if it lacks the
# running kernel's headers. And its example scripts for a kernel of ours; EXAMPLES="words" chooses.
.PHONY: oracle
oracle: ustap
	STAP_OPTIONS='$(STAP_OPTIONS)' $(srcdir)/testsuite/oracle/compare \
		$(srcdir)/testsuite/ustap.errors/check_*.stp
	STAP_OPTIONS='$(STAP_OPTIONS)' $(srcdir)/testsuite/oracle/listing ./ustap
	$(srcdir)/testsuite/oracle/examples ./ustap $(EXAMPLES)
	STAP_OPTIONS='$(STAP_OPTIONS)' $(srcdir)/testsuite/oracle/manual ./ustap $(MANUAL)

# The whole translator on damaged scripts: a short run here, and `make fuzz FUZZ_SECONDS=3600' with
# libFuzzer.
EXTRA_DIST += testsuite/fuzz/run testsuite/fuzz/script.dict
check_PROGRAMS += testsuite/fuzz/fuzz_check
testsuite_fuzz_fuzz_check_SOURCES = testsuite/fuzz/driver.c testsuite/fuzz/fragments.h \
	testsuite/fuzz/limit.h testsuite/fuzz/target.c
testsuite_fuzz_fuzz_check_CPPFLAGS = -I$(srcdir)/translator -DTESTSUITE='"$(abs_srcdir)/testsuite"'
testsuite_fuzz_fuzz_check_LDADD = libustap.a $(ELFUTILS_LIBS)
check_PROGRAMS += testsuite/fuzz/large
testsuite_fuzz_large_SOURCES = testsuite/fuzz/large.c testsuite/fuzz/limit.h \
	testsuite/fuzz/target.c
testsuite_fuzz_large_CPPFLAGS = -I$(srcdir)/translator
testsuite_fuzz_large_LDADD = libustap.a $(ELFUTILS_LIBS)
check_PROGRAMS += testsuite/fuzz/fuzz_elf_check
testsuite_fuzz_fuzz_elf_check_SOURCES = testsuite/fuzz/elf.h testsuite/fuzz/elf_damage.c \
	testsuite/fuzz/elf_driver.c testsuite/fuzz/elf_read.c testsuite/fuzz/limit.h \
	runtime/staprun/inject/elf/elffile.c
testsuite_fuzz_fuzz_elf_check_CPPFLAGS = -I$(srcdir)/translator \
	-DTESTSUITE='"$(abs_srcdir)/testsuite"' -I$(srcdir)/runtime/staprun \
	-I$(srcdir)/runtime/include
testsuite_fuzz_fuzz_elf_check_LDADD = libustap.a $(ELFUTILS_LIBS) $(ZYDIS_LIBS)
EXTRA_DIST += testsuite/fuzz/elf testsuite/fuzz/elf_target.c testsuite/fuzz/run_elf \
	testsuite/fuzz/seed.adb testsuite/fuzz/seed.c testsuite/fuzz/seed.cc \
	testsuite/fuzz/seed.f90 testsuite/fuzz/seeds
# Programs whose names are C, beside the same programs with harmless names.
check_PROGRAMS += testsuite/fuzz/fuzz_names_check
testsuite_fuzz_fuzz_names_check_SOURCES = testsuite/fuzz/names.h testsuite/fuzz/names_change.c \
	testsuite/fuzz/limit.h testsuite/fuzz/names_driver.c testsuite/fuzz/names_tokens.c
testsuite_fuzz_fuzz_names_check_CPPFLAGS = -I$(srcdir)/translator \
	-DTESTSUITE='"$(abs_srcdir)/testsuite"'
testsuite_fuzz_fuzz_names_check_LDADD = libustap.a $(ELFUTILS_LIBS)
EXTRA_DIST += testsuite/fuzz/names_seeds testsuite/fuzz/seed_btf.c
FUZZ_SECONDS = 600
EXTRA_DIST += testsuite/fuzz/recording_seeds testsuite/fuzz/recording_target.c \
	testsuite/fuzz/run_recording
.PHONY: fuzz fuzz-elf fuzz-names fuzz-recording
fuzz-recording:
	$(srcdir)/testsuite/fuzz/run_recording $(srcdir) . $(FUZZ_SECONDS)
fuzz-names: testsuite/fuzz/fuzz_names_check
	testsuite/fuzz/fuzz_names_check $(FUZZ_SECONDS)
fuzz-elf:
	$(srcdir)/testsuite/fuzz/run_elf $(srcdir) . $(FUZZ_SECONDS) \
		"$(ELFUTILS_LIBS) $(ZYDIS_LIBS)"
fuzz:
	$(srcdir)/testsuite/fuzz/run $(srcdir) . $(FUZZ_SECONDS) "$(ELFUTILS_LIBS)"

# Writes of a traced process to the memory that it shares with staprun: a short run in `make check'.
EXTRA_DIST += testsuite/fuzz/run_shared testsuite/fuzz/shared.c testsuite/fuzz/shared.stp \
	testsuite/fuzz/shared_check
EXTRA_DIST += .github/workflows/check.yml
EXTRA_DIST += testsuite/unit/bench_run testsuite/expected-skips testsuite/selftest testsuite/flaky \
	testsuite/long testsuite/systemd testsuite/builds
RUNS = 1000
.PHONY: fuzz-shared
fuzz-shared: $(bin_PROGRAMS)
	$(srcdir)/testsuite/fuzz/run_shared $(RUNS) $(FIRST)

# Scripts that are unit tests, too; .srcdir is made by configure.
unit_scripts = .srcdir/testsuite/forms/debug_forms .srcdir/testsuite/forms/names_index
unit_scripts += .srcdir/testsuite/fuzz/shared_check
unit_scripts += .srcdir/testsuite/unit/bench_run .srcdir/testsuite/selftest

# Programs in four languages, built in many ways: what ustap reads is what they print.  `make check'
# has a short form.
EXTRA_DIST += testsuite/corpus
unit_scripts += .srcdir/testsuite/corpus/corpus
# Servers, interpreters and tools under load; other tools, or their own logs, say what the counts
# are.
EXTRA_DIST += testsuite/real
.PHONY: check-real
check-real: $(bin_PROGRAMS)
	$(srcdir)/testsuite/real/run $(abs_builddir)/ustap $(REAL)

# Programs for arm64, cross-compiled: what ustap finds in them is what readelf and gdb-multiarch
# say.
EXTRA_DIST += testsuite/arm64
unit_scripts += .srcdir/testsuite/arm64/arm64

# `ustap test' and the suite's driver run the same tests.
EXTRA_DIST += testsuite/tester
unit_scripts += .srcdir/testsuite/tester/same .srcdir/testsuite/tester/places \
	.srcdir/testsuite/tester/no_guest
unit_scripts += .srcdir/testsuite/tester/newcomer_cases .srcdir/testsuite/tester/layers
unit_scripts += .srcdir/testsuite/tester/arch_places
unit_scripts += .srcdir/testsuite/tester/proofread .srcdir/testsuite/tester/contracts
unit_scripts += .srcdir/testsuite/tester/commits .srcdir/testsuite/tester/release
unit_scripts += .srcdir/testsuite/tester/site
.PHONY: check-corpus
check-corpus: $(bin_PROGRAMS)
	USTAP=$(abs_builddir)/ustap $(srcdir)/testsuite/corpus/run $(CORPUS)

# Percentiles of ten million samples of each distribution against the sorted samples.
.PHONY: check-sketch
check-sketch: testsuite/unit/test_sketch$(EXEEXT)
	SKETCH_SAMPLES=10000000 testsuite/unit/test_sketch$(EXEEXT)

# Twenty hosts of --remote, as root: three lose their sshd, one is stopped, one's disk is full.
.PHONY: check-remote
check-remote: ustap$(EXEEXT) staprun$(EXEEXT)
	helpers=$$(cd $(srcdir)/testsuite/ustap.user/helpers && pwd); \
	python3 $$helpers/remote_hosts.py testrun-hosts 20 python3 $$helpers/remote_many.py \
		$$PWD/ustap; status=$$?; rm -rf testrun-hosts; exit $$status

# One command on guests with two kernels, as root.
.PHONY: check-kernel-remote
check-kernel-remote: ustap$(EXEEXT) staprun$(EXEEXT)
	$(srcdir)/testsuite/kernel-remote/check $(abs_builddir)/ustap $(KERNELS)

# A program that is started 1,100 times within an hour, or FOLLOW_SECONDS, and a run with --follow:
# all hits, in constant memory, with the same processes and open files.
.PHONY: check-follow
FOLLOW_SECONDS = 3600
check-follow: ustap$(EXEEXT) staprun$(EXEEXT)
	helper=$$(cd $(srcdir)/testsuite/ustap.user/helpers && pwd)/follow.sh; \
	rm -rf testrun-follow; mkdir testrun-follow && \
	$(CC) -g -O1 -I$(srcdir)/sdt -o testrun-follow/prog \
		$(srcdir)/testsuite/programs/follow.c && \
	blob=$$(./ustap --follow=testrun-follow/prog -p4 \
		-e 'global hits probe process.mark("called") { hits++ }' \
		-E 'probe end { printf("hits %d\n", hits) }') && \
	staprun=$$PWD/staprun && cd testrun-follow && \
	result=$$(USAGE=1 bash $$helper $$staprun $$blob $$PWD/prog restarts 1000 \
		$(FOLLOW_SECONDS)) && echo "$$result" && cd .. && rm -r testrun-follow && \
	echo "$$result" | awk '/^memory: / && $$5 - $$2 < 128 && $$8 + 0 == $$10 + 0 && \
		$$12 + 0 == $$14 { n++ } /^hits 11000$$/ { n++ } END { exit n != 2 || NR != 2 }'

# The units under a real systemd, as root.
.PHONY: check-systemd
check-systemd: all
	$(srcdir)/testsuite/systemd $(abs_builddir)

.PHONY: check-kernels
run_check = UNIT_TESTS='$(check_PROGRAMS) $(unit_scripts)' TESTS='$(TESTS)' \
	UPDATE_DUMPS='$(UPDATE_DUMPS)' $(SHELL) $(srcdir)/testsuite/check $(srcdir)

# ustap-test judges the suite's tests.
suite_programs = $(bin_PROGRAMS) $(pkglibexec_PROGRAMS)

# TESTS=word runs some tests only; KERNELS="5.10 newest" chooses kernels.
check-local: check-arch check-contracts check-includes check-layers check-format check-prose \
	$(suite_programs) $(check_PROGRAMS)
	$(AM_V_at)KERNELS='$(KERNELS)' $(run_check)

# The names of tests, each with its description.
.PHONY: check-list
check-list: $(suite_programs)
	$(AM_V_at)LIST_TESTS=1 KERNELS=none $(run_check)

# Tests that must not depend on luck, FLAKY_RUNS times under load: those whose names have a word of
# FLAKY, or all that might.
.PHONY: check-flaky check-long
FLAKY_RUNS = 20
FLAKY =
check-flaky: $(suite_programs) $(check_PROGRAMS)
	$(AM_V_at)KERNELS='$(KERNELS)' $(srcdir)/testsuite/flaky $(srcdir) $(FLAKY_RUNS) $(FLAKY)

# Tests that take hours, in parts; PARTS names some of them.  CONTINUE=1 leaves out the parts that
# passed on this commit.
PARTS =
CONTINUE =
check-long: $(suite_programs) $(check_PROGRAMS)
	$(AM_V_at)$(srcdir)/testsuite/long $(if $(CONTINUE),-c) $(srcdir) $(PARTS)

# Checks of the build that `make distcheck' makes: with read-only sources, without guests.
short_check = distcheck
$(short_check): export TESTS ?= lang/statements errors/
$(short_check): export KERNELS = none
# Tools needed by that build's tests and packaging; missing ones are reported in one line, first.
distcheck_tools = runtest:dejagnu bison:bison flex:flex autoconf:autoconf automake:automake \
	pkg-config:pkg-config gzip:gzip tar:tar find:findutils cmp:diffutils
distcheck_words = $(subst :, ,$(1))
distcheck_missing = $(strip $(foreach t,$(distcheck_tools),\
	$(if $(shell command -v $(firstword $(call distcheck_words,$(t)))),,\
	$(lastword $(call distcheck_words,$(t))))))
distcheck_checked := $(if $(filter $(short_check),$(MAKECMDGOALS)),$(if $(distcheck_missing),\
	$(error distcheck: packages are missing: apt install $(distcheck_missing))))

check-kernels: $(suite_programs) $(check_PROGRAMS)
	$(AM_V_at)KERNELS='5.10 6.1 6.12 6.18 newest' $(run_check)

# The attacks of doc/security.md, on the oldest and the newest supported kernel.
.PHONY: check-security
check-security: TESTS = security/
check-security: $(suite_programs) $(check_PROGRAMS)
	$(AM_V_at)KERNELS='5.10 newest' $(run_check)

# The same attacks on the commit before the first of them was stopped.
EXTRA_DIST += testsuite/before-fix
.PHONY: check-before-fix
check-before-fix: $(suite_programs) $(check_PROGRAMS)
	$(srcdir)/testsuite/before-fix $(BEFORE_FIX)

# Guests that load signed modules only, and trust a key of the test.
.PHONY: check-signed
check-signed: $(bin_PROGRAMS)
	$(AM_V_at)$(srcdir)/testsuite/signed/check $(abs_builddir)/ustap $(KERNELS)

# Points that need the kernel's debug package, 1 GB, in a guest.
.PHONY: check-kernel-debug
check-kernel-debug: $(bin_PROGRAMS)
	$(AM_V_at)$(srcdir)/testsuite/kernel-debug/check $(abs_builddir)/ustap

# Builds without each optional library, and with clang.
.PHONY: check-builds
check-builds:
	$(AM_V_at)$(srcdir)/testsuite/builds $(srcdir)

# Each way to name an address in the kernel, in kernels loaded at different addresses (KASLR).
.PHONY: check-kaslr
KASLR_TESTS = kernel/clones kernel/data kernel/explained kernel/function kernel/many kernel/module \
	kernel/stack kernel/symbols kernel/trace kernel/variables
check-kaslr: $(suite_programs)
	$(AM_V_at)$(SHELL) $(srcdir)/testsuite/vm/moved $(KERNELS)
	$(AM_V_at)USTAP_VM_KASLR=1 TESTS='$(if $(TESTS),$(TESTS),$(KASLR_TESTS))' \
		KERNELS='$(if $(KERNELS),$(KERNELS),6.1 newest)' $(SHELL) \
		$(srcdir)/testsuite/check $(srcdir)

# The kernel documentation's examples of kprobes, as scripts and by hand, on all kernels.
.PHONY: check-kernel-docs
check-kernel-docs: $(suite_programs)
	$(AM_V_at)TESTS=kernel/docs KERNELS='5.10 6.1 6.12 6.18 newest' $(SHELL) \
		$(srcdir)/testsuite/check $(srcdir)

# Functions of Debian's programs chosen by chance, compared with gdb; GDB_SEED=1 for the same again;
# see testsuite/gdb.
GDB_SEED =
GDB_AGREE = $(realpath /usr/bin/python3) $(realpath /usr/bin/python3)d \
	/usr/bin/sqlite3:/lib/x86_64-linux-gnu/libc.so.6 /usr/bin/x86_64-linux-gnu-ld.bfd
.PHONY: check-gdb
check-gdb: $(bin_PROGRAMS)
	$(srcdir)/testsuite/gdb/agree -n 600 $(if $(GDB_SEED),-s $(GDB_SEED)) \
		$(abs_builddir)/ustap $(GDB_AGREE)
	$(srcdir)/testsuite/gdb/calls $(if $(GDB_SEED),-s $(GDB_SEED)) $(abs_builddir)/ustap \
		$(realpath /usr/bin/python3) $(realpath /usr/bin/python3) -I -c \
		'import json; json.loads(json.dumps([1.5, {"a": None}]))'
	$(srcdir)/testsuite/gdb/calls -n 600 $(if $(GDB_SEED),-s $(GDB_SEED)) \
		$(abs_builddir)/ustap /lib/x86_64-linux-gnu/libc.so.6 /usr/bin/bash -c \
		'for i in 1 2 3; do y="$$y $$i"; done; printf "%s %05d\n" "$$y" 42'
	$(srcdir)/testsuite/gdb/rebuilt $(if $(GDB_SEED),-s $(GDB_SEED)) $(abs_builddir)/ustap
	$(srcdir)/testsuite/gdb/middles -n 600 $(if $(GDB_SEED),-s $(GDB_SEED)) \
		$(abs_builddir)/ustap $(realpath /usr/bin/python3) $(realpath /usr/bin/python3) -I \
		-c 'import json; json.loads(json.dumps([1.5, {"a": None}]))'
	$(srcdir)/testsuite/gdb/postgres $(abs_builddir)/ustap
	$(srcdir)/testsuite/gdb/java $(abs_builddir)/ustap

# Backtraces at instructions chosen by chance, in 23 classes of programs, compared with gdb's;
# STACKS="-n 200 python".
STACKS = -n 60
.PHONY: check-stacks
check-stacks: $(bin_PROGRAMS)
	$(srcdir)/testsuite/stacks/stacks $(abs_builddir)/ustap $(STACKS)

# Random scripts compared with a model of the language; MODEL="-n 1000 -s SEED".
MODEL = -n 400
.PHONY: check-model
check-model: $(bin_PROGRAMS)
	$(srcdir)/testsuite/model/model $(MODEL) $(abs_builddir)/ustap

# The tests of ustap.soak, many more times; SOAK="-k 5.10 -f 10 cycles": see testsuite/soak.
.PHONY: soak soak-kernel
# Probes in the kernel, for an hour, on a kernel that watches itself; SOAK="-k 6.12 -t 600 mixed":
# see testsuite/soak-kernel.
soak-kernel: $(bin_PROGRAMS)
	USTAP=$(abs_builddir)/ustap STAPRUN=$(abs_builddir)/staprun \
		$(srcdir)/testsuite/soak-kernel $(SOAK)
soak: $(bin_PROGRAMS)
	USTAP=$(abs_builddir)/ustap STAPRUN=$(abs_builddir)/staprun $(srcdir)/testsuite/soak $(SOAK)

# The language tests in an ordinary process; see testsuite/unit/port_hosted/port.c.
check_LIBRARIES += libport_hosted.a
libport_hosted_a_CPPFLAGS = -I$(srcdir)/testsuite/unit/port_hosted \
	-I$(srcdir)/runtime/include -I$(srcdir)/runtime/common
libport_hosted_a_SOURCES = \
	$(runtime_common_sources) \
	testsuite/unit/port_hosted/port.c \
	testsuite/unit/port_hosted/port_impl.h
check_PROGRAMS += testsuite/unit/test_hosted
testsuite_unit_test_hosted_SOURCES = testsuite/unit/test_hosted.c
testsuite_unit_test_hosted_CPPFLAGS = -I$(srcdir)/translator \
	-DLANG_TESTS='"$(abs_srcdir)/testsuite/ustap.lang"' \
	-DINCLUDE='"$(abs_srcdir)/runtime/include"' -DPORT_LDFLAGS='"$(USTAP_LDFLAGS)"'
testsuite_unit_test_hosted_LDADD = libustap.a $(ELFUTILS_LIBS)
testsuite_unit_test_hosted_DEPENDENCIES = libustap.a libport_hosted.a ustap
check_PROGRAMS += testsuite/unit/test_emit
testsuite_unit_test_emit_SOURCES = testsuite/unit/test_emit.c
testsuite_unit_test_emit_CPPFLAGS = $(testsuite_unit_test_hosted_CPPFLAGS)
testsuite_unit_test_emit_LDADD = libustap.a $(ELFUTILS_LIBS)
testsuite_unit_test_emit_DEPENDENCIES = libustap.a libport_hosted.a

# Unit tests of runtime/common, programs of that hosted runtime.
EXTRA_DIST += testsuite/unit/rt_check.h
check_PROGRAMS += testsuite/unit/test_map testsuite/unit/test_fmt testsuite/unit/test_stat \
	testsuite/unit/test_hist testsuite/unit/test_fp testsuite/unit/test_sketch \
	testsuite/unit/test_string
testsuite_unit_test_map_SOURCES = testsuite/unit/test_map.c
testsuite_unit_test_map_CPPFLAGS = $(libport_hosted_a_CPPFLAGS)
testsuite_unit_test_map_LDADD = libport_hosted.a
check_PROGRAMS += testsuite/unit/test_elfid
testsuite_unit_test_elfid_SOURCES = testsuite/unit/test_elfid.c
testsuite_unit_test_elfid_CPPFLAGS = -I$(srcdir)/runtime/include
testsuite_unit_test_elfid_LDADD = libstaprun.a
check_PROGRAMS += testsuite/unit/test_float
testsuite_unit_test_float_SOURCES = testsuite/unit/test_float.c
testsuite_unit_test_float_CPPFLAGS = $(libport_hosted_a_CPPFLAGS)
testsuite_unit_test_float_LDADD = libport_hosted.a -lm
testsuite_unit_test_fmt_SOURCES = testsuite/unit/test_fmt.c
testsuite_unit_test_fmt_CPPFLAGS = $(libport_hosted_a_CPPFLAGS)
testsuite_unit_test_fmt_LDADD = libport_hosted.a
testsuite_unit_test_stat_SOURCES = testsuite/unit/test_stat.c
testsuite_unit_test_stat_CPPFLAGS = $(libport_hosted_a_CPPFLAGS)
testsuite_unit_test_stat_LDADD = libport_hosted.a
check_PROGRAMS += testsuite/unit/test_stackmap
testsuite_unit_test_stackmap_SOURCES = testsuite/unit/test_stackmap.c
testsuite_unit_test_stackmap_CPPFLAGS = $(libport_hosted_a_CPPFLAGS)
testsuite_unit_test_stackmap_LDADD = libport_hosted.a
check_PROGRAMS += testsuite/unit/test_target
testsuite_unit_test_target_SOURCES = testsuite/unit/test_target.c
testsuite_unit_test_target_CPPFLAGS = $(libport_hosted_a_CPPFLAGS)
testsuite_unit_test_target_LDADD = libport_hosted.a
check_PROGRAMS += testsuite/unit/test_regex
testsuite_unit_test_regex_SOURCES = testsuite/unit/test_regex.c
testsuite_unit_test_regex_CPPFLAGS = -I$(srcdir)/translator $(libport_hosted_a_CPPFLAGS)
testsuite_unit_test_regex_LDADD = libustap.a libport_hosted.a $(ELFUTILS_LIBS)
testsuite_unit_test_fp_SOURCES = testsuite/unit/test_fp.c
testsuite_unit_test_fp_CPPFLAGS = $(libport_hosted_a_CPPFLAGS)
testsuite_unit_test_fp_LDADD = libport_hosted.a -lm
testsuite_unit_test_hist_SOURCES = testsuite/unit/test_hist.c
testsuite_unit_test_hist_CPPFLAGS = $(libport_hosted_a_CPPFLAGS)
testsuite_unit_test_hist_LDADD = libport_hosted.a
testsuite_unit_test_sketch_SOURCES = testsuite/unit/test_sketch.c
testsuite_unit_test_sketch_CPPFLAGS = $(libport_hosted_a_CPPFLAGS)
testsuite_unit_test_sketch_LDADD = libport_hosted.a -lm
testsuite_unit_test_string_SOURCES = testsuite/unit/test_string.c
testsuite_unit_test_string_CPPFLAGS = $(libport_hosted_a_CPPFLAGS)
testsuite_unit_test_string_LDADD = libport_hosted.a

# The word tables of editors and shells are complete.
check_PROGRAMS += testsuite/unit/test_runtime_parts
testsuite_unit_test_runtime_parts_SOURCES = testsuite/unit/test_runtime_parts.c
testsuite_unit_test_runtime_parts_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_runtime_parts_LDADD = libustap.a $(ELFUTILS_LIBS)
check_PROGRAMS += testsuite/unit/test_words
testsuite_unit_test_words_SOURCES = testsuite/unit/test_words.c
testsuite_unit_test_words_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_words_LDADD = libustap.a $(ELFUTILS_LIBS)

# The language server: its messages one by one, and as editors use them.
EXTRA_DIST += testsuite/lsp
unit_scripts += .srcdir/testsuite/lsp/lsp .srcdir/testsuite/lsp/shells .srcdir/testsuite/lsp/editors

# The functions of SystemTap's manual pages, our rows for them, and what is there.
EXTRA_DIST += testsuite/functions
unit_scripts += .srcdir/testsuite/functions/check

# The library's points and functions of the kernel compile, all of them, with all their variables;
# check-linux: on all kernels, up to the module.
EXTRA_DIST += testsuite/linux
unit_scripts += .srcdir/testsuite/linux/kernel_points
.PHONY: check-linux
check-linux: $(bin_PROGRAMS)
	$(srcdir)/testsuite/linux/kernel_points -a -p4
