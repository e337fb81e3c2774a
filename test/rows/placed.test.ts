import { describe, expect, it } from 'vitest';
import type { Kernels } from '../../src/kernels/index.js';
import { typedKey } from '../../src/routing/typed-key.js';
import { type Batch, Refused } from '../../src/rows/batch.js';
import { checkLineFormat, checkRecordFormat, type RecordFormat, sourceOf } from '../../src/rows/format.js';
import { shardReader } from '../../src/rows/shard-column.js';
import { onBothBackends } from '../support/backends.js';

type Row = readonly [line: number, key: string, shard: number] | string;

/** The keys and shards of rows, and what is said of malformed ones, reading so many bytes at a time. */
function rowsIn(text: string, format: ReturnType<typeof checkRecordFormat>, byteLength = 7): Row[] {
  const source = sourceOf(format ?? checkLineFormat('placed lines', undefined, undefined));
  const read = shardReader(source.kernels);
  const rows: Row[] = [];
  const take = () => {
    for (const piece of source.drain()) {
      if (piece.kind === 'invalid') rows.push(`${piece.error.message}`);
      if (piece.kind === 'batch') rows.push(...rowsOf(piece, read(piece)));
    }
  };
  source.restart();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += byteLength) {
    const some = bytes.subarray(at, at + byteLength);
    source.room().set(some);
    source.filled(some.length);
    take();
  }
  source.ended();
  take();
  source.free();
  return rows;
}

function rowsOf(batch: Batch, shards: Uint32Array | Refused): Row[] {
  if (shards instanceof Refused) throw shards.error;
  const { data, starts, ends } = batch.keys;
  return Array.from(shards, (shard, row) => {
    const key = Buffer.from(data.subarray(starts[row], ends[row])).toString();
    return [batch.lineOf(row), key, shard] as const;
  });
}

const format = (records: RecordFormat, shard: string | number) => checkRecordFormat(records, [], shard);

onBothBackends('rows that say their shard', (_: Kernels) => {
  it('as lines have it before the first tab', () => {
    const text = '3\ta\r\n0\t\n2147483646\tb\tc\n\nno tab\n12\té';
    const rows = [
      [1, 'a', 3],
      [2, '', 0],
      [3, 'b\tc', 2147483646],
      'line 4: expected a shard, a tab and a key, got ""',
      'line 5: expected a shard, a tab and a key, got "no tab"',
      [6, 'é', 12],
    ];
    for (let byteLength = 1; byteLength < 40; byteLength++) {
      expect(rowsIn(text, undefined, byteLength)).toEqual(rows);
    }
  });

  it('as CSV have it in a column, on either side of the key, in quotes or not', () => {
    const text = 'is,email,at,shard\n1,"x""y",2,"7"\n"3",z,4,8\n';
    const csv = { format: 'csv', key: 'email' } as const;
    for (const byteLength of [1, 5, 100]) {
      expect(rowsIn(text, format(csv, 'shard'), byteLength)).toEqual([
        [2, 'x"y', 7],
        [3, 'z', 8],
      ]);
      expect(rowsIn(text, format(csv, 'is'), byteLength)).toEqual([
        [2, 'x"y', 1],
        [3, 'z', 3],
      ]);
    }
    expect(rowsIn('5,a\n6,b\n', format({ format: 'csv', key: 2, header: false }, 1))).toEqual([
      [1, 'a', 5],
      [2, 'b', 6],
    ]);
    const compound = format({ format: 'csv', key: ['at', 'email'] }, 'shard');
    expect(rowsIn(text, compound)).toEqual([
      [2, typedKey('2', 'x"y'), 7],
      [3, typedKey('4', 'z'), 8],
    ]);
  });

  it('as NDJSON have it at a path, as a number or a text', () => {
    const text = '{"at":{"shard":5},"k":"\\u00e9"}\n\n{"k":7,"at":{"shard":"6"}}\n{"k":1}\n';
    expect(rowsIn(text, format({ format: 'ndjson', key: 'k' }, 'at.shard'))).toEqual([
      [1, 'é', 5],
      [3, '7', 6],
      'line 4: expected a string, a number or a boolean at k and at.shard, of which at.shard is missing, got "{\\"k\\":1}"',
    ]);
  });

  it.each([
    ['-1', 'a word: no sign'],
    ['1.0', 'no point'],
    ['', 'empty'],
    ['2147483647', 'too large'],
    ['4294967296', 'more than 32 bits'],
    ['18446744073709551616', 'more than 64 bits'],
  ])('that is no shard are refused: %s, %s', (shard) => {
    const expected = `expected a shard, an integer from 0 to 2147483646, got "${shard}"`;
    const text = `1\ta\n${shard}\tb\n`;
    expect(() => rowsIn(text, undefined, 100)).toThrow(
      expect.objectContaining({ line: 2, message: `line 2: ${expected}` }),
    );
  });
});

describe('the column of the shard', () => {
  it('is another one than that of the key', () => {
    expect(() => format({ format: 'csv', key: ['a', 'b'] }, 'b')).toThrow('another column than the key');
    expect(() => format({ format: 'csv', key: 1, header: false }, 'b')).toThrow(
      '"records.shard": expected the number of a column',
    );
    expect(() => format({ format: 'ndjson', key: 'a' }, 'b..c')).toThrow('"records.shard": expected a path');
  });
});
