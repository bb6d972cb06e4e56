# BUILD SOURCE: the functions that ustap has are those that the manual describes.
mkdir pages
awk -v out=pages -f "$2/scripts/function-pages" "$2/doc/built_in.txt" "$2"/tapsets/*.stp \
	"$2"/tapsets/linux/*.stp
"$1/ustap" --dump-functions | grep -v -e '^@' -e '^__' | sed 's/[:(].*//' | sort -u > have
(cd pages && ls -- *.3ustap) | sed 's/\.3ustap$//' | sort > described
diff have described && echo "the same functions"
if ! command -v man > /dev/null; then
	echo "pages without warnings"
	exit
fi
for page in pages/ustap-functions.7 pages/tokenize.3ustap pages/ansi_set_color.3ustap \
	"$2/doc/ustap-errors.7"; do
	man -l --warnings "$page" 2>&1 > /dev/null
done > warnings
cat warnings
[ -s warnings ] || echo "pages without warnings"
