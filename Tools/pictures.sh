#!/bin/sh
# Takes the pictures of the documentation (docs/pictures), and the ones that the tests compare the page with
# (Tests/Pictures/references), from the real page. Needs the requirements of `make test`, and a build of the
# tests.
set -e
cd "$(dirname "$0")/.."
mkdir -p docs/pictures Tests/Pictures/references
STOA_WRITE_PICTURES=1 swift test -c release --skip-build --filter 'EndToEnd.*ThePagesLooks'
for picture in docs/pictures/*.png; do
    size=$(wc -c <"$picture")
    [ "$size" -le 150000 ] || { echo "$picture: $size bytes; 150000 is the most" >&2; exit 1; }
done
