# STAPRUN BLOB: attaches to a process whose status names a shadow stack; in a mount namespace
sleep 1000 & target=$!
until grep -q sleep /proc/$target/comm; do sleep 0.02; done
grep -v '^x86_Thread_features' /proc/$target/status > status
printf 'x86_Thread_features:\tshstk \n' >> status
mount --bind status /proc/$target/status
"$1" -x $target "$2"
echo "status $?"
kill $target
