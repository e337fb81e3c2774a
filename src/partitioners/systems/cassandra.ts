import { checkAttached, typeName, wrongKind, wrongValue } from '../../arguments.js';
import { joined } from '../columns.js';
import { BIG_ENDIAN, type Encodings, hashersOf, int8AsByte, mapped, uuidAsBytes } from '../hash.js';
import { Bounds, type System } from '../system.js';

export interface CassandraOptions {
  /** The tokens of the ring, ascending. Without them, only `tokens` works, and routing throws. */
  tokens?: BigInt64Array | undefined;
}

const SIGN = 0x80000000;

/** Dates are days above -2^31, times nanoseconds, and timestamps milliseconds. */
const ENCODINGS: Encodings = {
  int8: int8AsByte,
  ...BIG_ENDIAN,
  uuid: uuidAsBytes,
  date: mapped(BIG_ENDIAN.int32, (day: number) => day ^ SIGN),
  time: mapped(BIG_ENDIAN.int64, (us: bigint) => us * 1000n),
  timestamp: mapped(BIG_ENDIAN.int64, (us: bigint) => (us - (((us % 1000n) + 1000n) % 1000n)) / 1000n),
};

/**
 * Cassandra's and ScyllaDB's Murmur3Partitioner. A shard is the index of the first token of the ring at or after the
 * token of the key, or 0 if the key's token is after the last one. A key may have several columns.
 * Source: apache/cassandra `utils/MurmurHash.hash3_x64_128`, `dht/Murmur3Partitioner`.
 */
export const cassandra: System<CassandraOptions> = {
  options: ['tokens'],
  noun: 'token',
  configure({ tokens: ring }) {
    if (ring !== undefined) checkRing(ring);
    const owners =
      ring && new Bounds(new BigUint64Array(ring.length).map((_, i) => BigInt.asUintN(64, ring[i] ^ -(2n ** 63n))));
    const count = ring?.length ?? 0;
    return {
      shards: count,
      hashers: hashersOf('murmur3Cassandra', ENCODINGS),
      columns: joined('murmur3Cassandra'),
      tokens: 'i64',
      toShard: {
        column(tokens: BigInt64Array, shards) {
          if (owners === undefined) throw wrongKind('tokens', 'the tokens of the ring in a BigInt64Array', ring);
          owners.countBelow(tokens, SIGN, shards);
          for (let i = 0; i < shards.length; i++) if (shards[i] === count) shards[i] = 0;
        },
      },
      json: { tokens: ring && Array.from(ring, String) },
    };
  },
};

function checkRing(ring: BigInt64Array): void {
  if (typeName(ring) !== 'BigInt64Array') throw wrongKind('tokens', 'a BigInt64Array', ring);
  checkAttached('tokens', ring);
  if (ring.length === 0) throw wrongValue('tokens', 'at least one token', ring);
  for (let row = 1; row < ring.length; row++) {
    const previous = ring[row - 1];
    if (ring[row] <= previous) throw wrongValue('tokens', `a token above ${previous}`, ring[row], row);
  }
}
