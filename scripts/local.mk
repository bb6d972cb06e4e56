# Generators of the tables and tapsets of system calls, which are in the repository:
#   scripts/syscall-numbers BUILD... > runtime/include/syscall_numbers.h
#   scripts/call-names > runtime/common/builtins/call_names_table.h
#   scripts/syscall-tapset
EXTRA_DIST += \
	scripts/call-names \
	scripts/call-names.in \
	scripts/syscall-numbers \
	scripts/syscall-tapset \
	scripts/syscalls.in

# Packages for Debian.
EXTRA_DIST += \
	debian/changelog \
	debian/clean \
	debian/control \
	debian/copyright \
	debian/rules \
	debian/source/format \
	debian/ustap.install \
	debian/ustap.manpages \
	debian/ustap.postinst \
	debian/ustap.postrm \
	debian/ustap-doc.install \
	debian/ustap-doc.manpages \
	debian/ustap-runtime.install \
	debian/ustap-runtime.manpages \
	debian/ustap-sdt-dev.install \
	debian/ustap-sdt-dev.manpages \
	debian/ustap-stap.install \
	debian/ustap-stap.manpages \
	scripts/package

# Build the packages, check them with lintian, unpack them and run scripts; `make check' packs the
# existing build instead.
unit_scripts += .srcdir/scripts/package
.PHONY: check-package
check-package: all
	$(SHELL) $(srcdir)/scripts/package -f

# The commands of README and tutorial, in new Debian systems; NEWCOMER="-p -c trixie": see
# testsuite/newcomer.
EXTRA_DIST += testsuite/newcomer testsuite/debian-system testsuite/smoke
NEWCOMER = -p bookworm trixie
CASES =
SMOKE = trixie
.PHONY: check-newcomer check-cases check-smoke
check-newcomer:
	$(srcdir)/testsuite/newcomer $(NEWCOMER)

# The README's two commands in each situation of a table, or in those of
# CASES="trixie bookworm/root"; and a short set of tests.
check-cases:
	$(srcdir)/testsuite/newcomer --cases $(CASES)
check-smoke:
	$(srcdir)/testsuite/smoke $(SMOKE)

# The form of commit messages; see CONTRIBUTING.md.
EXTRA_DIST += scripts/check-commits
