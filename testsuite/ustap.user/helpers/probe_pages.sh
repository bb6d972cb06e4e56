# BUILD: ustap-probes(7) describes every probe type of ustap, and the page is well-formed.
page=$1/doc/ustap-probes.7
# a point as the page shows it: without fonts, capitals in quotation marks a string, other capitals
# a number
sed -e 's/\\(dq/"/g' -e 's/\\f[BIRP]//g' -e 's/\\-/-/g' -e 's/"\([A-Z][-A-Z@:]*\)"/string/g' \
	"$page" |
	sed -e 's/ *" *//g' -e 's/( *[A-Z][A-Z]* *)/(number)/g' > shown
# process(...) and .library(...) may stand before all of them
"$1/ustap" --dump-probe-types | sed -e 's/^process([a-z]*)/process/' -e 's/\.library([a-z]*)//' \
	-e 's/^process\.\(function\|statement\|plt\|mark\|provider\)/.\1/' |
	sort -u > points
while read -r point; do
	grep -qF -- "$point" shown || echo "not described: $point"
done < points
[ "$(wc -l < points)" -gt 40 ] && echo "all points"
! command -v man > /dev/null || man -l --warnings "$page" 2>&1 > /dev/null
