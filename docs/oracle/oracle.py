"""Reference numbers from PyTorch for tiny language models.

Each case is one window of K micro-batches of B sequences of T positions, with a model small enough that every number fits
in a JSON file: initial parameters, token losses, window loss, window gradients, their global norm, and the parameters
after one and after three updates on the same window. README.md describes the files; `python oracle.py --help` the options.

The model is written with plain torch operations and the names and layouts of this project, so that the numbers compare
one to one. Autograd makes the gradients, torch.optim makes the updates.
"""

import argparse
import json
import math
import os
import platform

import torch
import torch.nn.functional as F

IGNORE = -100  # the target of a position without loss


# --- model -----------------------------------------------------------------------------------------------------------


def param_shapes(c):
    """Canonical names and shapes, in canonical order. Weights are [out, in]."""
    C, D, H, G, FF = c["dModel"], c["headDim"], c["heads"], c["kvHeads"], c["ffn"]
    llama = c["family"] == "llama"
    out = []

    def linear(name, rows, cols):
        out.append((name + ".weight", [rows, cols]))
        if c["bias"]:
            out.append((name + ".bias", [rows]))

    def norm(name):
        out.append((name + ".weight", [C]))
        if not llama:
            out.append((name + ".bias", [C]))

    out.append(("embed.weight", [c["vocab"], C]))
    if not llama:
        out.append(("pos.weight", [c["context"], C]))
    for i in range(c["layers"]):
        b = f"blocks.{i}."
        norm(b + "ln1")
        linear(b + "attn.qkv", (H + 2 * G) * D, C)
        linear(b + "attn.out", C, H * D)
        norm(b + "ln2")
        if llama:
            linear(b + "mlp.gateup", 2 * FF, C)
            linear(b + "mlp.down", C, FF)
        else:
            linear(b + "mlp.fc", FF, C)
            linear(b + "mlp.proj", C, FF)
    norm("lnf")
    if not c["tied"]:
        out.append(("head.weight", [c["vocab"], C]))
    return out


def init(c, seed):
    """Initial parameters: matrices 0.2 randn, norm weights 1 + 0.1 randn, biases 0.1 randn.

    They are drawn in float32 and widened, so that the float32 and the float64 run start from equal numbers. The spread is
    chosen for conditioning of the gradients, not for training.
    """
    g = torch.Generator().manual_seed(seed)
    params = {}
    for name, shape in param_shapes(c):
        r = torch.randn(shape, generator=g, dtype=torch.float32)
        if len(shape) == 2:
            r = 0.2 * r
        elif name.endswith(".weight"):
            r = 1 + 0.1 * r
        else:
            r = 0.1 * r
        params[name] = r.double()
    return params


def norm(c, p, name, x):
    if c["family"] == "llama":
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + c["normEps"]) * p[name + ".weight"]
    return F.layer_norm(x, (c["dModel"],), p[name + ".weight"], p[name + ".bias"], c["normEps"])


def linear(p, name, x):
    return F.linear(x, p[name + ".weight"], p.get(name + ".bias"))


