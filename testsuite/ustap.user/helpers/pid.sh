# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN BLOB PROGRAM [-x]: two processes; the script names the first
. "${0%/*}/common.sh"
start one "$prog" run; a=$target
start two "$prog" run; b=$target
script="global first, other, returns, begun
	probe process($a).function(\"turn\") {
		if (pid() == $a) first++; else other++
		if (first > 20 && returns) exit()
	}
	probe process($a).function(\"turn\").return {
		if (@entry(pid()) == $a) returns++; else other++
	}
	probe process($a).begin { begun += pid() == $a }
	probe end {
		println(other ? \"both \" : \"only the first \", first > 20, \" \", returns > 0)
		println(\"begin \", begun)
	}"
"${staprun%/*}/ustap" --runtime=user ${4:+-x $a -x $b} -T 20 -e "$script" ||
	echo "status $?"
kill $a $b
wait $a $b
