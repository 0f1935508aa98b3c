// sum[key[r]] += dx[r], r ascending: the gradients of tables. dx [R,C],
// sum f32[rows,C]; key absent: r mod L. A negative key is padding; with ends it
// ends the list.
//
//   embed.grad  key = ids            embed.rows  key = row
//   pos.grad    key = positions      embed.add   key = rowids, ends, no ctl
//
// The first micro-batch (ctl says store) clears rows without a key; without ctl
// the sum always continues. A block owns one row of sum and up to 1024 columns:
// it looks through all keys, 32 at a time, and takes its own in order, so every
// element is one chain over r and no atomic operation is needed.
#include "control.cuh"
#include "storage.cuh"

const int SCATTER_COLUMNS = 8; // of a thread, 128 apart

template <class T>
GP_DEVICE void scatter(float* sum, const T* dx, const int* key, const double* ctl, i64 R, i64 L, i64 C, bool ends) {
	i64 row = blockIdx.x, first = (i64)blockIdx.y * 128 * SCATTER_COLUMNS + threadIdx.x;
	int lane = threadIdx.x & 31;
	bool more = !ctl || gp_accumulate(ctl), found = !more;
	float acc[SCATTER_COLUMNS];
	GP_UNROLL
	for (int k = 0; k < SCATTER_COLUMNS; k++) {
		i64 c = first + 128 * k;
		acc[k] = more && c < C ? sum[row * C + c] : 0.0f;
	}
	for (i64 r0 = 0; r0 < R; r0 += 32) {
		i64 r = r0 + lane;
		int own = r < R ? (key ? key[r] : (int)(r % L)) : -1;
		u32 mine = gp_ballot(own == row);
		if (ends) {
			u32 stop = gp_ballot(own < 0);
			if (stop) {
				mine &= (stop & -stop) - 1u; // those before the first negative one
				R = r0;
			}
		}
		for (; mine; mine &= mine - 1u) {
			i64 at = (r0 + __builtin_ctz(mine)) * C;
			found = true;
			GP_UNROLL
			for (int k = 0; k < SCATTER_COLUMNS; k++) {
				i64 c = first + 128 * k;
				if (c < C) acc[k] += gp_widen(dx[at + c]);
			}
		}
	}
	GP_UNROLL
	for (int k = 0; k < SCATTER_COLUMNS; k++) {
		i64 c = first + 128 * k;
		if (found && c < C) sum[row * C + c] = acc[k];
	}
}

#define ENTRY(N, T)                                                                                                               \
	GP_KERNEL(128) scatter_##N(float* sum, const T* dx, const int* key, const double* ctl, i64 R, i64 L, i64 C, i64 ends) { \
		scatter(sum, dx, key, ctl, R, L, C, ends != 0);                                                                     \
	}                                                                                                                         \
	GP_REGISTER(scatter_##N)
GP_STORED(ENTRY)
