// Eigen's fixed-size matrices in a loop over a two-axis batch, as one would write it by hand.
// Compiled for one operation OP and SIZE of the matrices, and some WAYS to read them. Strides are in elements.

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <unsupported/Eigen/MatrixFunctions>

template <class T>
struct Field {
    T *data;
    int64_t step[2];  // to the next cell, along each batch axis
    int64_t row, column;
};

// How a cell is read: element by element, or at once into either of Eigen's storage orders.
enum Way { STRIDED, ROWS, COLUMNS };

constexpr int N = SIZE;
constexpr int K = 3;  // columns of right-hand sides
constexpr int M = 8;  // rows of least squares

// Cell (i, j) of the batch: operand k as a matrix or a vector, inputs before outputs.
template <class T, Way way>
class Cell {
public:
    Cell(const Field<T> *operands, int64_t i, int64_t j) : operands(operands), i(i), j(j) {}

    auto matrix(int k) const { return load<N, N>(k); }
    auto vector(int k) const { return load<N, 1>(k); }
    auto tall(int k) const { return load<M, N>(k); }
    auto tall_rhs(int k) const { return load<M, K>(k); }
    auto rhs(int k) const { return load<N, K>(k); }

    auto out_matrix(int k) const { return map<N, N>(k); }
    auto out_vector(int k) const { return map<N, 1>(k); }
    auto out_rhs(int k) const { return map<N, K>(k); }
    T &out_scalar(int k) const { return *at(k); }

private:
    const Field<T> *operands;
    int64_t i, j;

    T *at(int k) const { return operands[k].data + i * operands[k].step[0] + j * operands[k].step[1]; }

    // Eigen insists on one order for vectors.
    static constexpr int order(int rows, int columns, Way read) {
        return columns > 1 && (rows == 1 || read != COLUMNS) ? Eigen::RowMajor : Eigen::ColMajor;
    }

    template <int R, int C>
    auto map(int k) const {
        return Eigen::Map<Eigen::Matrix<T, R, C, order(R, C, ROWS)>>(at(k));
    }

    template <int R, int C>
    auto load(int k) const {
        Eigen::Matrix<T, R, C, order(R, C, way)> cell;
        if constexpr (way != STRIDED)
            cell = map<R, C>(k);
        else
            for (int r = 0; r < R; ++r)
                for (int c = 0; c < C; ++c)
                    cell(r, c) = at(k)[r * operands[k].row + c * operands[k].column];
        return cell;
    }
};

// -------------------------------------------------------------- operations

