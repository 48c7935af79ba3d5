"""Forward passes of every trunk with every activation and attention, written from
the papers' formulas with NumPy: what trunk_test.go compares ours with.

    python3 trunks.py > trunks.json

Weights and planes are functions of their names, which the test repeats.
"""

import itertools
import json
import math

import numpy as np

PLANES, DEPTH, WIDTH, REDUCTION, POSITIONS = 4, 2, 5, 2, 2
EVERY = 7  # only so many of the numbers are kept


def noise(name, n):
    """n numbers in [-0.5, 0.5), by a hash of 32 bits."""
    seed = 2166136261  # FNV-1a
    for byte in name.encode():
        seed = (seed ^ byte) * 16777619 % 2**32
    x = (seed + np.arange(n, dtype=np.uint64) * 2654435761) % 2**32
    x ^= x >> 15
    x = x * 2246822519 % 2**32
    x ^= x >> 13
    return x / 2**32 - 0.5


def parameter(name, *shape):
    v = noise(name, math.prod(shape)).reshape(shape)
    if len(shape) > 1:
        return v * math.sqrt(24 / math.prod(shape[1:]))
    return 1 + v if name.endswith((".weight", ".running_var")) else v


def planes():
    v = noise("planes", POSITIONS * PLANES * 64)
    return (v > 0.2).astype(float).reshape(POSITIONS, PLANES, 8, 8)


def conv(x, w):
    k = w.shape[-1] // 2
    x = np.pad(x, ((0, 0), (0, 0), (k, k), (k, k)))
    y = np.zeros((x.shape[0], w.shape[0], 8, 8))
    for i, j in np.ndindex(w.shape[2:]):
        y += np.einsum("oc,ncyx->noyx", w[:, :, i, j], x[:, :, i : i + 8, j : j + 8])
    return y


def conv3(x, name, out):
    return conv(x, parameter(name + ".weight", out, x.shape[1], 3, 3))


def norm(x, name):
    def p(what):
        return parameter(f"{name}.{what}", x.shape[1]).reshape(1, -1, 1, 1)

    return (x - p("running_mean")) / np.sqrt(p("running_var") + 1e-5) * p("weight") + p("bias")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
}


def perceptron(x, name):
    hidden = WIDTH // REDUCTION
    first = parameter(name + ".linear1.weight", hidden, WIDTH)
    second = parameter(name + ".linear2.weight", WIDTH, hidden)
    return np.maximum(x @ first.T, 0) @ second.T


def squeeze_excitation(x, name):
    return x * sigmoid(perceptron(x.mean((2, 3)), name))[:, :, None, None]


def squeeze_excitation_shift(x, name):
    """Leela Chess Zero's, with biases and a number that is added to each channel."""

    def linear(x, number, out):
        layer = f"{name}.linear{number}"
        return x @ parameter(layer + ".weight", out, x.shape[1]).T + parameter(layer + ".bias", out)

    hidden = np.maximum(linear(x.mean((2, 3)), 1, WIDTH // REDUCTION), 0)
    gates, shift = sigmoid(linear(hidden, 2, WIDTH)), linear(hidden, 3, WIDTH)
    return x * gates[:, :, None, None] + shift[:, :, None, None]


def cbam(x, name):
    gates = sigmoid(perceptron(x.mean((2, 3)), name) + perceptron(x.max((2, 3)), name))
    x = x * gates[:, :, None, None]
    both = np.stack([x.mean(1), x.max(1)], 1)
    return x * sigmoid(conv(both, parameter(name + ".conv.weight", 1, 2, 7, 7)))


ATTENTIONS = {
    "none": lambda x, name: x,
    "squeeze-excitation": squeeze_excitation,
    "squeeze-excitation-shift": squeeze_excitation_shift,
    "cbam": cbam,
}


def residual(x, act, attend):
    x = act(norm(conv3(x, "input.conv", WIDTH), "input.norm"))
    for i in range(DEPTH):
        b = f"trunk.{i}."
        y = act(norm(conv3(x, b + "conv1", WIDTH), b + "norm1"))
        y = norm(conv3(y, b + "conv2", WIDTH), b + "norm2")
        x = act(x + attend(y, b + "attention"))
    return x


def preactivation(x, act, attend):
    x = conv3(x, "input.conv", WIDTH)
    for i in range(DEPTH):
        b = f"trunk.{i}."
        y = conv3(act(norm(x, b + "norm1")), b + "conv1", WIDTH)
        y = conv3(act(norm(y, b + "norm2")), b + "conv2", WIDTH)
        x = x + attend(y, b + "attention")
    return act(norm(x, "trunk.norm"))


def plain(x, act, attend):
    for i in range(DEPTH):
        b = f"trunk.{i}."
        x = attend(act(norm(conv3(x, b + "conv", WIDTH), b + "norm")), b + "attention")
    return x


TRUNKS = {"residual": residual, "preactivation": preactivation, "plain": plain}

if __name__ == "__main__":
    cases = []
    for trunk, act, attention in itertools.product(TRUNKS, ACTIVATIONS, ATTENTIONS):
        maps = TRUNKS[trunk](planes(), ACTIVATIONS[act], ATTENTIONS[attention])
        kept = [float(f"{v:.7g}") for v in maps.ravel()[::EVERY]]
        cases.append(json.dumps({"trunk": trunk, "activation": act, "attention": attention, "maps": kept}))
    print("[\n" + ",\n".join(cases) + "\n]")
