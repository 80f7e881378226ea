#!/bin/sh
# Measures the page's weight and how soon it can be used, in Chromium on a slow line, and writes the
# section of docs/develop/benchmarks.md. Needs what `make build` builds, chromium and chromedriver.
set -eu
cd "$(dirname "$0")/.."
. Benchmarks/server.sh

serve
echo benchmark-password | "$bin/stoa" user add bench --password-stdin --data-dir "$data" >/dev/null
python3 Benchmarks/page.py "$url" bench benchmark-password >"$data/rows"
page=docs/develop/benchmarks.md
{
    sed '/^## /,$d' "$page"
    cat <<TABLE
## The page

\`make bench-page\` measures and writes this section: Chromium without a window and with an empty profile, on an emulated line with 100 ms for each
answer of the server and 5 Mbit/s down; medians of three. Requests include the WebSocket, whose frames the emulation does not
delay. Compressed with gzip: browsers accept brotli over TLS only, where the files are a tenth smaller.

| what | requests | over the network | time |
|---|---:|---:|---:|
$(cat "$data/rows")

TABLE
    # The sections that page_stream.sh and engine.sh write.
    sed '1,/^## The page/d' "$page" | sed -n '/^## /,$p'
} >"$data/page.md"
cp "$data/page.md" "$page"
cat "$data/rows"
