import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BY_HAND, routingByHand } from '../../src/detect/by-hand.js';
import { detectRouting } from '../../src/detect/index.js';
import { scaled } from '../support/scale.js';

const N = 1_000_003; // a prime, so that few hashes meet
const LONG = 'a longer key: grüße, 日本';
const users = Array.from({ length: scaled(300, 3) }, (_, i) => `user:${i}`);

function shardOf(name: string, key: string, n = N): number {
  const found = BY_HAND.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no hash is named ${name}`);
  return routingByHand(found, n).route(key);
}

describe('a hash that people write by hand', () => {
  // Adler-32: the example of its article in Wikipedia. FNV: draft-eastlake-fnv, appendix C. djb2, sdbm and hashCode: computed
  // by hand from their definitions. murmur3: the test vectors of Apache Commons Codec.
  it.each([
    ['Adler-32 % n', 'Wikipedia', 0x11e60398],
    ['FNV-1 % n', 'foobar', 0x31f0b262],
    ['FNV-1a % n', 'foobar', 0xbf9cf968],
    ['64-bit FNV-1 % n', 'foobar', 0x340d8765a4dda9c2n],
    ['64-bit FNV-1a % n', 'foobar', 0x85944171f73967e8n],
    ['djb2 % n', 'hello', 261238937],
    ['sdbm % n', 'hello', 684824882],
    ['hashCode % n', 'hello', 99162322],
    ['murmur3 % n', 'hello', 0x248bfa47],
    ['CRC32 % n', '123456789', 0xcbf43926],
    // The catalogue of parametrised CRC algorithms, by Greg Cook: the check of each.
    ['CRC-16/XMODEM % n', '123456789', 0x31c3],
    ['CRC-16/ARC % n', '123456789', 0xbb3d],
    // The README of Python's mmh3: hash128('foo'), and the first of hash64('foo').
    ['all of murmur3_128 % n', 'foo', 168394135621993849475852668931176482145n],
    ['the first 64 bits of murmur3_128 % n', 'foo', BigInt.asUintN(64, -2129773440516405919n)],
    ['abs(the first 64 bits of murmur3_128) % n', 'foo', 2129773440516405919n],
    ['(the first 32 bits of murmur3_128 & 0x7fffffff) % n', 'foo', BigInt.asUintN(31, -2129773440516405919n)],
    // Compiled by gcc for x86-64, where unsigned long has 64 bits.
    ['64-bit djb2 % n', LONG, 16259538783202839659n],
    ['abs(64-bit djb2) % n', LONG, 2187205290506711957n],
    ['floorMod(64-bit djb2, n)', LONG, BigInt(N) - (2187205290506711957n % BigInt(N))],
    ['(64-bit djb2 & 0x7fffffffffffffff) % n', LONG, BigInt.asUintN(63, 16259538783202839659n)],
    ['djb2 % n', LONG, BigInt.asUintN(32, 16259538783202839659n)],
    ['64-bit djb2a % n', LONG, 10183010242209469481n],
    ['64-bit sdbm % n', LONG, 16466279641943660526n],
    ['sdbm % n', LONG, BigInt.asUintN(32, 16466279641943660526n)],
    ['64-bit 31-polynomial % n', LONG, 10338302755075045422n],
    ['31-polynomial % n', LONG, 3232806958],
  ])('%s of %s', (name, key, hash) => {
    expect(shardOf(name, key)).toBe(Number(BigInt(hash) % BigInt(N)));
  });

  it.each(['MD5', 'SHA-1', 'SHA-256'])('is %s of Node.js, whole and in parts', (name) => {
    const hex = createHash(name.replace('-', '')).update('user:1').digest('hex');
    const modulo = (part: string) => Number(BigInt(`0x${part}`) % BigInt(N));
    expect(shardOf(`all of ${name} % n`, 'user:1')).toBe(modulo(hex));
    expect(shardOf(`the first 32 bits of ${name} % n`, 'user:1')).toBe(modulo(hex.slice(0, 8)));
    expect(shardOf(`the first 64 bits of ${name} % n`, 'user:1')).toBe(modulo(hex.slice(0, 16)));
    expect(shardOf(`the last 32 bits of ${name} % n`, 'user:1')).toBe(modulo(hex.slice(-8)));
    expect(shardOf(`the last 64 bits of ${name} % n`, 'user:1')).toBe(modulo(hex.slice(-16)));
    const most = 2 ** 31 - 1;
    expect(shardOf(`all of ${name} % n`, 'user:1', most)).toBe(Number(BigInt(`0x${hex}`) % BigInt(most)));
  });

  it.each(BY_HAND.map(({ name }) => name))('is named: %s', (name) => {
    const byHand = BY_HAND.find((one) => one.name === name);
    const routing = routingByHand(byHand as (typeof BY_HAND)[number], 13);
    const shards = users.map((user) => routing.route(user));
    const { verdict } = detectRouting(users, shards);
    expect([verdict?.name, ...(verdict?.also ?? [])]).toContain(name.replaceAll(/\bn\b/g, '13'));
    expect(verdict?.routing.routeMany(users)).toEqual(Uint32Array.from(shards));
    expect(routing.toJSON()).toEqual({ hash: name, shards: 13 });
  });

  it('takes a lone surrogate as U+FFFD, as TextEncoder does', () => {
    for (const { name } of BY_HAND.filter(({ name }) => !/hashCode/.test(name))) {
      expect(shardOf(name, 'a\ud800'), name).toBe(shardOf(name, 'a\ufffd'));
    }
  });

  // Integer.hashCode is the value, and Long.hashCode the XOR of its halves.
  it.each([
    ['int32', "abs(hashCode) % 12, as ShardingSphere's HASH_MOD and Pekko", (code: number) => Math.abs(code) % 12],
    ['int64', "abs(hashCode) % 12, as ShardingSphere's HASH_MOD and Pekko", (code: number) => Math.abs(code) % 12],
    [
      'int64',
      '(List.of(key).hashCode() & 0x7fffffff) % 12, as Hudi',
      (code: number) => ((code + 31) & 0x7fffffff) % 12,
    ],
  ] as const)("is Java's of integers, as %s: %s", (kind, name, shardOfCode) => {
    const ids = BigInt64Array.from(users, (_, i) => (kind === 'int32' ? -7919n : -(7919n ** 4n)) * BigInt(i));
    const codes = Array.from(ids, (id) =>
      kind === 'int32' ? Number(id) : Number(BigInt.asIntN(32, id ^ (id >> 32n))),
    );
    const shards = Uint32Array.from(codes, shardOfCode);
    for (const keys of [ids, Array.from(ids, String)]) {
      const { verdict } = detectRouting(keys, shards);
      expect([verdict?.name, ...(verdict?.also ?? [])]).toContain(`${name}, keys as ${kind}`);
      expect(verdict?.options).toBeUndefined();
    }
    const { verdict } = detectRouting(ids, shards);
    const [column, one] = kind === 'int32' ? [Int32Array.from(ids, Number), Number(ids[5])] : [ids, ids[5]];
    expect(verdict?.routing.routeMany(column as never)).toEqual(shards);
    expect(verdict?.routing.route(one)).toBe(shards[5]);
  });

  it('is no option of route', () => {
    const shards = users.map((user) => crc32(user));
    const { verdict } = detectRouting(
      users,
      shards.map((crc) => (crc & 0x7fffffff) % 12),
    );
    expect(verdict).toMatchObject({ name: '(CRC32 & 0x7fffffff) % 12', options: undefined });
    expect(verdict?.routing.route('user:5')).toBe((shards[5] & 0x7fffffff) % 12);
    expect(verdict?.routing.route(new TextEncoder().encode('user:5'))).toBe((shards[5] & 0x7fffffff) % 12);
  });

  it('of other keys than text is an error', () => {
    const routing = routingByHand(BY_HAND[0], 12);
    expect(() => routing.route(1n)).toThrow(TypeError);
    expect(() => routing.routeMany(BigUint64Array.of(1n))).toThrow('"keys": expected strings or a BytesColumn');
  });
});
