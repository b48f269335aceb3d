// Eigen's fixed-size matrices in a loop over a two-axis batch, as one would write it by hand.
// Closed forms up to 4 x 4 (Eigen's `inverse`), partial pivoting above. Strides are in elements.
// Compiled once per SIZE of the matrices.

#include <Eigen/Dense>
#include <cstdint>

template <class T>
struct Field {
    T *data;
    int64_t step[2];  // to the next cell, along each batch axis
    int64_t row, column;
};

// How a cell is read: element by element, or at once into either of Eigen's storage orders.
enum Way { STRIDED, ROWS, COLUMNS };

template <class T, int M, int N>
struct Cell {
    // Eigen insists on one order for vectors.
    static constexpr int order(Way way) {
        return N == 1 ? Eigen::ColMajor : M == 1 ? Eigen::RowMajor : way == COLUMNS ? Eigen::ColMajor : Eigen::RowMajor;
    }
    using Map = Eigen::Map<Eigen::Matrix<T, M, N, order(ROWS)>>;

    static Map at(const Field<T> &f, int64_t i, int64_t j) { return Map(f.data + i * f.step[0] + j * f.step[1]); }

    template <Way way>
    static auto load(const Field<T> &f, int64_t i, int64_t j) {
        Eigen::Matrix<T, M, N, order(way)> cell;
        if constexpr (way != STRIDED)
            cell = at(f, i, j);
        else
            for (int r = 0; r < M; ++r)
                for (int c = 0; c < N; ++c)
                    cell(r, c) = f.data[i * f.step[0] + j * f.step[1] + r * f.row + c * f.column];
        return cell;
    }
};

// `loops` passes over the batch in one call, so that small batches are not charged for the way in.
template <class Body>
void repeat(int64_t loops, const int64_t *batch, Body body) {
    while (loops--) {
        for (int64_t i = 0; i < batch[0]; ++i)
            for (int64_t j = 0; j < batch[1]; ++j)
                body(i, j);
        asm volatile("" ::: "memory");
    }
}

template <class T, int C, Way way>
void inv(int64_t loops, const int64_t *batch, const Field<T> *f) {
    using Square = Cell<T, C, C>;
    repeat(loops, batch, [&](int64_t i, int64_t j) {
        Square::at(f[1], i, j) = Square::template load<way>(f[0], i, j).inverse();
    });
}

template <class T, int C, Way way>
void det(int64_t loops, const int64_t *batch, const Field<T> *f) {
    repeat(loops, batch, [&](int64_t i, int64_t j) {
        *Cell<T, 1, 1>::at(f[1], i, j).data() = Cell<T, C, C>::template load<way>(f[0], i, j).determinant();
    });
}

template <class T, int C, int K, Way way>
void solve(int64_t loops, const int64_t *batch, const Field<T> *f) {
    using Rhs = Cell<T, C, K>;
    repeat(loops, batch, [&](int64_t i, int64_t j) {
        const auto a = Cell<T, C, C>::template load<way>(f[0], i, j);
        const auto b = Rhs::template load<way>(f[1], i, j);
        if constexpr (C <= 4)
            Rhs::at(f[2], i, j).noalias() = a.inverse() * b;
        else
            Rhs::at(f[2], i, j) = a.partialPivLu().solve(b);
    });
}

enum Op { INV, DET, SOLVE_VECTOR, SOLVE_MATRIX };
constexpr int RHS = 3;  // columns of the matrix right-hand side

template <class T, Way way>
void run(int op, int64_t loops, const int64_t *batch, const Field<T> *f) {
    switch (op) {
        case INV: return inv<T, SIZE, way>(loops, batch, f);
        case DET: return det<T, SIZE, way>(loops, batch, f);
        case SOLVE_VECTOR: return solve<T, SIZE, 1, way>(loops, batch, f);
        case SOLVE_MATRIX: return solve<T, SIZE, RHS, way>(loops, batch, f);
    }
}

template <class T>
void run(int op, int way, int64_t loops, const int64_t *batch, const Field<T> *f) {
    switch (way) {
        case STRIDED: return run<T, STRIDED>(op, loops, batch, f);
        case ROWS: return run<T, ROWS>(op, loops, batch, f);
        case COLUMNS: return run<T, COLUMNS>(op, loops, batch, f);
    }
}

extern "C" void run_float32(int op, int way, int64_t loops, const int64_t *batch, const Field<float> *f) {
    run(op, way, loops, batch, f);
}

extern "C" void run_float64(int op, int way, int64_t loops, const int64_t *batch, const Field<double> *f) {
    run(op, way, loops, batch, f);
}
