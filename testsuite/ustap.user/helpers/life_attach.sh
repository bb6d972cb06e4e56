# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN BLOB PROGRAM: what runs already has begun; it goes on when the run ends
. "${0%/*}/common.sh"
start a "$prog" run
attach one -x $target
until_true grep -qs '^begin' one.out
detach one $run
kill -0 $target && grep TracerPid /proc/$target/status | tr '\t' ' '
attach two -x $target
until_true grep -qs '^begin' two.out
kill $target
wait $target
ended two $run
cat one.out two.out
