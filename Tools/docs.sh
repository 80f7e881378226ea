#!/bin/sh
# Writes the library's documentation into .build/docs, one folder for each module, from the symbol graphs of a build:
#     Tools/docs.sh [MODULES]      MODULES: the folder with *.swiftmodule; .build/debug/Modules
# The toolchain's compiler and docc are used, and no package: those who depend on the library would fetch it, too. A
# warning is an error.
set -eu
cd "$(dirname "$0")/.."
modules=${1:-.build/debug/Modules}
out=.build/docs
[ -e "$modules/PhiEngine.swiftmodule" ] || { echo "no build in $modules: swift build first" >&2; exit 1; }
docc=$(command -v docc || echo "$(dirname "$(command -v swift)")/docc")
maps=
for map in Sources/*/module.modulemap "$(dirname "$modules")"/*.build/module.modulemap; do
    maps="$maps -Xcc -fmodule-map-file=$map"
done
rm -rf "$out"
for folder in Sources/*/*.docc; do
    module=$(basename "$folder" .docc)
    mkdir -p "$out/symbols/$module"
    # shellcheck disable=SC2086
    swift symbolgraph-extract -module-name "$module" -I "$modules" -target "$(uname -m)-unknown-linux-gnu" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$out/symbols/$module" $maps
    "$docc" convert "$folder" --additional-symbol-graph-dir "$out/symbols/$module" --warnings-as-errors \
        --fallback-display-name "$module" --fallback-bundle-identifier "stoa.$module" \
        --output-path "$out/$module.doccarchive"
done
"$docc" merge "$out"/*.doccarchive --output-path "$out/library" --synthesized-landing-page-name "Stoa's library"
echo "the documentation is in $out/library: docc preview, or any server of files"