namespace op {

using namespace Eigen;

const auto inv = [](auto f) { f.out_matrix(1) = f.matrix(0).inverse(); };
const auto det = [](auto f) { f.out_scalar(1) = f.matrix(0).determinant(); };

const auto slogdet = [](auto f) {
    const auto d = f.matrix(0).determinant();
    f.out_scalar(1) = (d > 0) - (d < 0);
    f.out_scalar(2) = std::log(std::abs(d));
};

// By the closed inverse up to 4 x 4, by partial pivoting above.
template <class A, class B, class X>
void solution(const A &a, const B &b, X x) {
    if constexpr (N <= 4)
        x.noalias() = a.inverse() * b;
    else
        x = a.partialPivLu().solve(b);
}
const auto solve = [](auto f) { solution(f.matrix(0), f.rhs(1), f.out_rhs(2)); };
const auto solvevec = [](auto f) { solution(f.matrix(0), f.vector(1), f.out_vector(2)); };

const auto cholesky = [](auto f) { f.out_matrix(1) = f.matrix(0).llt().matrixL().toDenseMatrix(); };

const auto cho_solve = [](auto f) {
    const auto l = f.matrix(0);
    auto x = f.rhs(1);
    l.template triangularView<Lower>().solveInPlace(x);
    l.template triangularView<Lower>().transpose().solveInPlace(x);
    f.out_rhs(2) = x;
};

const auto qr = [](auto f) {
    const auto a = f.matrix(0);
    const HouseholderQR<std::decay_t<decltype(a)>> factors(a);
    const std::decay_t<decltype(a)> q = factors.householderQ();
    f.out_matrix(1) = q;
    f.out_matrix(2) = factors.matrixQR().template triangularView<Upper>();
};

const auto lstsq = [](auto f) { f.out_rhs(2) = f.tall(0).colPivHouseholderQr().solve(f.tall_rhs(1)); };
const auto pinv = [](auto f) { f.out_matrix(1) = f.matrix(0).completeOrthogonalDecomposition().pseudoInverse(); };

template <class A>
using Spectrum = SelfAdjointEigenSolver<std::decay_t<A>>;

const auto eigh = [](auto f) {
    const auto a = f.matrix(0);
    const Spectrum<decltype(a)> spectrum(a);
    f.out_vector(1) = spectrum.eigenvalues();
    f.out_matrix(2) = spectrum.eigenvectors();
};

const auto eigh_direct = [](auto f) {
    const auto a = f.matrix(0);
    Spectrum<decltype(a)> spectrum;
    spectrum.computeDirect(a);
    f.out_vector(1) = spectrum.eigenvalues();
    f.out_matrix(2) = spectrum.eigenvectors();
};

const auto eigvalsh = [](auto f) {
    const auto a = f.matrix(0);
    f.out_vector(1) = Spectrum<decltype(a)>(a, EigenvaluesOnly).eigenvalues();
};

const auto eigvalsh_direct = [](auto f) {
    const auto a = f.matrix(0);
    Spectrum<decltype(a)> spectrum;
    f.out_vector(1) = spectrum.computeDirect(a, EigenvaluesOnly).eigenvalues();
};

const auto svd = [](auto f) {
    const auto a = f.matrix(0);
    const JacobiSVD<std::decay_t<decltype(a)>> factors(a, ComputeFullU | ComputeFullV);
    f.out_matrix(1) = factors.matrixU();
    f.out_vector(2) = factors.singularValues();
    f.out_matrix(3) = factors.matrixV().transpose();
};

const auto svdvals = [](auto f) {
    const auto a = f.matrix(0);
    f.out_vector(1) = JacobiSVD<std::decay_t<decltype(a)>>(a).singularValues();
};

const auto matmul = [](auto f) { f.out_matrix(2).noalias() = f.matrix(0) * f.matrix(1); };
const auto matvec = [](auto f) { f.out_vector(2).noalias() = f.matrix(0) * f.vector(1); };
const auto vecmat = [](auto f) { f.out_vector(2).noalias() = f.matrix(1).transpose() * f.vector(0); };
const auto outer = [](auto f) { f.out_matrix(2).noalias() = f.vector(0) * f.vector(1).transpose(); };
const auto trace = [](auto f) { f.out_scalar(1) = f.matrix(0).trace(); };
const auto expm = [](auto f) { f.out_matrix(1) = f.matrix(0).exp(); };

}  // namespace op

// ------------------------------------------------------------------ batches

// `loops` passes over the batch in one call, so that small batches are not charged for the way in.
template <Way way, class T>
void repeat(int64_t loops, const int64_t *batch, const Field<T> *operands) {
    while (loops--) {
        for (int64_t i = 0; i < batch[0]; ++i)
            for (int64_t j = 0; j < batch[1]; ++j)
                op::OP(Cell<T, way>(operands, i, j));
        asm volatile("" ::: "memory");
    }
}

template <Way... ways, class T>
void run(int way, int64_t loops, const int64_t *batch, const Field<T> *operands) {
    ((way == ways ? repeat<ways>(loops, batch, operands) : void()), ...);
}

extern "C" void run_float32(int way, int64_t loops, const int64_t *batch, const Field<float> *operands) {
    run<WAYS>(way, loops, batch, operands);
}

extern "C" void run_float64(int way, int64_t loops, const int64_t *batch, const Field<double> *operands) {
    run<WAYS>(way, loops, batch, operands);
}
