# DejaGnu; see testsuite/README.md.
EXTRA_DIST += testsuite/README.md
