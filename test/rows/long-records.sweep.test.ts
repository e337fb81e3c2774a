import { expect, it } from 'vitest';
import { NO_BYTE } from '../../src/kernels/record-types.js';
import type { Batch } from '../../src/rows/batch.js';
import { CsvBatches, type CsvFormat } from '../../src/rows/sources/csv.js';
import { JsonBatches } from '../../src/rows/sources/ndjson.js';
import { onBothBackends } from '../support/backends.js';
import { recordsOf } from '../support/records.js';

const CSV: CsvFormat = {
  format: 'csv',
  delimiter: 0x2c,
  quote: 0x22,
  escaper: NO_BYTE,
  keys: [1],
  hasHeader: false,
  isRagged: false,
  added: [],
};

onBothBackends('records of CSV', (kernels) => {
  it('go on after the line of a quote that is not closed within 16 MiB', () => {
    const rows = 'b,2\n'.repeat(1_000_000);
    const text = `a,1\n"x,0\n${rows}${rows}${rows}${rows}${rows}`;
    const batches = new CsvBatches(kernels, CSV);
    const seen: unknown[] = [];
    let count = 0;
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 1_000_000) {
      for (const piece of batches.add(bytes.subarray(at, at + 1_000_000))) {
        if (piece.kind === 'invalid') seen.push([piece.line, piece.error.message, Buffer.from(piece.bytes).toString()]);
        else count += (piece as Batch).count;
      }
    }
    batches.free();
    expect(seen).toEqual([[2, 'line 2: expected a closing quote within 16777216 bytes, got "\\"x,0"', '"x,0']]);
    expect(count).toBe(5_000_001);
  });
});

onBothBackends('records of NDJSON', (kernels) => {
  it('may be long, and have many escapes', () => {
    const escaped = '\n'.repeat(100_000);
    const text = `${JSON.stringify({ b: 'x'.repeat(12_000_000), a: 1 })}\n${JSON.stringify({ a: escaped })}\n`;
    const batches = new JsonBatches(kernels, { format: 'ndjson', paths: [['a']], added: [] });
    const seen = recordsOf(batches, Buffer.from(text)) as [number, string, string][];
    batches.free();
    expect([seen[0]?.[2], seen[1]?.[2] === escaped]).toEqual(['1', true]);
  });
});
