import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigint, wasm } from '../../src/kernels/index.js';
import '../support/equality.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { IS_FULL } from '../support/scale.js';

const U64_MAX = 0xffffffffffffffffn;
const SEEDS = [0n, 1n, 1n << 63n, U64_MAX] as const;
const ROWS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 16383, 16384, 16385, 32769] as const;

describe('WebAssembly and BigInt give the same hashes', () => {
  it('of bytes of every length from 0 to 300', () => {
    const data = randomBytes(300);
    for (let length = 0; length <= 300; length++) {
      for (const seed of SEEDS) {
        const bytes = data.subarray(0, length);
        expect(wasm.xxh64(bytes, seed), `${length}, seed ${seed}`).toBe(bigint.xxh64(bytes, seed));
      }
    }
  });

  it('of bytes around the size of an internal piece', () => {
    const data = randomBytes(600_000);
    for (const length of [262_112, 262_143, 262_144, 262_145, 262_176, 524_287, 524_288, 524_289, 600_000]) {
      const bytes = data.subarray(0, length);
      expect(wasm.xxh64(bytes, 3n), String(length)).toBe(bigint.xxh64(bytes, 3n));
    }
  });

  it.each(ROWS)('of a column of %i u64s', (rows) => {
    const keys = randomU64s(rows);
    for (const seed of IS_FULL || rows < 10 ? SEEDS : SEEDS.slice(-1)) {
      const hashes = [wasm, bigint].map((kernels) => {
        const out = new BigUint64Array(rows);
        kernels.xxh64U64Column(keys, seed, out);
        return out;
      });
      expect(hashes[0]).toEqual(hashes[1]);
    }
  });

  it.each(ROWS)('of a column of %i spans', (rows) => {
    const starts = new Uint32Array(rows);
    const ends = new Uint32Array(rows);
    let end = 11;
    randomU64s(rows).forEach((value, row) => {
      starts[row] = end + Number(value & 3n); // gaps between rows, as newlines are
      end = ends[row] = starts[row] + Number((value >> 8n) % 50n);
    });
    const spans = { data: randomBytes(end + 5), starts, ends };
    const hashes = [wasm, bigint].map((kernels) => {
      const out = new BigUint64Array(rows);
      kernels.xxh64SpanColumn(spans, 9n, out);
      return out;
    });
    expect(hashes[0]).toEqual(hashes[1]);
  });

  it('of whatever bytes and seed', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300, size: 'max' }),
        fc.bigInt({ min: 0n, max: U64_MAX }),
        (data, seed) => {
          expect(wasm.xxh64(data, seed)).toBe(bigint.xxh64(data, seed));
        },
      ),
    );
  });
});
