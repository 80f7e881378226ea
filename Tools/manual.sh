#!/bin/sh
# Writes the man pages and the completions for shells, which come from the program's own definitions of its
# commands: FOLDER/man/*.1, and FOLDER/completions/ with stoa (bash), _stoa (zsh) and stoa.fish.
#   Tools/manual.sh PROGRAM FOLDER
# SOURCE_DATE_EPOCH dates the pages; without it they have the date of the last commit.
set -eu
program=$(realpath "$1")
mkdir -p "$2/man" "$2/completions"
folder=$(realpath "$2")
cd "$(dirname "$0")/.."
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}" +%F)

# The generator belongs to the library that parses the commands. Its warnings are not about Stoa.
generator=.build/manual
swift build -q -c release --package-path .build/checkouts/swift-argument-parser --scratch-path "$generator" \
    --product generate-manual >"$folder/build.log" 2>&1 || { cat "$folder/build.log" >&2; exit 1; }
rm -f "$folder/build.log" "$folder"/man/*
"$generator/release/generate-manual" "$program" --multi-page --output-directory "$folder/man" --date "$date"

# What help does not show has no page, nor a line in stoa(1).
for hidden in names version; do
    rm "$folder/man/stoa.$hidden.1"
    sed -i "/^\.Xr stoa\.$hidden 1/d" "$folder/man/stoa.1"
done

# All commands have the same exit codes.
codes=$(mktemp)
trap 'rm -f "$codes"' EXIT
{
    echo .Bl -tag -width Ds -compact
    awk -F ' *[|] *' '/^## Exit codes/ { isThere = 1 } isThere && $2 ~ /^[0-9]+$/ { print ".It " $2; print $3 }' \
        docs/reference/errors.md
    echo .El
} >"$codes"

# `man stoa export` looks for stoa-export(1). Empty lines are for paragraphs, not for mdoc(7).
for page in "$folder"/man/stoa.*.*; do
    name=$(basename "$page" .1 | tr . -)
    mv "$page" "$folder/man/$name.1"
done
for page in "$folder"/man/*.1; do
    name=$(basename "$page" .1)
    command=$(sed -n 's/^\.Nm //p' "$page" | head -n 1)
    sed -i -e "1,/^\.Nm /s/^\.Nm .*/.Nm $name/" -e "s/^\.Nm\$/.Nm $command/" -e 's/^$/.Pp/' \
        -e 's/^\.Os$/.Os Stoa/' -e "/^\.Ex -std/{r $codes" -e 'd}' \
        -e '/^\.Xr stoa/{:dots' -e 's/\(stoa[^ ]*\)\./\1-/;t dots' -e '}' \
        -e '/^\.Dt STOA/{:names' -e 's/\(STOA[^ ]*\)\./\1-/;t names' -e '}' "$page"
done
# Shells source the completions.
"$program" --generate-completion-script bash | sed '1{/^#!/d;}' >"$folder/completions/stoa"
"$program" --generate-completion-script zsh >"$folder/completions/_stoa"
"$program" --generate-completion-script fish >"$folder/completions/stoa.fish"
