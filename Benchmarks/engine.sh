#!/bin/sh
# Measures the engine on random weights of a real model's shape, RUNS times, and writes medians to
# Benchmarks/engine.json and to their section of docs/develop/benchmarks.md. With --against, measures
# llama.cpp and MLX on weights of the same shape, too, alternating with Stoa; Benchmarks/Against/setup.sh
# FOLDER installs them. Takes twenty minutes on two cores, thirty-five with --against; RUNS=1 a third of
# that.
#
#   Benchmarks/engine.sh [--against] FOLDER
#
# FOLDER keeps the weights between runs (2.2 GB, and as much with --against). SHAPE names the model,
# TOKENIZER a folder with a real tokenizer, THREADS the number of threads; PARTS selects of "prompts
# decode turns conversations long-prompt restart drafts network", and then page and JSON file are
# FOLDER/engine.md and FOLDER/engine.json.
set -eu
against=''
if [ "${1:-}" = --against ]; then
    against=yes
    shift
fi
[ $# = 1 ] || { sed -n 's/^#   /usage: /p' "$0" >&2; exit 64; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
. Benchmarks/server.sh
shape=${SHAPE:-phi-3.5-mini} threads=${THREADS:-$(nproc)} runs=${RUNS:-3}
parts=${PARTS:-prompts decode turns conversations long-prompt restart drafts network}
model=$folder/$shape
gguf=$folder/$shape-q4_0.gguf
python=$folder/venv/bin/python
page=docs/develop/benchmarks.md result=Benchmarks/engine.json
if [ -n "${PARTS:-}" ]; then page=$folder/engine.md result=$folder/engine.json; fi
touch "$page"
say() { echo "$*" >&2; }

# Weights are complete once they have their final name.
if [ ! -d "$model" ]; then
    say "writing weights of the shape of $shape"
    rm -rf "$model.part"
    python3 Tools/real-shapes/write_checkpoint.py "$shape" --out "$model.part" \
        ${TOKENIZER:+--tokenizer "$TOKENIZER"} >&2
    mv "$model.part" "$model"
fi
llama='' mlx=''
if [ -n "$against" ]; then
    if [ -x "$folder/build/bin/llama-bench" ]; then
        llama=yes
        echo "llama_version $(cat "$folder/llama-version")" >>"$data/figures"
        if [ ! -f "$gguf" ]; then
            say "writing the same shape for llama.cpp"
            "$python" Benchmarks/Against/write_gguf.py --config "$model/config.json" --out "$gguf.part"
            mv "$gguf.part" "$gguf"
        fi
    else
        say "llama.cpp is not measured: it is not in $folder (Benchmarks/Against/setup.sh $folder)"
    fi
    if "$python" -c 'import mlx.core, mlx_lm' 2>/dev/null; then
        mlx=yes
    else
        say "MLX is not measured: it is not in $folder (Benchmarks/Against/setup.sh $folder)"
    fi
fi

own() { # PART
    "$bin/stoa-bench" engine --model "$model" --threads "$threads" --part "$1" >>"$data/figures"
}
theirs() { # PART ARGUMENTS...
    [ -n "$llama" ] || return 0
    "$python" Benchmarks/Against/llama_speed.py --tools "$folder/build/bin" --model "$gguf" \
        --threads "$threads" "$@" >>"$data/figures"
}

# The whole server, with open sign-ins, which avoids the cost of password hashing.
network() {
    rm -f "$data/out"
    serve --model "$model" --threads "$threads" --slots 8 --questions-per-minute 0
    sql -c "WITH added AS (
            INSERT INTO users (id, name, password_hash)
            SELECT gen_random_uuid(), 'bench ' || n, 'nobody' FROM generate_series(0, 7) n
            WHERE NOT EXISTS (SELECT FROM users WHERE name = 'bench 0')
            RETURNING id, name)
        INSERT INTO sessions (id, user_id, token_hash, expires_at)
        SELECT gen_random_uuid(), id,
            sha256(convert_to(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 'UTF8')),
            now() + interval '1 day' FROM added"
    "$bin/stoa-bench" answers --server "$url" --model "$model" --clients 8 --prompt 32 --answer 48 \
        >>"$data/figures"
    kill "$server" && wait "$server"
    server=''
}

run=0
while [ "$run" -lt "$runs" ]; do
    run=$((run + 1))
    for part in $parts; do
        say "run $run of $runs: $part"
        case $part in
        prompts)
            own prompts
            # The longest prompt takes llama.cpp minutes: measured once.
            if [ "$run" = 1 ]; then counts=128,512,2048; else counts=128,512; fi
            theirs prompts --counts "$counts"
            ;;
        decode)
            own decode
            theirs decode
            ;;
        network)
            network
            theirs network --clients 8 --prompt 32 --answer 48
            ;;
        *) own "$part" ;;
        esac
    done
    # Takes seconds per token: one measurement is enough to show the distance to the others.
    if [ -n "$mlx" ] && [ "$run" = 1 ]; then
        say "run $run of $runs: MLX"
        "$python" Benchmarks/Against/mlx_speed.py --config "$model/config.json" >>"$data/figures"
    fi
done

cpu=$(awk -F': ' '/^model name/ {print $2; exit}' /proc/cpuinfo)
python3 Benchmarks/engine_table.py "$data/figures" "$result" "$page" \
    "$cpu, $(nproc) cores; shape of $shape, 4 bits in groups of 64; $("$bin/stoa" version); $(date -u +%F)"
