"""Personalised PageRank with 16 columns, 10 rounds, on a generated graph: privet beside scipy and PySpark.

    python3 -m venv peers && peers/bin/pip install numpy scipy pyspark
    peers/bin/python benches/pagerank_peers.py target/release/privet [EDGES]

Prints seconds, peak memory and lines of code of each; all run on two threads, each in a process of its own.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

COLUMNS, ROUNDS, ALPHA = 16, 10, 0.15


def made(folder, edges):
    """Random edges as a csv, and features as an npz that privet takes beside it."""
    nodes = edges // 10
    rng = np.random.default_rng(7)
    source = rng.integers(0, nodes, edges)
    target = (rng.random(edges) ** 3 * nodes).astype(np.int64)
    pairs = np.stack([source, target], axis=1)
    pairs = np.concatenate([pairs, np.stack([np.arange(nodes), (np.arange(nodes) + 1) % nodes], axis=1)])
    np.savetxt(os.path.join(folder, "edges.csv"), pairs, fmt="%d", delimiter=",")
    rows = rng.random((nodes, COLUMNS), dtype=np.float32)
    np.savez(os.path.join(folder, "x.npz"), attr_matrix=rows)
    return nodes


def with_privet(folder, privet):
    subprocess.run([privet, "data", "convert", "edges.csv", "g.csr", "--features", "x.npz", "--quiet"],
                   cwd=folder, check=True)
    begun = time.time()
    subprocess.run([privet, "embed", "g.csr", "-o", "out.npz", "--rounds", str(ROUNDS), "--quiet"],
                   cwd=folder, check=True, env={**os.environ, "RAYON_NUM_THREADS": "2"})
    return time.time() - begun, np.load(os.path.join(folder, "out.npz"))["attr_matrix"]


def with_scipy(folder):
    import scipy.sparse as sp
    pairs = np.loadtxt(os.path.join(folder, "edges.csv"), dtype=np.int64, delimiter=",")
    x = np.load(os.path.join(folder, "x.npz"))["attr_matrix"]
    begun = time.time()
    n = len(x)
    a = sp.coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n)).tocsr()
    a = ((a + a.T) > 0).astype(np.float32)
    a.setdiag(0)
    a.eliminate_zeros()
    d = sp.diags(1 / np.sqrt(np.asarray(a.sum(1)).ravel()).astype(np.float32))
    p = (d @ a @ d).astype(np.float32)
    term, total = x, ALPHA * x
    for _ in range(ROUNDS):
        term = (1 - ALPHA) * (p @ term)
        total = total + ALPHA * term
    return time.time() - begun, total


def with_spark(folder):
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as f
    spark = (SparkSession.builder.master("local[2]").config("spark.driver.memory", "8g")
             .config("spark.sql.shuffle.partitions", "8").config("spark.ui.enabled", "false").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    rows = np.load(os.path.join(folder, "x.npz"))["attr_matrix"]
    names = [f"c{i}" for i in range(COLUMNS)]
    np.savetxt(os.path.join(folder, "x.csv"), np.column_stack([np.arange(len(rows)), rows]), delimiter=",",
               fmt=["%d"] + ["%.8g"] * COLUMNS)
    begun = time.time()
    e = spark.read.csv(os.path.join(folder, "edges.csv"), schema="u long, v long").where("u != v")
    e = e.union(e.select(f.col("v").alias("u"), f.col("u").alias("v"))).distinct().cache()
    degree = e.groupBy("u").agg(f.count("*").alias("d"))
    e = (e.join(degree, "u").join(degree.select(f.col("u").alias("v"), f.col("d").alias("dv")), "v")
         .select("u", "v", (1 / f.sqrt(f.col("d") * f.col("dv"))).alias("w")).cache())
    x = spark.read.csv(os.path.join(folder, "x.csv"), schema="id long, " + ", ".join(f"{n} float" for n in names))
    term, total = x.cache(), x.select("id", *[(ALPHA * f.col(n)).alias(n) for n in names])
    for _ in range(ROUNDS):
        term = (e.join(term, e.v == term.id).groupBy("u")
                .agg(*[((1 - ALPHA) * f.sum(f.col("w") * f.col(n))).alias(n) for n in names])
                .withColumnRenamed("u", "id").localCheckpoint())
        total = (total.alias("a").join(term.alias("b"), "id")
                 .select("id", *[(f.col(f"a.{n}") + ALPHA * f.col(f"b.{n}")).alias(n) for n in names])
                 .localCheckpoint())
    out = total.orderBy("id").toPandas()[names].to_numpy() if has_pandas() else collected(total, names)
    seconds = time.time() - begun
    global megabytes_of_java
    with open(f"/proc/{spark.sparkContext._gateway.proc.pid}/status") as status:
        megabytes_of_java = max(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    spark.stop()
    return seconds, out


megabytes_of_java = 0


def has_pandas():
    try:
        import pandas  # noqa: F401
        return True
    except ImportError:
        return False


def collected(frame, names):
    return np.array([[row[n] for n in names] for row in frame.orderBy("id").collect()])


def lines_of(function):
    import inspect
    return sum(1 for line in inspect.getsource(function).splitlines() if line.strip())


def child(which, folder, privet):
    seconds, rows = {"privet": lambda: with_privet(folder, privet), "scipy": lambda: with_scipy(folder),
                     "spark": lambda: with_spark(folder)}[which]()
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    np.save(os.path.join(folder, f"{which}.npy"), np.asarray(rows, dtype=np.float64))
    megabytes = {"privet": others, "scipy": own, "spark": megabytes_of_java}[which]
    print(json.dumps({"seconds": seconds, "megabytes": megabytes}))


def main():
    if sys.argv[1] == "child":
        return child(*sys.argv[2:5])
    privet, edges = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        nodes = made(folder, edges)
        print(f"{edges + nodes:,} edges given, {nodes:,} nodes, {COLUMNS} columns, {ROUNDS} rounds")
        took = {}
        for which in ["privet", "scipy", "spark"]:
            out = subprocess.run([sys.executable, __file__, "child", which, folder, privet], check=True,
                                 capture_output=True, text=True,
                                 env={**os.environ, "OMP_NUM_THREADS": "2"})
            took[which] = json.loads(out.stdout.strip().splitlines()[-1])
        base = np.load(os.path.join(folder, "privet.npy"))
        code = {"privet": "1 command", "scipy": f"{lines_of(with_scipy)} lines", "spark": f"{lines_of(with_spark)} lines"}
        for which, ran in took.items():
            rows = np.load(os.path.join(folder, f"{which}.npy"))
            apart = np.abs(rows - base).max()
            print(f"{which:8} {ran['seconds']:8.2f} s  {ran['megabytes']:7.0f} MB  {code[which]:>9}  "
                  f"{ran['seconds'] / took['privet']['seconds']:7.1f} times privet's time, apart by {apart:.1e}")


if __name__ == "__main__":
    main()
