import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Kernels } from '../../src/kernels/index.js';
import { typedKey } from '../../src/routing/typed-key.js';
import { type Batch, LineError, malformed } from '../../src/rows/batch.js';
import { JsonBatches, type NdjsonFormat } from '../../src/rows/sources/ndjson.js';
import { onBothBackends } from '../support/backends.js';
import { anyCharacter } from '../support/characters.js';
import { recordsOf, type Seen, shown } from '../support/records.js';
import { scaled } from '../support/scale.js';

const A: NdjsonFormat = { format: 'ndjson', paths: [['a']], added: [] };

function cut(kernels: Kernels, text: string, keys = A, ...byteLengths: number[]): Seen[] {
  const batches = new JsonBatches(kernels, keys);
  const seen = recordsOf(batches, Buffer.from(text), ...byteLengths);
  batches.free();
  return seen;
}

function error(line: number, expected: string, text: string): unknown[] {
  return [line, malformed(line, expected, Buffer.from(text)).error.message, text];
}

onBothBackends('records of NDJSON', (kernels) => {
  it('have their line and their key, without escapes', () => {
    const text = '\ufeff{"a":"x"}\r\n{"a":"\\u00e9\\n"} \n{"a":1e3}';
    for (let byteLength = 1; byteLength < text.length; byteLength++)
      expect(cut(kernels, text, A, byteLength)).toEqual([
        [1, '{"a":"x"}', 'x'],
        [2, '{"a":"\\u00e9\\n"} ', 'é\n'],
        [3, '{"a":1e3}', '1e3'],
      ]);
  });

  it('have keys along several paths, as typedKey writes two', () => {
    const keys = { ...A, paths: [['b', 'c'], ['a']] };
    const text = '{"a":"x","b":{"c":"\\u00fc:"}}\n{"a":1,"b":{"c":""}}\n';
    expect(cut(kernels, text, keys).map((one) => (one as readonly [number, string, string])[2])).toEqual([
      typedKey('ü:', 'x'),
      typedKey('', '1'),
    ]);
  });

  it('that are malformed are errors with line, reason and bytes, and the others go on', () => {
    const deep = '['.repeat(1025);
    const text = `{"a":1}\n{"a":\n \t\r\n5\n{"a":{}}\n{"a":2}\n{"a":3,"shard":1}\n${deep}\n{"a":4}`;
    const expected = [
      [1, '{"a":1}', '1'],
      error(2, 'JSON', '{"a":'),
      error(4, 'a JSON object', '5'),
      error(5, 'a string, a number or a boolean at a', '{"a":{}}'),
      [6, '{"a":2}', '2'],
      error(7, 'no property named shard', '{"a":3,"shard":1}'),
      error(8, 'at most 1024 objects and arrays within each other', deep),
      [9, '{"a":4}', '4'],
    ];
    for (const byteLength of [1, 2, 3, 7, 100, 10_000])
      expect(shown(cut(kernels, text, { ...A, added: ['shard'] }, byteLength))).toEqual(expected);
  });

  it('may have no key, or a part of it that is NULL', () => {
    const format = { ...A, paths: [['a'], ['b', 'c']] };
    const text = '{"a":1,"b":{"c":2}}\n{"a":"\\u00fc","b":{"c":null}}\n{"b":{"c":3}}\n{"a":4,"b":5}\n';
    const batches = new JsonBatches(kernels, format);
    const found = batches.add(Buffer.from(text)) as Iterable<Batch>;
    const told = Array.from(found, (batch) => {
      const [column, got] = batch.lackOf(0);
      return [batch.nulls?.[0], batch.nulls && [batch.nameOf(column), got], batch.lineOf(0)];
    });
    expect(told).toEqual([
      [undefined, undefined, 1],
      [1, ['b.c', null], 2],
      [1, ['a', undefined], 3],
      [1, ['b.c', undefined], 4],
    ]);
    batches.free();
  });

  it('are not empty lines, wherever those are', () => {
    const text = `\n\r\n{"a":1}\n \n\t\r\n{"a":2}\r\n\n`;
    for (const byteLength of [1, 2, 3, 7, 100])
      expect(cut(kernels, text, A, byteLength)).toEqual([
        [3, '{"a":1}', '1'],
        [6, '{"a":2}', '2'],
      ]);
    expect(cut(kernels, '\n'.repeat(20_000))).toEqual([]);
  });

  it('know where their last brace is', () => {
    const batches = new JsonBatches(kernels, A);
    const bytes = Buffer.from('{"a":1} \n{"a":{},"a":2}\t\r\n');
    batches.room().set(bytes);
    batches.filled(bytes.length);
    const records = batches.next() as Batch;
    expect([...(records.records.closes ?? [])]).toEqual([6, 22]);
    expect([...records.records.starts]).toEqual([0, 9, bytes.length]);
    batches.free();
  });

  it('know where the one after them starts, also behind the last one without a newline', () => {
    const batches = new JsonBatches(kernels, A);
    const bytes = Buffer.from('{"a":1}\n{"a":2}\n{"a":3}');
    batches.room().set(bytes);
    batches.filled(bytes.length);
    expect([...(batches.next() as Batch).records.starts]).toEqual([0, 8, 16]);
    batches.ended();
    expect([...(batches.next() as Batch).records.starts]).toEqual([16, 23]);
    batches.free();
  });

  it('have the same key several times, if it is asked for', () => {
    const keys = { ...A, paths: [['a'], ['a'], ['a']] };
    const a = 'x'.repeat(1000);
    expect(cut(kernels, `{"a":"${a}"}\n`, keys)).toEqual([[1, `{"a":"${a}"}`, `1000:${a}:1000:${a}:${a}`]]);
  });

  it('may be long, and have many escapes', () => {
    const long = 'x'.repeat(500_000);
    const escaped = '\n'.repeat(50_000);
    const text = `${JSON.stringify({ b: long, a: 1 })}\n${JSON.stringify({ a: escaped })}\n`;
    const seen = cut(kernels, text, A) as [number, string, string][];
    expect([seen[0]?.[2], seen[1]?.[2] === escaped]).toEqual(['1', true]);
  });

  it('that are too long are errors, after those before them', () => {
    const batches = new JsonBatches(kernels, A, 300_000);
    const bytes = (length: number) => Buffer.from(`{"a":1}\n{"a":"${'x'.repeat(length - 8)}"}\n{"a":2}\n`);
    expect(recordsOf(batches, bytes(300_000))).toHaveLength(3);
    batches.restart();
    const tooLong = new LineError(2, 'at most 300000 bytes in a line', 300_001);
    expect(() => recordsOf(batches, bytes(300_001))).toThrow(tooLong);
    batches.free();
  });

  it('are the same however they come, and as JSON.parse has them', () => {
    const batches = new JsonBatches(kernels, A);
    const line = fc.oneof(
      fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue(), { minKeys: 1 }).map((record) => JSON.stringify(record)),
      fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => `{"a":${JSON.stringify(text)}}`),
      fc
        .array(fc.constantFrom('{', '}', '"', 'a', ':', '1', '\r', ' '), { maxLength: 10 })
        .map((units) => units.join('')),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
        (lines, pieces) => {
          const bytes = Buffer.from(lines.join('\n'));
          batches.restart();
          const whole = recordsOf(batches, bytes);
          batches.restart();
          expect(shown(recordsOf(batches, bytes, ...pieces))).toEqual(shown(whole));
          for (const one of whole) {
            const [record, key] = 'kind' in one ? [Buffer.from(one.bytes).toString()] : one.slice(1);
            const value = attempt(() => JSON.parse(String(record))) as { a?: unknown } | null | undefined;
            const a = value?.a;
            const isKey = ['string', 'number', 'boolean'].includes(typeof a);
            const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
            expect(key !== undefined).toBe(isKey || (isObject && (a ?? null) === null));
            if (typeof a === 'string') expect(key).toBe(Buffer.from(a).toString());
            else if (isKey) expect(JSON.parse(String(key))).toBe(a);
          }
        },
      ),
      { numRuns: scaled(5000, 50) },
    );
    batches.free();
  });
});

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
