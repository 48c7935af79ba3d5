"""Outputs and losses of every head, from their definitions with NumPy: what
heads_test.go compares ours with.

    python3 heads.py > heads.json

Weights and planes are those of trunks.py.
"""

import itertools
import json

import numpy as np

from trunks import WIDTH, conv, conv3, norm, parameter, planes

SIZE, EVERY = 60, 31  # moves of the linear policies; only so many of their logits are kept
MAPS = 73

# Targets of the two positions: the shares of two moves, the value, the probability
# of a draw (of the second only the value is known), the plies left (unknown).
MOVES, SHARES = [3, 57], [0.25, 0.75]
VALUES, DRAWS, LEFT = np.array([0.25, -0.5]), np.array([0.375, 0.5]), np.array([47, 0])


def relu(x):
    return np.maximum(x, 0)


def linear(x, name, out):
    x = x.reshape(len(x), -1)
    return x @ parameter(name + ".weight", out, x.shape[1]).T + parameter(name + ".bias", out)


def conv1(x, name, out):
    return conv(x, parameter(name + ".weight", out, x.shape[1], 1, 1))


def maps(x):
    x = relu(norm(conv1(x, "policy.conv1", WIDTH), "policy.norm1"))
    return conv1(x, "policy.conv2", MAPS) + parameter("policy.conv2.bias", MAPS).reshape(1, -1, 1, 1)


POLICIES = {
    "conv73-linear": lambda x: linear(maps(x), "policy.linear", SIZE),
    "conv-linear": lambda x: linear(relu(norm(conv1(x, "policy.conv", 3), "policy.norm")), "policy.linear", SIZE),
    "conv73": lambda x: maps(x).reshape(len(x), -1),
}


def dense_head(x, name, channels, hidden, out):
    if channels >= 0:
        x = relu(norm(conv1(x, name + ".conv", channels), name + ".norm"))
    for i, n in enumerate(hidden, 1):
        x = relu(linear(x, f"{name}.linear{i}", n))
    return linear(x, f"{name}.linear{len(hidden) + 1}", out)


def log_softmax(x):
    x = x - x.max(1, keepdims=True)
    return x - np.log(np.exp(x).sum(1, keepdims=True))


def value(x, kind, channels, hidden):
    """The value head's outputs and its loss."""
    y = dense_head(x, "value", channels, hidden, 3 if kind == "wdl" else 1)
    if kind == "wdl":
        wins = np.stack([(1 + VALUES - DRAWS) / 2, DRAWS, (1 - VALUES - DRAWS) / 2], 1)
        return y, -(wins * log_softmax(y)).sum(1).mean()
    y = np.tanh(y) if kind == "tanh" else y
    return y, ((y[:, 0] - VALUES) ** 2).mean()


def moves_left(x):
    y = dense_head(x, "moves_left", 8, [128], 1)
    e = np.abs(y[:, 0] - LEFT / 20)
    huber = np.where(e <= 0.5, e**2 / 2, 0.5 * (e - 0.25))
    return y, (huber * (LEFT > 0)).mean()


def numbers(x):
    return [float(f"{v:.7g}") for v in np.ravel(x)]


x = relu(norm(conv3(planes(), "input.conv", WIDTH), "input.norm"))
lines = []
for name, policy in POLICIES.items():
    logits = policy(x)
    loss = -(log_softmax(logits)[:, MOVES] * SHARES).sum(1).mean()
    lines.append({"policy": name, "outputs": numbers(logits.ravel()[::EVERY]), "loss": float(loss)})
for kind, channels, hidden in itertools.product(["tanh", "wdl", "linear"], [1, 3, -1], [[], [6], [5, 70]]):
    y, loss = value(x, kind, channels, hidden)
    lines.append({"value": kind, "channels": channels, "hidden": hidden, "outputs": numbers(y), "loss": float(loss)})
y, loss = moves_left(x)
lines.append({"moves_left": True, "outputs": numbers(y), "loss": float(loss)})
print("[\n" + ",\n".join(map(json.dumps, lines)) + "\n]")
