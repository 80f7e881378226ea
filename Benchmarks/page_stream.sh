#!/bin/sh
# Measures the page while an answer grows by 50 deltas a second in a conversation of 5,000 messages, with two
# windows open, and writes the section of docs/develop/benchmarks.md: STREAM=300 for another number of seconds.
# Needs what `make build` builds, chromium and chromedriver.
set -eu
cd "$(dirname "$0")/.."
. Benchmarks/server.sh

# A model that never loads: the answer waits in the queue, and page_stream.py sends its text.
cp -r Sources/BundledFiles/demo-model "$data/waiting"
rm "$data/waiting/tokenizer.json"
mkfifo "$data/waiting/tokenizer.json"
serve --model "$data/waiting"
echo benchmark-password | "$bin/stoa" user add bench --password-stdin --data-dir "$data" >/dev/null
sql -v name=bench -f Benchmarks/page_stream.sql >"$data/conversations"
python3 Benchmarks/page_stream.py "$url" bench benchmark-password "${STREAM:-300}" $(cat "$data/conversations") >"$data/rows"
# Lets the server end: it waits for the model's file.
: <>"$data/waiting/tokenizer.json"
page=docs/develop/benchmarks.md
{
    sed '/^## A growing answer/,$d; /^## The engine/,$d' "$page"
    cat <<TABLE
## A growing answer in the page

\`make bench-page\` measures and writes this section: ${STREAM:-300} seconds of an answer that grows by 50 deltas a second, as the last of 5,000
messages, in two windows of Chromium without a window system. The server is a real one; a proxy before it sends the deltas,
since no model is that even. The heap is that of the page's scripts after a collection, before the first and after the last
delta: the text and its nodes are in it. The aim: less than 1% of frames over 50 ms, no task over 200 ms.

| answer | window | frames | over 50 ms | longest task | heap |
|---|---|---:|---:|---:|---:|
$(cat "$data/rows")

TABLE
    sed -n '/^## The engine/,$p' "$page"
} >"$data/page.md"
cp "$data/page.md" "$page"
sed -n '/^## A growing answer/,/^## The engine/p' "$page"
