import { xxh64Many } from 'shardbits';
import { type Area, copying, onBackends } from '../area.js';
import { byteStrings, u64s } from '../inputs.js';

export function hashing(rows: number): Area[] {
  const keys = u64s(rows);
  const hashes = new BigUint64Array(rows);
  return [
    {
      name: 'xxh64-u64',
      title: 'xxh64Many, u64 keys',
      rows,
      bytesPerRow: 16,
      ways: [
        ...onBackends(rows, (count) => [xxh64Many(keys.subarray(0, count), { out: hashes.subarray(0, count) })]),
        {
          name: 'specialised',
          run() {
            for (let i = 0; i < rows; i++) {
              let lane = BigInt.asUintN(64, keys[i] * 0xc2b2ae3d27d4eb4fn);
              lane = BigInt.asUintN(64, BigInt.asUintN(64, lane << 31n) | (lane >> 33n));
              let acc = BigInt.asUintN(64, 0x27d4eb2f165667cdn ^ BigInt.asUintN(64, lane * 0x9e3779b185ebca87n));
              acc = BigInt.asUintN(64, BigInt.asUintN(64, acc << 27n) | (acc >> 37n));
              acc = BigInt.asUintN(64, BigInt.asUintN(64, acc * 0x9e3779b185ebca87n) + 0x85ebca77c2b2ae63n);
              acc = BigInt.asUintN(64, (acc ^ (acc >> 33n)) * 0xc2b2ae3d27d4eb4fn);
              acc = BigInt.asUintN(64, (acc ^ (acc >> 29n)) * 0x165667b19e3779f9n);
              hashes[i] = acc ^ (acc >> 32n);
            }
            return [hashes];
          },
        },
        copying(keys, hashes),
      ],
    },
    ...[10, 70].map((byteLength) => {
      const column = byteStrings(rows, byteLength);
      return {
        name: `xxh64-bytes-${byteLength}`,
        title: `xxh64Many, a BytesColumn of rows of ${byteLength} bytes`,
        rows,
        bytesPerRow: byteLength + 4 + 8,
        ways: [
          ...onBackends(rows, (count) => [
            xxh64Many(
              { data: column.data, offsets: column.offsets.subarray(0, count + 1) },
              { out: hashes.subarray(0, count) },
            ),
          ]),
          copying(column.data, column.offsets, hashes),
        ],
      };
    }),
  ];
}
