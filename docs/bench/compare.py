"""Prints the table of a comparison from the lines that compare.sh wrote.

Cells are the median over the rounds of the rounds' medians, with the lowest and the highest round in brackets; the ratio is the
median of the ratios within one round. A round in which either side had fewer than three undisturbed updates is left out
as long as another one remains, and counted in the last column.
"""

import json
import sys
from statistics import median_low as median


def undisturbed(d):
    return d["clean"] >= 3


def main():
    rounds = {}
    with open(sys.argv[1]) as f:
        for text in f:
            d = json.loads(text)
            side = "torch" if d["tool"].startswith("torch") else "gradcue"
            rounds.setdefault(d["name"], {}).setdefault(d["round"], {})[side] = d
    print("| shape | gradcue ms | of peak | PyTorch ms | PyTorch / gradcue | tokens/s | peak MiB gradcue | peak MiB PyTorch | rounds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, by in rounds.items():
        pairs = [r for r in by.values() if len(r) == 2]
        good = [r for r in pairs if undisturbed(r["gradcue"]) and undisturbed(r["torch"])] or pairs
        if not good:
            continue

        def cell(side, key, unit):
            x = [r[side][key] / unit for r in good]
            return f"{median(x):.0f} ({min(x):.0f}-{max(x):.0f})"

        ratio = [r["torch"]["nanos"] / r["gradcue"]["nanos"] for r in good]
        print("|", " | ".join([
            name, cell("gradcue", "nanos", 1e6), f"{100 * median([r['gradcue']['fraction'] for r in good]):.0f} %", cell("torch", "nanos", 1e6),
            f"{median(ratio):.2f} ({min(ratio):.2f}-{max(ratio):.2f})", f"{median([r['gradcue']['rate'] for r in good]):.0f}",
            cell("gradcue", "peakRSS", 2**20), cell("torch", "peakRSS", 2**20), f"{len(good)} of {len(pairs)}"]), "|")


if __name__ == "__main__":
    main()
