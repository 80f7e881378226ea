#!/bin/sh
# Tries the library from a package of its own, outside of this repository, as its users have it: what is fetched,
# what is compiled, and whether the demo model answers. FOLDER keeps the package and its build for the next time.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
folder=${FOLDER:-$(mktemp -d)}
[ -n "${FOLDER:-}" ] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/Sources/question"
name=$(basename "$root")
cat >"$folder/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "question",
    dependencies: [.package(path: "$root", traits: [])],
    targets: [
        .executableTarget(
            name: "question",
            dependencies: [
                .product(name: "PhiEngine", package: "$name"),
                .product(name: "MLXCompatibility", package: "$name"),
            ]
        )
    ]
)
EOF
cat >"$folder/Sources/question/main.swift" <<'EOF'
import Foundation
import MLXHuggingFace
import MLXLLM
import MLXLMCommon

let folder = URL(filePath: CommandLine.arguments[1])
let model = try await LLMModelFactory.shared.loadContainer(
    from: folder,
    using: #huggingFaceTokenizerLoader()
)
let session = ChatSession(model, generateParameters: GenerateParameters(maxTokens: 60, temperature: 0))
for try await text in session.streamResponse(to: "What is the capital of Finland?") {
    print(text, terminator: "")
}
print()
EOF
failed() { echo "check-library: $1" >&2; exit 1; }

cd "$folder"
swift build --product question
# Only this repository, nothing that the server depends on.
fetched=$(ls .build/checkouts 2>/dev/null | tr '\n' ' ')
[ -z "$fetched" ] || failed "the package fetched $fetched"
for module in ChatServer ChatStore ChatCore Postgres Gateway stoa Logging; do
    [ ! -e ".build/debug/Modules/$module.swiftmodule" ] || failed "$module was compiled"
done
answer=$(.build/debug/question "$root/Sources/BundledFiles/demo-model")
case $answer in
*Helsinki*) ;;
*) failed "the demo model answered: $answer" ;;
esac
echo "check-library: nothing was fetched, $(ls .build/debug/Modules/*.swiftmodule | wc -l) modules were compiled, and the demo model answers: $answer"
