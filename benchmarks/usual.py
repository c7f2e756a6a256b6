"""The usual practice: one process trains and measures one network of Figure 2.

    python usual.py ACTIVATION DELTA SEED OUTPUT.csv

An nn.Module, autograd, scikit-learn's LinearSVC for each fit, a file for each network. It measures
what the workflow measures for the same sweep.
"""

import sys
from itertools import product

import numpy as np
import pandas as pd
import torch
from sklearn.svm import LinearSVC
from torch import nn

N = H = 120
BATCH, SAMPLES, STEPS = 200, 5000, 2000
PAIRINGS = [[(0, 2), (1, 3)], [(0, 3), (1, 2)]]
UNTRAINED = [[1, 0, 1, 0], [1, 0, 0, 1]]


def alignment(a, b):
    a, b = a - a.mean(0), b - b.mean(0)
    k, m = a @ a.T, b @ b.T
    return np.sum(k * m) / (np.linalg.norm(k) * np.linalg.norm(m))


def parallelism(z):
    scores = []
    for pairs in PAIRINGS:
        v, w = (z[i] - z[j] for i, j in pairs)
        scores.append(v @ w / np.linalg.norm(v) / np.linalg.norm(w))
    return max(scores)


def ccgp(z, conditions, labels):
    scores = []
    for pairs, (train, test) in product(PAIRINGS, [(0, 1), (1, 0)]):
        fit, held = (np.isin(conditions, pairs[i]) for i in (train, test))
        svm = LinearSVC(max_iter=5000).fit(z[fit], labels[conditions][fit])
        scores.append(svm.score(z[held], labels[conditions][held]))
    return np.mean(scores)


def main(activation, delta, seed, output):
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    e1, e2, e3 = np.linalg.qr(rng.standard_normal((N, 3)))[0].T * np.sqrt(N / 3)
    centres = np.stack([e1 + e2, -e1 - e2, e1 - e2, e2 - e1]) + np.outer([1, 1, -1, -1], delta * e3)
    labels = np.array([1, 1, 0, 0])

    def sample(number, sigma):
        conditions = rng.integers(0, 4, number)
        x = centres[conditions] + sigma * rng.standard_normal((number, N))
        return torch.tensor(x, dtype=torch.float32), conditions

    x, conditions = sample(SAMPLES, 1.0)
    y = torch.tensor(labels[conditions], dtype=torch.float32)[:, None]
    hidden = nn.Sequential(nn.Linear(N, H), nn.Tanh() if activation == "tanh" else nn.ReLU())
    readout = nn.Linear(H, 1, bias=False).requires_grad_(False)
    readout.weight[:] = torch.cat([torch.ones(H // 2), -torch.ones(H // 2)]) / np.sqrt(H)
    network = nn.Sequential(hidden, readout)
    optimiser = torch.optim.SGD(hidden.parameters(), lr=0.1)
    loss_of = nn.BCEWithLogitsLoss()
    for step in range(STEPS):
        start = step % (SAMPLES // BATCH) * BATCH
        if start == 0:
            order = torch.randperm(SAMPLES)
        batch = order[start : start + BATCH]
        optimiser.zero_grad()
        loss_of(network(x[batch]), y[batch]).backward()
        optimiser.step()

    @torch.no_grad()
    def activity(inputs):
        return hidden(inputs).numpy()

    z = activity(torch.tensor(centres, dtype=torch.float32))
    rows = {
        "target_alignment": alignment(z, labels[:, None]),
        "input_alignment": alignment(z, centres),
        "parallelism": parallelism(z),
    }
    for sigma in (1.0, 3.0):
        (fitted, fitted_on), (scored, scored_on) = sample(SAMPLES, sigma), sample(1000, sigma)
        fitted, scored = activity(fitted), activity(scored)
        rows[f"ccgp {sigma}"] = ccgp(fitted, fitted_on, labels)
        for name, dichotomies in (("trained", [labels]), ("untrained", UNTRAINED)):
            scores = []
            for dichotomy in np.array(dichotomies):
                svm = LinearSVC(max_iter=5000).fit(fitted, dichotomy[fitted_on])
                scores.append(svm.score(scored, dichotomy[scored_on]))
            rows[f"decoding {name} {sigma}"] = np.mean(scores)
    pd.DataFrame(rows.items(), columns=["measure", "value"]).to_csv(output, index=False)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
