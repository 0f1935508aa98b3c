#!/usr/bin/env bash
# Writes the PTX of every .cu file, here or into the folder given. One compiler
# version, so that the text is the same everywhere. What uses the tensor cores is
# for sm_80, everything else for sm_70 and whatever came later. The last line names
# the sources by their sha256, so that a test knows whether the text is theirs.
set -euo pipefail
export LC_ALL=C # the order of the headers
cd "$(dirname "$0")"
into=${1:-.}
for source in *.cu; do
	arch=sm_70
	if grep -q '#include ".*mma.cuh"' "$source"; then arch=sm_80; fi
	ptx=$into/${source%.cu}.ptx
	"${CLANG:-clang-16}" -x cuda --cuda-device-only -nocudainc -nocudalib -O3 -std=c++17 -ffp-contract=off \
		--cuda-gpu-arch=$arch --cuda-feature=+ptx70 -S -o "$ptx" "$source"
	echo "// sources $(cat "$source" ./*.cuh | sha256sum | cut -d ' ' -f 1)" >>"$ptx"
done
