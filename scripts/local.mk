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
	debian/ustap-doc.install \
	debian/ustap-doc.manpages \
	debian/ustap-runtime.install \
	debian/ustap-runtime.manpages \
	scripts/package

# Build them, look at them with lintian, unpack them and run scripts; `make check' does it with the build that is there.
unit_scripts += .srcdir/scripts/package
.PHONY: check-package
check-package: all
	$(SHELL) $(srcdir)/scripts/package -f

# README and tutorial as a new user reads them, in new Debian systems; NEWCOMER="-p -c trixie": see testsuite/newcomer.
EXTRA_DIST += testsuite/newcomer
NEWCOMER = -p bookworm trixie
.PHONY: check-newcomer
check-newcomer:
	$(srcdir)/testsuite/newcomer $(NEWCOMER)
