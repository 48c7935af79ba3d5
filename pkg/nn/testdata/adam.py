"""Writes adam.json: steps of Adam and AdamW as their papers define them, in double
precision, for optimizer_test.go. Run it here: python3 adam.py"""
import json

import numpy as np

rng = np.random.default_rng(1)
STEPS, SIZE = 12, 70  # 70: two cache lines and a rest


def steps(gradients, w, decoupled, rate, beta1, beta2, epsilon, decay):
    """Kingma and Ba 2015, algorithm 1; decoupled: Loshchilov and Hutter 2019, algorithm 2."""
    w, m, v, after = w.copy(), np.zeros(SIZE), np.zeros(SIZE), []
    for t, g in enumerate(gradients, 1):
        before = w
        if not decoupled:
            g = g + decay * w
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g**2
        w = w - rate * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + epsilon)
        if decoupled:
            w = w - rate * decay * before
        after.append(w.tolist())
    return after


start = rng.normal(size=SIZE).astype(np.float32)
gradients = (rng.normal(size=(STEPS, SIZE)) * 0.1).astype(np.float32)
settings = dict(rate=0.01, beta1=0.8, beta2=0.95, epsilon=1e-3, decay=0.1)
wide = np.float64
with open("adam.json", "w") as f:
    json.dump(
        {
            "settings": settings,
            "start": start.tolist(),
            "gradients": gradients.tolist(),
            "adam": steps(gradients.astype(wide), start.astype(wide), False, **settings)[-1],
            "adamw": steps(gradients.astype(wide), start.astype(wide), True, **settings)[-1],
        },
        f,
    )
    f.write("\n")
