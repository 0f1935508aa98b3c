#!/usr/bin/env bash
# Assembles every .ptx with NVIDIA's ptxas and looks at what became of it: the only
# check of the inline PTX that needs no GPU. Nothing is installed: the assembler is
# taken out of Debian's package into the folder given (default: gradcue-ptxas among
# temporary files).
#
#	sass.sh [folder]          compare with registers.txt
#	sass.sh --write [folder]  write registers.txt
#
# A line of the table is a target and a kernel, its registers, bytes of stack and
# of spills, the HMMA instructions in its loops, and its loads of 16 bytes. Whatever
# the assembler, it must hold that
#
#	kernels of attention spill at most 64 bytes, all others nothing
#	kernels named mma have HMMA in a loop and copy 16 bytes at a time
#	products and elementwise kernels of f32, and the optimizers, load 16 bytes
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
write=
if [ "${1:-}" = --write ]; then write=1 && shift; fi
into=${1:-${TMPDIR:-/tmp}/gradcue-ptxas}
mkdir -p "$into"

# found prints a program of the unpacked package, if it is there.
found() { find "$into/root" -name "$1" -type f 2>/dev/null | head -n 1; }

if [ -z "$(found ptxas)" ]; then
	mkdir -p "$into/lists/partial"
	echo "deb http://deb.debian.org/debian bookworm contrib non-free non-free-firmware" >"$into/sources.list"
	apt=(apt-get -q -o Dir::Etc::sourcelist="$into/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o Dir::State::lists="$into/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=)
	"${apt[@]}" update
	(cd "$into" && "${apt[@]}" download nvidia-cuda-toolkit)
	dpkg -x "$into"/nvidia-cuda-toolkit_*.deb "$into/root"
fi
PTXAS=$(found ptxas)
NVDISASM=$(found nvdisasm)
export PTXAS NVDISASM
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# look TARGET MODULE prints the lines of one module for one target.
look() {
	local target=$1 ptx=$2 at
	at=$work/$1.$(basename "$2" .ptx)
	"$PTXAS" -v -arch="$target" -o "$at.cubin" "$ptx" >"$at.log" 2>&1 || { cat "$at.log" >&2 && return 1; }
	"$NVDISASM" -c "$at.cubin" >"$at.sass"
	awk -v target="$target" '
		FNR == NR {
			if (/Compiling entry function/) { split($0, q, "\047"); name = q[2] }
			if (/spill stores/) { stack[name] = $1; spill[name] = $5 + $9 }
			if (/Used [0-9]+ registers/) { for (i = 1; i < NF; i++) if ($i == "Used") registers[name] = $(i + 1) }
			next
		}
		# Code of a function: a loop goes from a label back to it.
		/^\.text\./ { f = substr($1, 7); sub(/:$/, "", f); n = 0; delete label; looped[f] += 0; wide[f] += 0; next }
		/^\.L_x_[0-9]+:/ { l = $1; sub(/:$/, "", l); label[l] = n; next }
		/HMMA/ { n++; hmma[f, n] = 0 }
		/LDG\.E\.128|LDGSTS\.E\.BYPASS\.(LTC[0-9]+B\.)?128/ { wide[f]++ }
		/ BRA / && match($0, /\.L_x_[0-9]+/) {
			l = substr($0, RSTART, RLENGTH)
			if (l in label) for (i = label[l] + 1; i <= n; i++) if (!hmma[f, i]) { hmma[f, i] = 1; looped[f]++ }
		}
		END { for (k in registers) printf "%-5s  %-28s %4d %6d %6d %5d %5d\n", target, k, registers[k], stack[k], spill[k], looped[k], wide[k] }
	' "$at.log" "$at.sass" | sort
}
export -f look
export work

{
	printf '# %s, by sass.sh\n' "$("$PTXAS" --version | tail -n 1)"
	printf '%-5s  %-28s %4s %6s %6s %5s %5s\n' target kernel regs stack spill hmma wide
	for ptx in "$here"/*.ptx; do
		for target in sm_70 sm_80 sm_86 sm_89 sm_90; do
			if [ $target = sm_70 ] && grep -q '^\.target sm_80' "$ptx"; then continue; fi
			echo $target "$ptx"
		done
	done | xargs -P "$(nproc)" -L 1 bash -c 'set -euo pipefail; look "$0" "$1" >"$work/$0.$(basename "$1").lines"'
	cat "$work"/*.lines | sort
} >"$work/table"

awk '
	FNR > 2 && $5 > ($2 ~ /^attention/ ? 64 : 0) { print "spills " $5 " bytes: " $1, $2; bad = 1 }
	FNR > 2 && $2 ~ /_mma_/ && !($6 && $7) { print "no HMMA in a loop, or no copies of 16 bytes: " $1, $2; bad = 1 }
	FNR > 2 && $2 ~ /^(linear(_gelu|_add|_dx|_dw)?_[0-9]+|head_(logits|dx|dw)|attention.*|add|gelu|gelu_grad|swiglu|swiglu_grad|dropout|embed|(layernorm|rmsnorm)(_apply|_grad)?)_f32$|^adamw$|^sgd$/ && !$7 {
		print "no loads of 16 bytes: " $1, $2; bad = 1
	}
	END { exit bad }' "$work/table"

if [ -n "$write" ]; then
	cp "$work/table" "$here/registers.txt"
elif [ "$(head -n 1 "$work/table")" = "$(head -n 1 "$here/registers.txt")" ]; then
	diff "$here/registers.txt" "$work/table" || { echo "sass.sh --write takes the new table" >&2 && exit 1; }
else
	echo "registers.txt is of another assembler: $(head -n 1 "$here/registers.txt")" >&2
fi
echo "$(($(wc -l <"$work/table") - 2)) kernels and targets: registers, spills, HMMA and wide loads are as they should be"
