# foreign_home.sh USTAP: root with the environment of another user, as after `su' without `-' or
# `sudo -E'. Everything below $PWD/other belongs to user nobody.
ustap=$1
other=$PWD/other
mkdir -p "$other/.systemtap" "$other/.config/ustap" "$other/bin" "$other/tmp" "$other/tapsets" own
echo "-E 'probe begin(-1) { println(\"options of another user\") }'" |
	tee "$other/.systemtap/rc" > "$other/.config/ustap/rc"
printf '#!/bin/sh\ntouch %s/ran\nexec /usr/bin/gcc "$@"\n' "$other" > "$other/bin/gcc"
printf '#!/bin/sh\necho "loader of another user"\n' > "$other/bin/staprun"
chmod +x "$other"/bin/*
echo 'function mine() { return "tapset of another user" }' > "$other/tapsets/mine.stp"
chown -R nobody "$other"
touch begun
unset SYSTEMTAP_DIR XDG_CONFIG_HOME
export USTAP_CACHE_DIR=$PWD/own/cache

# run NAME SCRIPT VARIABLE=VALUE...: print the output, and messages about other users' files
run() {
	name=$1 script=$2
	shift 2
	env "$@" "$ustap" --runtime=user --poison-cache -e "$script" > printed 2> told < /dev/null
	n=$(grep -c 'belongs to user nobody\|is writable by' told)
	echo "$name: $(tr '\n' ' ' < printed)$n"
	grep -q 'of another user' printed told && grep 'of another user' printed told
}
hello='probe begin { println("hello") exit() }'
run home "$hello" HOME="$other" XDG_CONFIG_HOME=
run systemtap_dir "$hello" SYSTEMTAP_DIR="$other/.systemtap"
run config_home "$hello" XDG_CONFIG_HOME="$other/.config"
run path "$hello" PATH="$other/bin:$PATH"
run tmpdir "$hello" TMPDIR="$other/tmp"
run loader "$hello" USTAP_STAPRUN="$other/bin/staprun"
run tapsets 'probe begin { println(mine()) exit() }' SYSTEMTAP_TAPSET="$other/tapsets"
run runtime "$hello" USTAP_RUNTIME="$other"
run compiler "$hello" GCC_EXEC_PREFIX="$other/" C_INCLUDE_PATH="$other" LD_RUN_PATH="$other" \
	MAKEFILES="$other/x"

# the caller's own files count only if no other user can write to them
mkdir mine
echo "-E 'probe begin(-1) { println(\"options that others can write\") }'" > mine/rc
chmod 664 mine/rc
run writable "$hello" SYSTEMTAP_DIR="$PWD/mine"
chmod 644 mine/rc
sed -i 's/that others can write/of root/' mine/rc
run own "$hello" SYSTEMTAP_DIR="$PWD/mine"

# -r, -R, --tmpdir of the command line are root's own choice; a temporary directory must be safe all
# the same
"$ustap" --runtime=user --tmpdir="$other/tmp" -e "$hello" 2>&1 | grep -c 'belongs to user nobody'

# nothing was written there
find "$other" -newer begun -user root | wc -l
