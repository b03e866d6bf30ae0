#!/usr/bin/env python3
"""Makes gnn.json: scores of small GCN and GIN models from dense matrices in double precision.

    python3 crates/privet-learn/tests/vectors/gnn.py > crates/privet-learn/tests/vectors/gnn.json

Independent of the crate: adjacency matrices are written out, normalisation and readout are matrix
products, nothing is shared between nodes. Weights are a formula of the number of the tensor and of the
entry, in the order in which the models list their tensors. Needs numpy.
"""

import json

import numpy as np

# (nodes, edges) of three graphs; the last has an isolated node.
GRAPHS = [
    (5, [(0, 1), (0, 2), (0, 3), (3, 4)]),
    (4, [(0, 1), (1, 2), (2, 3), (3, 0)]),
    (6, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)]),
]
EPSILON = 1e-5


def entries(tensor, rows, columns, base=0.0):
    at = np.arange(rows * columns)
    return base + ((((at * 7919 + tensor * 104729) % 31) / 31) - 0.5).reshape(rows, columns)


def adjacency(nodes, edges, directed):
    matrix = np.zeros((nodes, nodes))
    for u, v in edges:
        matrix[u, v] = 1
        if not directed:
            matrix[v, u] = 1
    return matrix


class Tensors:
    """Hands out tensors in order."""

    def __init__(self):
        self.next = 0

    def take(self, rows, columns, base=0.0):
        self.next += 1
        return entries(self.next - 1, rows, columns, base)


def normalized_linear(x, tensors, outputs, training):
    weight = tensors.take(x.shape[1], outputs)
    gamma, beta = tensors.take(1, outputs, 1.0), tensors.take(1, outputs)
    mean, variance = tensors.take(1, outputs), tensors.take(1, outputs, 1.0)
    z = x @ weight
    if training:
        mean, variance = z.mean(axis=0), z.var(axis=0)
    return np.maximum((z - mean) / np.sqrt(variance + EPSILON) * gamma + beta, 0)


def gin(directed, readout, training, hidden=3, rounds=2, outputs=2):
    blocks = [adjacency(nodes, edges, directed) for nodes, edges in GRAPHS]
    total = sum(len(block) for block in blocks)
    whole, pool = np.eye(total), np.zeros((len(blocks), total))
    start = 0
    for row, block in enumerate(blocks):
        end = start + len(block)
        whole[start:end, start:end] += block
        pool[row, start:end] = 1 / len(block) if readout == "mean" else 1
        start = end
    # Features: the degree, up to two, one column each.
    degrees = np.minimum(whole.sum(axis=1) - 1, 2).astype(int)
    tensors, levels = Tensors(), [np.eye(3)[degrees]]
    for _ in range(rounds):
        middle = normalized_linear(whole @ levels[-1], tensors, hidden, training)
        levels.append(normalized_linear(middle, tensors, hidden, training))
    scores = np.zeros((len(blocks), outputs))
    for level in levels:
        weight = tensors.take(level.shape[1], outputs)
        scores += pool @ level @ weight + tensors.take(1, outputs)
    return scores


def gcn(directed, aggregation, widths=(4, 5, 3, 2)):
    nodes, edges = GRAPHS[2]
    a = adjacency(nodes, edges, directed) + np.eye(nodes)
    out, into = a.sum(axis=1), a.sum(axis=0)
    p = a / out[:, None] if aggregation == "mean" else a / np.sqrt(out[:, None] * into[None, :])
    tensors, x = Tensors(), entries(99, nodes, widths[0])
    for layer, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
        weight = tensors.take(inputs, outputs)
        x = p @ (x @ weight) + tensors.take(1, outputs)
        if layer + 2 < len(widths):
            x = np.maximum(x, 0)
    return x


def rounded(matrix):
    return [[round(float(value), 9) for value in row] for row in matrix]


def main():
    graphs = [{"nodes": nodes, "edges": edges} for nodes, edges in GRAPHS]
    of_gin = [
        {
            "directed": directed,
            "readout": readout,
            "training": rounded(gin(directed, readout, True)),
            "evaluation": rounded(gin(directed, readout, False)),
        }
        for directed in (False, True)
        for readout in ("sum", "mean")
    ]
    of_gcn = [
        {"directed": directed, "aggregation": aggregation, "scores": rounded(gcn(directed, aggregation))}
        for directed in (False, True)
        for aggregation in ("mean", "symmetric")
    ]
    print(json.dumps({"graphs": graphs, "gin": of_gin, "gcn": of_gcn}))


if __name__ == "__main__":
    main()
