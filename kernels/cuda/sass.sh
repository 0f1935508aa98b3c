#!/usr/bin/env bash
# Assembles every .ptx with NVIDIA's ptxas and prints registers, stack and spills
# of each kernel: the only check of the inline PTX that needs no GPU. Nothing is
# installed: the assembler is taken out of Debian's package into the folder given
# (default: gradcue-ptxas among temporary files), or PTXAS names one.
#
#	sass.sh [folder] [sm_80 sm_90 …]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
into=${1:-${TMPDIR:-/tmp}/gradcue-ptxas}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(sm_80 sm_90)

# found prints the assembler in the unpacked package, if it is there.
found() { find "$into/root" -name ptxas -type f 2>/dev/null | head -n 1; }

PTXAS=${PTXAS:-$(found)}
if [ -z "$PTXAS" ]; then
	mkdir -p "$into/lists/partial"
	echo "deb http://deb.debian.org/debian bookworm contrib non-free" >"$into/sources.list"
	apt=(apt-get -q -o Dir::Etc::sourcelist="$into/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o Dir::State::lists="$into/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=)
	"${apt[@]}" update
	(cd "$into" && "${apt[@]}" download nvidia-cuda-toolkit)
	dpkg -x "$into"/nvidia-cuda-toolkit_*.deb "$into/root"
	PTXAS=$(found)
fi

for ptx in "$here"/*.ptx; do
	for target in "${targets[@]}"; do
		"$PTXAS" -v -arch="$target" -o /dev/null "$ptx" 2>&1 | awk -v t="$target" '
			/Compiling entry function/ { split($0, q, "\047"); name = q[2] }
			/spill stores/ { stack = $1; spill = $5 + $9 }
			/Used [0-9]+ registers/ { for (i = 1; i < NF; i++) if ($i == "Used") r = $(i + 1); printf "%-6s %-28s %3d registers %5d stack %5d spilled\n", t, name, r, stack, spill }
			/error|fatal/ { print; bad = 1 }
			END { exit bad }'
	done
done
