# STAPRUN: attacks on signed bundles, each on a copy; `run' of another, trusted bundle checks them.
ustap=${1%/*}/ustap
umask 022
rm -rf work && mkdir work && cd work || exit 1
top=$(mktemp -d /root/ustap-signed.XXXXXX) # no other user can write above it
trap 'rm -rf "$top"' EXIT
for name in key other; do ssh-keygen -q -t ed25519 -N '' -f $name; done
echo "fleet namespaces=\"ustap-bundle\" $(cat key.pub)" > key.signers
make() { # NAME TEXT OPTIONS
	"$ustap" bundle --runtime=user "${@:3}" -o "$top/$1" \
		-e "probe begin { println(\"$2\") exit() }" > "$1.sum" || exit
}
make good ran --sign=key
make plain ran
make second second --sign=key
trusted=$PWD/trusted
cp "$top/plain/run" "$trusted"

check() { # [ARGS]: the checked bundle is $top/b
	"$trusted" --key=key.signers "$@" --bundle="$top/b" 2> said
	local status=$? text
	text=$(sed -E "s|$top/||g; s|^[^ ]*trusted: ||; s|[0-9a-f]{64} ||; s|(users: ).*|\1X|
		s|made at [0-9]*, not after [0-9]*|old|" said | tail -n 1)
	echo "$status${text:+ $text}"
}
# attack WHAT COMMAND: in the directory of a copy
attack() {
	rm -rf "$top/b"
	cp -a "$top/good" "$top/b"
	(cd "$top/b" && eval "$2")
	echo "$1: $(check)"
}
resign() { sha256sum $(ls | grep -v SHA256) > SHA256SUMS; }

attack nothing :
attack 'changed file' 'echo >> *.ust'
attack 'changed staprun' 'echo >> staprun'
attack 'changed run' 'echo >> run'
attack 'changed list' 'sed -i "s/^./0/" SHA256SUMS'
attack 'changed file and list' 'echo >> staprun; resign'
attack 'missing signature' 'rm SHA256SUMS.sig'
attack 'empty signature' ': > SHA256SUMS.sig'
attack 'signature of another list' "cp '$top/second/SHA256SUMS.sig' ."
attack 'wrong key' "echo >> staprun; resign; rm SHA256SUMS.sig
	ssh-keygen -q -Y sign -f '$PWD/other' -n ustap-bundle SHA256SUMS"
attack 'other namespace' "rm SHA256SUMS.sig
	ssh-keygen -q -Y sign -f '$PWD/key' -n file SHA256SUMS"
attack 'missing file' 'rm *.ust'
attack 'added library' 'cp libc.so.6 libnss_files.so.2'
attack 'added hidden file' ': > .x'
attack 'link' "mv staprun '$top/real'; ln -s ../real staprun"
attack 'writable file' 'chmod 666 run'
attack 'writable directory' 'chmod 777 .'
attack 'file of another user' 'chown 1234 staprun'
for path in ../plain/run /bin/sh -n .x 'a b'; do
	rm -rf "$top/b"
	cp -a "$top/good" "$top/b"
	(cd "$top/b" && echo "$(sha256sum < /bin/sh | cut -c 1-64)  $path" >> SHA256SUMS &&
		rm SHA256SUMS.sig)
	ssh-keygen -q -Y sign -f key -n ustap-bundle "$top/b/SHA256SUMS"
	echo "signed path $path: $(check)"
done

# in a directory of others, and an older bundle
attack nothing :
echo "older: $(check --made-after="$(cat "$top/b/MADE")")"
echo "newer: $(check --made-after=$(($(cat "$top/b/MADE") - 1)))"
echo "no number: $(check --made-after=x)"
chmod 777 "$top"
echo "open directory above: $(check)"
chmod 700 "$top"

# The list is replaced after it was read, by one that has the hash of a changed staprun.
mkdir bin
cat > bin/ssh-keygen <<END
#!/bin/sh
case "\$*" in
*verify*) (cd '$top/b' && echo >> staprun && sha256sum \$(ls | grep -v SHA256) > SHA256SUMS) ;;
esac
exec $(command -v ssh-keygen) "\$@"
END
chmod 755 bin/ssh-keygen
PATH=$PWD/bin:$PATH attack 'list replaced meanwhile' :
