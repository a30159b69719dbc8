"""A Ray cluster of three machines on this one: a head without cores, on which drivers are, and two that work.

Run as a program, it says where it is, and then loses or gets a machine whenever it reads the line ``lose`` or ``add``
with a number on standard input. It ends with the end of its input.
"""

import sys

from ray.cluster_utils import Cluster


def main() -> None:
    """Be the cluster."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    machines = {number: cluster.add_node(num_cpus=1, resources={f"machine{number}": 1}) for number in (1, 2)}
    print(cluster.address, flush=True)
    for line in sys.stdin:
        what, number = line.split()
        if what == "lose":
            cluster.remove_node(machines.pop(int(number)), allow_graceful=False)
        else:
            machines[int(number)] = cluster.add_node(num_cpus=1, resources={f"machine{number}": 1})
        print("done", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
