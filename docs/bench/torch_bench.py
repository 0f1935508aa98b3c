"""Updates of the models in specs/ with PyTorch, for comparison with gradcue bench.

One process measures one shape: random tokens, forward, backward, clipping of the global norm, AdamW, all in float32; shapes
that end in -bf16 compute under torch.autocast in bfloat16, with parameters and moments in float32. The model is written as users of PyTorch write it: nn.Linear, scaled_dot_product_attention, cross_entropy over all logits; AdamW is
the fused one where this version has it for CPUs, else PyTorch's default there, a loop over the parameters. The median and the
peak memory go to stdout as one line of JSON with the names that gradcue bench --json uses. docs/performance.md says how to make the environment.
"""

import argparse
import json
import math
import resource
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

GPT2 = dict(family="gpt2", layers=12, heads=12, kv=12, head=64, ffn=3072, vocab=50257, context=1024)
SMALL = dict(family="gpt2", layers=4, heads=4, kv=4, head=32, ffn=512, vocab=50257, context=256)
LLAMA = dict(family="llama", layers=4, heads=8, kv=4, head=32, ffn=688, vocab=32000, context=256)

# The names of specs/shapes.cue: model, sequences of an update, tokens of a sequence, autocast to bfloat16.
SHAPES = {
    "gpt2-b4-t64": (GPT2, 4, 64, False),
    "gpt2-b4-t256": (GPT2, 4, 256, False),
    "gpt2-b1-t1024": (GPT2, 1, 1024, False),
    "gpt2-b4-t64-bf16": (GPT2, 4, 64, True),
    "gpt2-b4-t256-bf16": (GPT2, 4, 256, True),
    "gpt2-b1-t1024-bf16": (GPT2, 1, 1024, True),
    "small-b4-t64": (SMALL, 4, 64, False),
    "llama-b4-t64": (LLAMA, 4, 64, False),
}


# --- model -----------------------------------------------------------------------------------------------------------


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


