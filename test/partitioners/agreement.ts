import { afterEach, describe, expect, it } from 'vitest';
import { getBackend, setBackend } from '../../src/index.js';
import { utf8 } from '../support/bytes.js';
import '../support/equality.js';
import { IS_WHOLE } from '../support/scale.js';
import {
  type AnyPartitioner,
  bigints,
  bytesColumn,
  columnOf,
  columnsOf,
  formsOf,
  isUtf16,
  kindsOf,
  make,
  SAMPLES,
  SYSTEMS,
  titleOf,
} from './samples.js';

const MANY = 16_384 + 100; // more rows than go through the kernels at a time

const LONG = ['y'.repeat(32_769), 'a', `${'é'.repeat(33_000)}!`, ''];
const LONGEST = [...LONG, `${'z'.repeat(300_000)}你`];
const LONE = ['\ud800', '\udfff', 'a\ud800', '\udc00\ud800', 'é\udbff你', `${'x'.repeat(33_000)}\ud83d`];
const NOT_UTF8 = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0x61, 0x80]].map((row) => Uint8Array.from(row));

/** Something computed on each backend, which has to be the same on both. */
function onEach<Result>(compute: () => Result): Result {
  setBackend('wasm');
  const wasm = compute();
  setBackend('bigint');
  expect(compute()).toEqual(wasm);
  return wasm;
}

const repeated = <Row>(rows: ArrayLike<Row>): Row[] =>
  Array.from({ length: MANY }, (_, row) => rows[row % rows.length]);

function repeatedTokens(tokens: ReturnType<AnyPartitioner['tokens']>): unknown {
  return (tokens.constructor as typeof Int32Array).from(repeated(tokens as Int32Array));
}

/**
 * Tests that both backends give the same for every form of keys.
 * @param many how many keys
 * @param isWhole whether all variants of a system have columns of several pieces, and texts longer than a piece
 */
export function testAgreement(many: number, isWhole: boolean): void {
  const users = Array.from({ length: many }, (_, row) => `user:${row}`);
  const userBytes = bytesColumn(users.map(utf8));

  describe.each(SYSTEMS.map((one) => [titleOf(one), one] as const))('%s gives the same', (_, one) => {
    const { system, options } = one;
    const kinds = kindsOf(system, options);
    afterEach(() => setBackend('auto'));

    it.each(kinds)('for every form of a key and of a column: %s', (kind) => {
      const made = make(system, { ...options, key: kind });
      const keys = SAMPLES[kind];
      const [first, ...others] = columnsOf(kind, keys);
      const [shards, tokens] = onEach(() => [made.routeMany(first), made.tokens(first)]);
      onEach(() => {
        const seen = keys.map((key) => [...new Set(formsOf(kind, key).map((form) => made.route(form)))]);
        expect(seen).toEqual(Array.from(shards, (shard) => [shard]));
      });
      setBackend('wasm');
      for (const column of others) expect([made.routeMany(column), made.tokens(column)]).toEqual([shards, tokens]);
    });

    const hasLong = isWhole || SYSTEMS.find((other) => other.system === system) === one;
    it.each(kinds.filter((kind) => hasLong && kind !== 'text'))('for long columns: %s', (kind) => {
      const made = make(system, { ...options, key: kind });
      const keys = SAMPLES[kind].slice(0, 31);
      const shards = Uint32Array.from(repeated(made.routeMany(columnOf(kind, keys))));
      const tokens = repeatedTokens(made.tokens(columnOf(kind, keys)));
      for (const column of IS_WHOLE ? columnsOf(kind, repeated(keys)) : [columnOf(kind, repeated(keys))]) {
        expect(made.routeMany(column)).toEqual(shards);
        expect(made.tokens(column)).toEqual(tokens);
      }
    });

    if (!kinds.includes('text')) return;
    it('for many keys as strings, as bytes and one by one', () => {
      const made = make(system, options);
      const shards = onEach(() => made.routeMany(users));
      onEach(() => {
        const step = isWhole || getBackend() === 'wasm' ? 1 : 7;
        for (let row = 0; row < users.length; row += step) {
          const shard = made.route(users[row]);
          if (shard !== shards[row]) expect([users[row], shard]).toEqual([users[row], shards[row]]);
        }
      });
      setBackend('wasm');
      expect(made.routeMany(userBytes)).toEqual(shards);
      expect(made.tokens(users)).toEqual(made.tokens(userBytes));
      expect(Math.max(...shards)).toBeLessThan(made.shards);
    });

    it('for long texts', () => {
      const long = isWhole ? LONGEST : LONG;
      const made = make(system, options);
      const shards = onEach(() => made.routeMany(long));
      expect(onEach(() => Uint32Array.from(long, (key) => made.route(key)))).toEqual(shards);
      setBackend('wasm');
      expect(made.routeMany(bytesColumn(long.map(utf8)))).toEqual(shards);
    });

    it('for lone surrogates, which are U+FFFD in UTF-8 and themselves in UTF-16', () => {
      const made = make(system, options);
      const shards = onEach(() => made.routeMany(LONE));
      expect(onEach(() => Uint32Array.from(LONE, (key) => made.route(key)))).toEqual(shards);
      const replaced = LONE.map((key) => key.replaceAll(/\p{Surrogate}/gu, '\ufffd'));
      const [tokens, others] = onEach(() => [bigints(made.tokens(LONE)), bigints(made.tokens(replaced))]);
      for (const [row, token] of tokens.entries()) expect(token === others[row]).toBe(!isUtf16(one));
    });

    if (!kinds.includes('bytes') || system === 'mongodb') return; // which hashes the type, too
    it('for bytes that are not UTF-8, as text and as bytes', () => {
      const [text, bytes] = [make(system, options), make(system, { ...options, key: 'bytes' })];
      const column = bytesColumn(NOT_UTF8);
      expect(onEach(() => text.tokens(column))).toEqual(onEach(() => bytes.tokens(column)));
      expect(text.routeMany(column)).toEqual(Uint32Array.from(NOT_UTF8, (row) => bytes.route(row)));
    });
  });
}
