# STAPRUN KO; all changes keep the length of the file
export LC_ALL=C
sed 's/\x00ustap=[0-9]\([0-9]*\)\x00/\x00other=1\1\x00/' "$2" > foreign.ko
sed 's/\x00ustap=[0-9][0-9]\x00/\x00ustap=0\x00\x00/; s/\x00ustap=[0-9]\x00/\x00ustap=0\x00/' \
	"$2" > version.ko
head -c 20000 "$2" > cut.ko
: > empty.ko
echo text > text.ko
sed 's/\x00vermagic=[0-9]/\x00vermagic=9/' "$2" > kernel.ko
for f in foreign version cut empty text kernel missing; do
	"$1" $f.ko
	echo $f $?
done
