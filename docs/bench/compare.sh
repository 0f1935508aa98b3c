#!/usr/bin/env bash
# Measures gradcue and PyTorch in turn, round by round, so that both meet the same state of the machine: frequency,
# neighbours, temperature. One process measures one shape. Results are appended as lines of JSON; the medians over rounds
# are printed at the end.
#
#   docs/bench/compare.sh [SHAPE…]
#
#   PYTHON   interpreter that has torch    (python3)
#   ROUNDS   rounds                        (5)
#   UPDATES  timed updates a round         (10)
#   WARMUP   updates before                (3)
#   THREADS  threads of both               (2)
#   OUT      file for the lines            (compare.jsonl)
#   GRADCUE_BIN  the program               (built from this tree)
#   TORCH_ARGS   more for torch_bench.py, such as --compile
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3} rounds=${ROUNDS:-5} updates=${UPDATES:-10} warmup=${WARMUP:-3} threads=${THREADS:-2} out=${OUT:-compare.jsonl}
shapes=("$@")
if [ ${#shapes[@]} -eq 0 ]; then
  shapes=(gpt2-b4-t64 gpt2-b4-t256 gpt2-b1-t1024 small-b4-t64 llama-b4-t64)
fi
gradcue=${GRADCUE_BIN:-}
if [ -z "$gradcue" ]; then
  gradcue=$(mktemp -d)/gradcue
  (cd "$here/../.." && go build -o "$gradcue" ./cmd/gradcue)
  trap 'rm -rf "$(dirname "$gradcue")"' EXIT
fi

line() { "$python" -c 'import json,sys; d=json.load(sys.stdin); d["round"]=int(sys.argv[1]); d.pop("ops",None); print(json.dumps(d))' "$1"; }

for round in $(seq "$rounds"); do
  for shape in "${shapes[@]}"; do
    echo "round $round of $rounds: $shape" >&2
    "$gradcue" bench "$here/specs#$shape" --updates "$updates" --warmup "$warmup" -j "$threads" --json | line "$round" >>"$out"
    # shellcheck disable=SC2086 # several words
    OMP_NUM_THREADS=$threads "$python" "$here/torch_bench.py" "$shape" --updates "$updates" --warmup "$warmup" --threads "$threads" ${TORCH_ARGS:-} | line "$round" >>"$out"
  done
done

"$python" "$here/compare.py" "$out"
