# USTAP: build in a directory with little room
mkdir full
mount -t tmpfs -o size=32k none full && cd full || exit
"$1" --runtime=user -p4 -m here -e 'probe begin { exit() }' 2>&1
echo $?
"$1" bundle --runtime=user -o bundle -e 'probe begin { exit() }' 2>&1 |
	sed "s,bundle[^ ]*:,bundle/FILE:,"
echo ${PIPESTATUS[0]}
echo "$(find . -type f | wc -l) files"
cd ..
umount full
