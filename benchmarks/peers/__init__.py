"""Other ways to do the same work. Each peer says why it is absent, or binds a problem.

``bind(problem)`` gives the ``run(loops)`` of a contender, or None where the peer has no such function.
"""

from benchmarks.peers.eigen import Eigen, EigenDirect
from benchmarks.peers.libraries import NumPy, PyTorch, SciPy
from benchmarks.peers.numba import Numba

PEERS = (Eigen(), EigenDirect(), Numba(), PyTorch(), NumPy(), SciPy())