def rope(c, x, positions):
    """Rotates pairs (i, i + D/2) of every head by position * base^(-2i/D). x is [B, heads, T, D], positions [B, T]."""
    D = c["headDim"]
    freq = c["ropeBase"] ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    angle = positions.double()[:, None, :, None] * freq
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., : D // 2], x[..., D // 2 :]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def attention(c, qkv, positions, lo):
    """Query i sees the keys lo_i..i of its sequence; a query with lo_i > i sees none and gives 0."""
    B, T, _ = qkv.shape
    H, G, D = c["heads"], c["kvHeads"], c["headDim"]
    q, k, v = qkv.split([H * D, G * D, G * D], -1)
    q = q.view(B, T, H, D).transpose(1, 2)
    k = k.view(B, T, G, D).transpose(1, 2)
    v = v.view(B, T, G, D).transpose(1, 2)
    if c["family"] == "llama":
        q, k = rope(c, q, positions), rope(c, k, positions)
    k, v = k.repeat_interleave(H // G, 1), v.repeat_interleave(H // G, 1)
    key = torch.arange(T)
    visible = (key[None, None, :] <= key[None, :, None]) & (key[None, None, :] >= lo[:, :, None])  # [B, query, key]
    visible = visible[:, None]
    empty = ~visible.any(-1, keepdim=True)
    s = q @ k.transpose(-1, -2) / math.sqrt(D)
    s = s.masked_fill(~visible, -math.inf).masked_fill(empty, 0)  # an empty row gets any finite numbers,
    prob = torch.softmax(s, -1) * visible  # and is cleared here: no NaN forward or backward
    return (prob @ v).transpose(1, 2).reshape(B, T, H * D)


def mlp(c, p, b, x):
    if c["family"] == "llama":
        gate, up = linear(p, b + "mlp.gateup", x).split(c["ffn"], -1)
        return linear(p, b + "mlp.down", F.silu(gate) * up)
    approximate = "tanh" if c["activation"] == "gelu_tanh" else "none"
    return linear(p, b + "mlp.proj", F.gelu(linear(p, b + "mlp.fc", x), approximate=approximate))


def logits(c, p, ids, positions, lo):
    x = p["embed.weight"][ids]
    if c["family"] != "llama":
        x = x + p["pos.weight"][positions]
    for i in range(c["layers"]):
        b = f"blocks.{i}."
        x = x + linear(p, b + "attn.out", attention(c, linear(p, b + "attn.qkv", norm(c, p, b + "ln1", x)), positions, lo))
        x = x + mlp(c, p, b, norm(c, p, b + "ln2", x))
    head = p["embed.weight"] if c["tied"] else p["head.weight"]
    return norm(c, p, "lnf", x) @ head.T


def token_losses(c, p, w, k):
    """m * loss of micro-batch k, [B, T]: 0 where the position is not trained."""
    z = logits(c, p, w["ids"][k], w["positions"][k], w["lo"][k])
    target = w["targets"][k]
    l = -F.log_softmax(z, -1).gather(-1, target.clamp(min=0)[..., None])[..., 0]
    return torch.where(target == IGNORE, torch.zeros_like(l), l)


# --- window ----------------------------------------------------------------------------------------------------------


def backward(c, p, w):
    """Token losses and gradients of L = (1/N) sum m l, accumulated micro-batch by micro-batch with the one N."""
    for t in p.values():
        t.grad = torch.zeros_like(t)
    losses = []
    for k in range(w["K"]):
        l = token_losses(c, p, w, k)
        if (w["targets"][k] != IGNORE).any():
            (l.sum() / w["N"]).backward()
        losses.append(l.detach())
    return torch.stack(losses)


def global_norm(p):
    return math.sqrt(sum(float((t.grad.double() ** 2).sum()) for t in p.values()))


def leaves(params, dtype):
    return {n: t.to(dtype).clone().requires_grad_() for n, t in params.items()}


def flat(tensors):
    return {n: t.detach().double().reshape(-1).tolist() for n, t in tensors.items()}


def once(c, params, w, dtype):
    """The block of one dtype: losses, gradients and norm at the initial parameters."""
    p = leaves(params, dtype)
    losses = backward(c, p, w)
    return {
        "tokenLosses": losses.double().tolist(),
        "loss": float(losses.double().sum()) / w["N"],
        "norm": global_norm(p),
        "grads": flat({n: t.grad for n, t in p.items()}),
    }


def make_optimizer(o, p):
    decay = [t for t in p.values() if t.dim() >= 2]
    rest = [t for t in p.values() if t.dim() < 2]
    groups = [{"params": decay, "weight_decay": o["weightDecay"]}, {"params": rest, "weight_decay": 0.0}]
    if o["kind"] == "sgd":
        return torch.optim.SGD(groups, lr=o["lr"], momentum=o["momentum"])
    return torch.optim.AdamW(groups, lr=o["lr"], betas=(o["beta1"], o["beta2"]), eps=o["eps"])


def updates(c, params, w, o, count=3):
    """Updates on the same window in float64; gradients are multiplied by min(1, clip/norm) first."""
    p = leaves(params, torch.float64)
    opt = make_optimizer(o, p)
    out = {"losses": [], "norms": [], "factors": []}
    for u in range(1, count + 1):
        losses = backward(c, p, w)
        n = global_norm(p)
        factor = min(1.0, o["clip"] / n)
        for t in p.values():
            t.grad.mul_(factor)
        opt.step()
        out["losses"].append(float(losses.sum()) / w["N"])
        out["norms"].append(n)
        out["factors"].append(factor)
        if u in (1, count):
            out[f"params{u}"] = flat(p)
    return out


# --- cases -----------------------------------------------------------------------------------------------------------


def rows(T, seed, vocab, plan, window=0, restart=False):
    """Builds a window. plan[k][b] is one sequence: a list of documents (length, prompt).

    A document of length n puts n tokens in the row; position i answers for the token after it, so n - 1 positions are
    trained, less the first prompt ones. A row is padded to T with id 0. A length of T + 1 is a row cut from a longer
    text: all T positions are trained. lo is the first position of the document, or i + 1 (nothing visible) for padding.
    """
    g = torch.Generator().manual_seed(seed)
    K, B = len(plan), len(plan[0])
    ids = torch.zeros(K, B, T, dtype=torch.long)
    targets = torch.full((K, B, T), IGNORE)
    positions = torch.arange(T).repeat(K, B, 1)
    lo = torch.arange(1, T + 1).repeat(K, B, 1)
    for k in range(K):
        for b in range(B):
            start = 0
            for length, prompt in plan[k][b]:
                text = torch.randint(1, vocab, (length,), generator=g)
                for i in range(min(length, T - start)):
                    ids[k, b, start + i] = text[i]
                    lo[k, b, start + i] = max(start, start + i - window + 1 if window else 0)
                    if restart:
                        positions[k, b, start + i] = i
                    if i + 1 < length and i >= prompt:
                        targets[k, b, start + i] = text[i + 1]
                start += length
    N = int((targets != IGNORE).sum())
    return {"K": K, "B": B, "T": T, "N": N, "ids": ids, "targets": targets, "positions": positions, "lo": lo}


def causal(w):
    """Plain causal attention: every position, padding too, sees everything before it."""
    w["lo"] = torch.zeros_like(w["lo"])
    w["plain"] = True
    return w


def gpt2(**over):
    c = {"family": "gpt2", "layers": 2, "heads": 3, "kvHeads": 3, "headDim": 4, "dModel": 12, "ffn": 48, "vocab": 23,
         "context": 8, "tied": True, "bias": True, "activation": "gelu_tanh", "normEps": 1e-5, "ropeBase": 0.0}
    return {**c, **over}


def llama(**over):
    c = {"family": "llama", "layers": 2, "heads": 4, "kvHeads": 2, "headDim": 4, "dModel": 16, "ffn": 20, "vocab": 29,
         "context": 8, "tied": False, "bias": False, "activation": "silu_glu", "normEps": 1e-5, "ropeBase": 10000.0}
    return {**c, **over}


ADAMW = {"kind": "adamw", "lr": 1e-3, "beta1": 0.9, "beta2": 0.95, "eps": 1e-8, "weightDecay": 0.1, "clip": 1.0}
SGD = {"kind": "sgd", "lr": 0.1, "momentum": 0.9, "weightDecay": 0.0, "clip": 1.0}


def cases():
    """Name, what it is for, model, window, optimizer."""
    full8, full6 = [(9, 0)], [(7, 0)]
    ragged = [[[(8, 0)], [(4, 0)], []], [[(5, 9)], [], [(8, 9)]], [[(2, 0)], [(6, 2)], [(7, 5)]]]
    docs = [[[(4, 9), (4, 9)], [(3, 9)]], [[(3, 0), (5, 0)], [(2, 0), (4, 1)]], [[(9, 0)], [(1, 0), (3, 0), (2, 0)]]]
    return [
        ("gpt2_tied", "tanh GELU, learned positions, biases, tied head; two full micro-batches",
         gpt2(), causal(rows(8, 101, 23, [[full8, full8], [full8, full8]])), ADAMW),
        ("gpt2_exact_untied", "exact GELU, untied head; T is shorter than the context, so two rows of pos.weight get no gradient",
         gpt2(activation="gelu", tied=False, heads=2, kvHeads=2, headDim=6, vocab=19),
         causal(rows(6, 102, 19, [[full6, full6, full6]])), ADAMW),
        ("gpt2_ragged", "ragged rows under plain causal attention; micro-batch 1 has no trained position, row [0][2] is all padding",
         gpt2(tied=True, vocab=17), causal(rows(7, 103, 17, ragged)), ADAMW),
        ("llama_gqa", "RMSNorm, RoPE, gated SiLU, 4 query heads over 2 key heads, untied head",
         llama(), causal(rows(8, 104, 29, [[full8, full8], [full8, full8]])), ADAMW),
        ("llama_tied_mqa", "one key head, tied head, heads*headDim (16) is not dModel (12)",
         llama(kvHeads=1, dModel=12, tied=True, vocab=31, ropeBase=500.0), causal(rows(7, 105, 31, [[[(8, 0)], [(8, 0)]]])), ADAMW),
        ("llama_docs", "packed documents that do not see each other, positions restart; padding sees nothing; micro-batch 0 has no trained position",
         llama(), rows(8, 106, 29, docs, restart=True), ADAMW),
        ("gpt2_docs", "packed documents with learned positions that restart; padding sees nothing; micro-batch 0 has no trained position",
         gpt2(vocab=21), rows(8, 107, 21, docs, restart=True), ADAMW),
        ("gpt2_window", "sliding window: a query sees three keys, itself included; the clip limit is above the norm, so nothing is clipped",
         gpt2(), rows(8, 108, 23, [[full8, full8], [full8, full8]], window=3), {**ADAMW, "clip": 4.0}),
        ("gpt2_sgd", "SGD with momentum, no weight decay, instead of AdamW",
         gpt2(vocab=19), causal(rows(8, 109, 19, [[full8, full8]])), SGD),
    ]


def fixture(name, note, c, w, o, seed):
    params = init(c, seed)
    window = {"K": w["K"], "B": w["B"], "T": w["T"], "N": w["N"], "ids": w["ids"].tolist(), "targets": w["targets"].tolist(),
              "m": (w["targets"] != IGNORE).long().tolist()}
    if not w.get("plain"):
        window["lo"] = w["lo"].tolist()
        if (w["positions"] != torch.arange(w["T"])).any():
            window["positions"] = w["positions"].tolist()
    return {
        "name": name,
        "note": note,
        "torch": torch.__version__,
        "seed": seed,
        "config": c,
        "optimizer": o,
        "window": window,
        "params": [{"name": n, "shape": s, "values": params[n].reshape(-1).tolist()} for n, s in param_shapes(c)],
        "float64": once(c, params, w, torch.float64),
        "updates": updates(c, params, w, o),
        "float32": once(c, params, w, torch.float32),
    }


# --- check and output ------------------------------------------------------------------------------------------------


def check(name, c, w, seed, samples=300, h=1e-5):
    """Compares autograd with central differences in float64 at some elements of every tensor; returns the worst
    |a - n| / max(|a|, |n|) over tensors (norms over the sampled elements)."""
    params = init(c, seed)
    p = leaves(params, torch.float64)
    backward(c, p, w)
    g = torch.Generator().manual_seed(1)
    worst = 0.0

    def loss(q):
        with torch.no_grad():
            return sum(float(token_losses(c, q, w, k).sum()) for k in range(w["K"])) / w["N"]

    for n, t in params.items():
        index = torch.randperm(t.numel(), generator=g)[: max(4, samples // len(params))]
        a, d = p[n].grad.reshape(-1)[index], []
        for i in index.tolist():
            at = []
            for sign in (1, -1):
                q = dict(params)
                q[n] = t.clone()
                q[n].reshape(-1)[i] += sign * h
                at.append(loss(q))
            d.append((at[0] - at[1]) / (2 * h))
        d = torch.tensor(d, dtype=torch.float64)
        scale = max(float(a.norm()), float(d.norm()), 1e-8)
        worst = max(worst, float((a - d).norm()) / scale)
    return worst


def render(value, depth):
    """JSON with one line per entry down to the given depth, and everything below on that line. Floats use repr, the
    shortest decimal that reads back as the same float64."""
    if depth == 0 or not isinstance(value, (dict, list)):
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    if isinstance(value, dict):
        items = [json.dumps(k) + ": " + render(v, depth - 1) for k, v in value.items()]
        return "{\n" + ",\n".join(items) + "\n}"
    return "[\n" + ",\n".join(render(v, depth - 1) for v in value) + "\n]"


DEPTH = {"window": 1, "params": 1, "float64": 2, "float32": 2, "updates": 2}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("-o", default=os.path.join(here, "..", "..", "compiler", "testdata", "torch"), help="output folder")
    ap.add_argument("--check", action="store_true", help="compare gradients with central differences and write nothing")
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    print(f"python {platform.python_version()}, torch {torch.__version__}")
    for i, (name, note, c, w, o) in enumerate(cases()):
        seed = 1000 + i
        if args.check:
            print(f"{name:18} central differences {check(name, c, w, seed):.1e}")
            continue
        f = fixture(name, note, c, w, o, seed)
        items = [json.dumps(k) + ": " + render(v, DEPTH.get(k, 0)) for k, v in f.items()]
        path = os.path.join(args.o, name + ".json")
        with open(path, "w", newline="\n") as out:
            out.write("{\n" + ",\n".join(items) + "\n}\n")
        u = f["updates"]
        print(f"{name:18} {os.path.getsize(path) / 1024:4.0f} KiB  N {w['N']:2}  loss {f['float64']['loss']:.6f}"
              f"  float32 {f['float32']['loss'] - f['float64']['loss']:+.0e}  norm {u['norms'][0]:.4f}"
              f"  factor {u['factors'][0]:.4f}  losses {' '.join('%.4f' % l for l in u['losses'])}")


if __name__ == "__main__":
    main()