def rotate(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def attend(q, k, v):
    """Causal attention: the fused one, or the formula written out where this version has none (before 2.0)."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    T = q.shape[-2]
    hidden = torch.ones(T, T, dtype=torch.bool).triu(1)
    scores = (q @ k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, width = c, c["heads"] * c["head"]
        llama = c["family"] == "llama"
        norm = RMSNorm if llama else nn.LayerNorm
        self.ln1, self.ln2 = norm(width), norm(width)
        self.qkv = nn.Linear(width, (c["heads"] + 2 * c["kv"]) * c["head"], bias=not llama)
        self.proj = nn.Linear(width, width, bias=not llama)
        self.fc = nn.Linear(width, (2 if llama else 1) * c["ffn"], bias=not llama)
        self.out = nn.Linear(c["ffn"], width, bias=not llama)

    def attention(self, x, rope):
        c, (B, T, _) = self.c, x.shape
        H, G, D = c["heads"], c["kv"], c["head"]
        q, k, v = self.qkv(x).split([H * D, G * D, G * D], dim=-1)
        q = q.view(B, T, H, D).transpose(1, 2)
        k = k.view(B, T, G, D).transpose(1, 2)
        v = v.view(B, T, G, D).transpose(1, 2)
        if rope is not None:
            q, k = rotate(q, *rope), rotate(k, *rope)
        if G != H:
            k, v = k.repeat_interleave(H // G, dim=1), v.repeat_interleave(H // G, dim=1)
        y = attend(q, k, v)
        return self.proj(y.transpose(1, 2).reshape(B, T, H * D))

    def forward(self, x, rope):
        x = x + self.attention(self.ln1(x), rope)
        h = self.fc(self.ln2(x))
        if rope is None:
            h = F.gelu(h, approximate="tanh")
        else:
            gate, up = h.chunk(2, dim=-1)
            h = F.silu(gate) * up
        return x + self.out(h)


class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, width = c, c["heads"] * c["head"]
        llama = c["family"] == "llama"
        self.embed = nn.Embedding(c["vocab"], width)
        self.pos = None if llama else nn.Embedding(c["context"], width)
        self.blocks = nn.ModuleList(Block(c) for _ in range(c["layers"]))
        self.norm = RMSNorm(width) if llama else nn.LayerNorm(width)
        self.head = nn.Linear(width, c["vocab"], bias=False)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)
        if not llama:
            self.head.weight = self.embed.weight

    def rope(self, T):
        D = self.c["head"]
        angle = torch.outer(torch.arange(T).float(), 10000.0 ** (-torch.arange(0, D, 2).float() / D))
        return angle.cos(), angle.sin()

    def forward(self, ids, targets):
        T = ids.shape[1]
        x, rope = self.embed(ids), None
        if self.pos is None:
            rope = self.rope(T)
        else:
            x = x + self.pos(torch.arange(T))
        for b in self.blocks:
            x = b(x, rope)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), targets.flatten())


def adamw(groups, kind):
    how = {} if kind == "loop" else {kind: True}
    return torch.optim.AdamW(groups, lr=6e-4, betas=(0.9, 0.95), eps=1e-8, **how)


def has_fused():
    """Whether this version has the fused AdamW for CPUs; older ones say so at the first step."""
    p = torch.zeros(1, requires_grad=True)
    p.grad = torch.zeros(1)
    try:
        adamw([p], "fused").step()
    except (RuntimeError, TypeError):
        return False
    return True


def optimizer(model, kind):
    """AdamW with decay on tensors of two or more dimensions."""
    decay = [p for p in model.parameters() if p.dim() >= 2]
    rest = [p for p in model.parameters() if p.dim() < 2]
    return adamw([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], kind)


# --- measurement -----------------------------------------------------------------------------------------------------


def others():
    """Processor nanoseconds that other processes took so far, None where the system does not tell."""
    try:
        with open("/proc/stat") as f:
            s = f.readline().split()
    except OSError:
        return None
    own = resource.getrusage(resource.RUSAGE_SELF)
    return sum(int(s[i]) for i in (1, 2, 3, 6, 7, 8)) * 10_000_000 - int((own.ru_utime + own.ru_stime) * 1e9)


def measure(step, updates, warmup, threads):
    for _ in range(warmup):
        loss = step()
    samples = []
    for _ in range(updates):
        busy, start = others(), time.perf_counter_ns()
        loss = step()
        took = time.perf_counter_ns() - start
        samples.append((took, 0 if busy is None else others() - busy))
    # The rule of gradcue bench: at most 4 % of the machine, and a tick of the counter.
    clean = [t for t, o in samples if o <= 0.04 * t * threads + 10_000_000]
    counted = sorted(clean if len(clean) >= 3 else [t for t, _ in samples])
    share = sum(o for _, o in samples) / (threads * sum(t for t, _ in samples))
    return loss, counted, len(clean), share


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("shape", choices=SHAPES)
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--updates", type=int, default=10)
    a.add_argument("--warmup", type=int, default=3)
    a.add_argument("--optimizer", choices=["fused", "foreach", "loop"], help="default: fused where this version has it for CPUs, else loop")
    a.add_argument("--compile", action="store_true", help="torch.compile the model first; needs a C++ compiler")
    a.add_argument("--no-clip", action="store_true", help="no clipping of the global norm")
    o = a.parse_args()

    torch.set_num_threads(o.threads)
    torch.manual_seed(0)
    c, B, T, bf16 = SHAPES[o.shape]
    model = Model(c)
    kind = o.optimizer or ("fused" if has_fused() else "loop")
    opt = optimizer(model, kind)
    run = torch.compile(model) if o.compile else model
    texts = [torch.randint(0, c["vocab"], (B, T + 1)) for _ in range(4)]
    turn = 0

    def step():
        nonlocal turn
        ids = texts[turn % len(texts)]
        turn += 1
        opt.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
            loss = run(ids[:, :-1], ids[:, 1:])
        loss.backward()
        if not o.no_clip:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        return loss.item()

    loss, counted, clean, share = measure(step, o.updates, o.warmup, o.threads)
    if not math.isfinite(loss):
        sys.exit(f"the loss of {o.shape} is {loss}")
    nanos = counted[(len(counted) - 1) // 2]
    print(json.dumps({
        "tool": "torch " + torch.__version__, "name": o.shape, "threads": o.threads, "optimizer": kind, "compiled": o.compile, "clip": not o.no_clip,
        "parameters": sum(p.numel() for p in model.parameters()),
        "updates": o.updates, "clean": clean, "counted": len(counted), "others": round(share, 4),
        "nanos": nanos, "fastest": counted[0], "slowest": counted[-1], "tokens": B * T, "rate": B * T / nanos * 1e9, "loss": loss,
        "peakRSS": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        "blas": "mkl" if torch.backends.mkl.is_available() else "other",
    }))


if __name__ == "__main__":
    main()
