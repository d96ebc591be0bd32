"""Run a Ray cluster of three nodes on this machine until standard input ends; a line `kill N` kills the node N.

It is a separate process, to keep Ray's warnings out of the tests.
"""

from __future__ import annotations

import sys

from ray.cluster_utils import Cluster

NODE = {"memory": 8 * 2**30, "object_store_memory": 80 * 2**20, "include_dashboard": False}


def write_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    cluster = Cluster(initialize_head=True, head_node_args=NODE | {"num_cpus": 1})
    nodes = [cluster.add_node(num_cpus=2, **NODE) for _ in range(2)]
    cluster.wait_for_nodes()
    write_line(f"at {cluster.address}")
    for line in sys.stdin:
        cluster.remove_node(nodes[int(line.removeprefix("kill "))], allow_graceful=False)
        write_line("gone")
    cluster.shutdown()


if __name__ == "__main__":
    main()
