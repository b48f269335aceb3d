"""Other ways to do the same work. Each peer says why it is absent, or binds a problem.

``bind(problem)`` gives the ``run(loops)`` of a contender, or None where the peer has no such function.
"""

from benchmarks.peers.eigen import Eigen
from benchmarks.peers.libraries import NumPy, PyTorch
from benchmarks.peers.numba import Numba

PEERS = (Eigen(), Numba(), PyTorch(), NumPy())
