import { expect, it } from 'vitest';
import type { Batch, Refused } from '../../src/rows/batch.js';
import { idReader } from '../../src/rows/operations/decode.js';
import { LineBatches } from '../../src/rows/sources/lines.js';
import { onBothBackends } from '../support/backends.js';

onBothBackends('signed ids in rows', (kernels) => {
  /** What some lines are read as, and how often the kernels were asked to parse them. */
  function read(lines: readonly string[]) {
    let calls = 0;
    const counting = {
      ...kernels,
      parseSpans(...args: Parameters<typeof kernels.parseSpans>) {
        calls++;
        return kernels.parseSpans(...args);
      },
    };
    const batches = new LineBatches(counting);
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    batches.room().set(bytes);
    batches.filled(bytes.length);
    batches.ended();
    const rows = idReader(counting, 'dec')(batches.next() as Batch);
    const ids = 'hashes' in rows ? rows.hashes.slice() : undefined;
    batches.free();
    return { ids, refused: ids ? undefined : (rows as Refused).row, calls };
  }

  it('are parsed all at once, however many are negative', () => {
    const texts = Array.from({ length: 1000 }, (_, i) =>
      String(BigInt((i % 2) * 2 - 1) * BigInt(i) * 0x12345678901234n),
    );
    const { ids, calls } = read(texts);
    expect(ids).toEqual(BigUint64Array.from(texts, BigInt));
    expect(calls).toBe(2);
    expect(read(['1', '2', '18446744073709551615']).calls).toBe(1);
  });

  it.each([
    [['1', '-9223372036854775809', 'x'], 1],
    [['-1', 'x', '-9223372036854775809'], 1],
    [['-1', '--1'], 1],
    [['-', '-1'], 0],
    [['-1', '-00000000000000000001'], 1],
    [['-1', '18446744073709551616'], 1],
  ])('of %s, row %d is refused', (lines, row) => {
    expect(read(lines).refused).toBe(row);
  });
});
