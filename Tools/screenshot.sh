#!/bin/sh
# Takes the README's picture, docs/screenshot.png, from the real page. Needs the requirements of `make
# test`, and a build of the tests.
set -e
cd "$(dirname "$0")/.."
STOA_SCREENSHOT="$PWD/docs/screenshot.png" \
    swift test -c release --skip-build --filter 'EndToEnd.*ThePicture'
