import fc from 'fast-check';
import Papa from 'papaparse';
import { expect, it } from 'vitest';
import type { Kernels } from '../../src/kernels/index.js';
import { NO_BYTE } from '../../src/kernels/record-types.js';
import { typedKey } from '../../src/routing/typed-key.js';
import { type Batch, LineError, malformed } from '../../src/rows/batch.js';
import { CsvBatches, type CsvFormat } from '../../src/rows/sources/csv.js';
import { onBothBackends } from '../support/backends.js';
import { recordsOf, type Seen, shown } from '../support/records.js';
import { scaled } from '../support/scale.js';

const PLAIN = { delimiter: 0x2c, quote: 0x22, escaper: NO_BYTE };

function withoutHeader(...keys: number[]): CsvFormat {
  return { format: 'csv', ...PLAIN, keys, hasHeader: false, isRagged: false, added: [] };
}

const ONE = withoutHeader(1);

function cut(kernels: Kernels, text: string, keys = ONE, ...byteLengths: number[]): Seen[] {
  const batches = new CsvBatches(kernels, keys);
  const seen = recordsOf(batches, Buffer.from(text), ...byteLengths);
  batches.free();
  return seen;
}

onBothBackends('records of CSV', (kernels) => {
  it('have their line, also where those before them have several, and keys without quotes', () => {
    const text = '\ufeffa,1\n"b\nc""d",2\r\n\n"e",3\n';
    const expected = [
      [1, 'a,1', 'a'],
      [2, '"b\nc""d",2', 'b\nc"d'],
      [5, '"e",3', 'e'],
    ];
    for (let byteLength = 1; byteLength < 40; byteLength++)
      expect(cut(kernels, text, ONE, byteLength)).toEqual(expected);
  });

  it('have keys of several fields, as typedKey writes two', () => {
    const keys = withoutHeader(3, 1);
    expect(cut(kernels, 'a,b,"ü""c"\n,,\n', keys)).toEqual([
      [1, 'a,b,"ü""c"', typedKey('ü"c', 'a')],
      [2, ',,', typedKey('', '')],
    ]);
    const three = withoutHeader(1, 2, 3);
    expect(cut(kernels, '1:,"a,b",c\n', three)).toEqual([[1, '1:,"a,b",c', '2:1::3:a,b:c']]);
  });

  it('have as many fields as the first one, which may have no key', () => {
    const escaped = { ...withoutHeader(1), escaper: 0x5c };
    expect(shown(cut(kernels, '\\N,1\na,2,3\nb,4\n', escaped))).toEqual([
      [1, '\\N,1', ''],
      [2, malformed(2, '2 fields', Buffer.from('a,2,3')).error.message, 'a,2,3'],
      [3, 'b,4', 'b'],
    ]);
  });

  it('are not the header, if that has the name of no column', () => {
    const batches = new CsvBatches(kernels, { ...withoutHeader(1), escaper: 0x5c, hasHeader: true });
    expect(() => recordsOf(batches, Buffer.from('\\N,b\n1,2\n'))).toThrow('line 1: expected a name other than NULL');
    batches.free();
  });

  it('that are malformed are errors with line, reason and bytes, and the others go on', () => {
    const text = 'a,1\nb"c,2\n"d\ne"f,3\n\n"g",4\nx\n"h,6\ni,7,\nj,8';
    const keys = withoutHeader(2);
    const error = (line: number, expected: string, bytes: string) => {
      const { error } = malformed(line, expected, Buffer.from(bytes));
      return [line, error.message, Buffer.from(bytes).toString()];
    };
    const expected = [
      [1, 'a,1', '1'],
      error(2, 'quotes around a field that has a quote in it', 'b"c,2'),
      error(3, 'a delimiter or the end of the record after a closing quote', '"d\ne"f,3'),
      [6, '"g",4', '4'],
      error(7, '2 fields', 'x'),
      error(8, 'a closing quote', '"h,6'),
      error(9, '2 fields', 'i,7,'),
      [10, 'j,8', '8'],
    ];
    for (const byteLength of [1, 2, 3, 7, 100]) {
      const seen = cut(kernels, text, keys, byteLength);
      expect(shown(seen)).toEqual(expected);
    }
  });

  it('are not empty lines, wherever those are', () => {
    const text = '\r\n\n"a\n\n",1\n\r\n\n"",2\r\n\n\nb,"\n"\n\n';
    const expected = [
      [3, '"a\n\n",1', 'a\n\n'],
      [8, '"",2', ''],
      [11, 'b,"\n"', 'b'],
    ];
    for (let byteLength = 1; byteLength < 40; byteLength++)
      expect(cut(kernels, text, ONE, byteLength)).toEqual(expected);
    expect(cut(kernels, '\n'.repeat(100_000))).toEqual([]);
    expect(cut(kernels, `${'\n'.repeat(100_000)}a\n`)).toEqual([[100_001, 'a', 'a']]);
  });

  it('have as many fields as the first one if there is no header', () => {
    const error = (line: number, bytes: string) => [
      line,
      malformed(line, '2 fields', Buffer.from(bytes)).error.message,
      bytes,
    ];
    for (const byteLength of [1, 3, 100])
      expect(shown(cut(kernels, '\n"a,b",1\nc\nd,2\ne,3,\n', ONE, byteLength))).toEqual([
        [2, '"a,b",1', 'a,b'],
        error(3, 'c'),
        [4, 'd,2', 'd'],
        error(5, 'e,3,'),
      ]);
  });

  it('are refused if their lines end with a carriage return alone', () => {
    const refused = new LineError(1, 'lines that end with \\n or \\r\\n', 'a,"\r"\rb,c');
    expect(() => cut(kernels, 'a,"\r"\rb,c')).toThrow(refused);
    expect(() => cut(kernels, 'a,"\r"\rb,c', { ...ONE, isRagged: true })).toThrow(refused);
    expect(() => cut(kernels, 'id,x\r'.repeat(100_000), { ...ONE, hasHeader: true })).toThrow(
      /^line 1: expected lines/,
    );
    expect(cut(kernels, 'a\rb,c\nd,e\r')).toHaveLength(2);
    expect(cut(kernels, '"a\r"')).toHaveLength(1);
  });

  it('go on after the line of a quote that is not closed within 300,000 bytes', () => {
    const rows = 'b,2\n'.repeat(20_000);
    const text = `a,1\n"x,0\n${rows}${rows}${rows}${rows}${rows}`;
    const batches = new CsvBatches(kernels, ONE, undefined, 300_000);
    const seen: unknown[] = [];
    let count = 0;
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 100_000) {
      for (const piece of batches.add(bytes.subarray(at, at + 100_000))) {
        if (piece.kind === 'invalid') seen.push([piece.line, piece.error.message, Buffer.from(piece.bytes).toString()]);
        else count += (piece as Batch).count;
      }
    }
    batches.free();
    expect(seen).toEqual([[2, 'line 2: expected a closing quote within 300000 bytes, got "\\"x,0"', '"x,0']]);
    expect(count).toBe(100_001);
  });

  it('of many pieces, and of more than memory began with', () => {
    const long = `"${'x,\n'.repeat(400_000)}"`;
    const text = `a,1\n${long},2\nb,3\n`;
    const seen = cut(kernels, text, ONE, 100_000) as [number, string, string][];
    expect(seen.map(([line, record]) => [line, record.length])).toEqual([
      [1, 3],
      [2, long.length + 2],
      [400_003, 3],
    ]);
    expect(seen[1]?.[2] === long.slice(1, -1)).toBe(true);
  });

  it('go on at once behind one that is malformed, however many there are', () => {
    const batches = new CsvBatches(kernels, ONE, 300_000);
    const bytes = Buffer.from(`a"b\n${'x\n'.repeat(140_000)}`);
    batches.room().set(bytes);
    batches.filled(bytes.length);
    expect(batches.next()?.kind).toBe('invalid');
    expect((batches.next() as Batch).count).toBe(16_384);
    batches.free();
  });

  it('are not too long together', () => {
    const batches = new CsvBatches(kernels, ONE, 300_000);
    const bytes = Buffer.from(`${'x'.repeat(295_000)}\n${'y\n'.repeat(100_000)}`);
    let count = 0;
    for (let at = 0, byteLength = 290_000; at < bytes.length; byteLength = 100_000) {
      const room = batches.room();
      const piece = bytes.subarray(at, at + Math.min(byteLength, room.length));
      room.set(piece);
      batches.filled(piece.length);
      at += piece.length;
      for (let records = batches.next(); records !== undefined; records = batches.next())
        count += (records as Batch).count;
    }
    expect(count).toBe(100_001);
    batches.free();
  });

  it('that are too long are errors, after those before them', () => {
    const batches = new CsvBatches(kernels, ONE, 300_000);
    const bytes = (length: number) => Buffer.from(`a\n"${'\n'.repeat(length - 2)}"\nb\n`);
    expect(recordsOf(batches, bytes(300_000))).toHaveLength(3);
    batches.restart();
    const tooLong = new LineError(2, 'at most 300000 bytes in a record', 300_001);
    expect(() => recordsOf(batches, bytes(300_001))).toThrow(tooLong);
    batches.free();
  });

  it('are the same however they come, and as Papa Parse has them', () => {
    const batches = new CsvBatches(kernels, { ...ONE, isRagged: true });
    const unit = fc.constantFrom('a', ',', '\n', '\r\n', '"', '""', '"b"', '"c\n,"', '\r', '\0', '日', 'x'.repeat(60));
    const document = fc.array(unit, { maxLength: 30 }).map((units) => `x\n${units.join('')}`);
    fc.assert(
      fc.property(
        document,
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 4 }),
        (text, pieces) => {
          const bytes = Buffer.from(text);
          batches.restart();
          const whole = recordsOf(batches, bytes);
          batches.restart();
          expect(shown(recordsOf(batches, bytes, ...pieces))).toEqual(shown(whole));
          for (const one of whole) {
            if ('kind' in one) continue;
            const [line, record, key] = one;
            expect(
              text
                .split('\n')
                .slice(line - 1)
                .join('\n')
                .startsWith(record),
            ).toBe(true);
            const { data } = Papa.parse<string[]>(record, { delimiter: ',', newline: '\n' });
            expect(data).toHaveLength(1);
            expect(key).toBe(data[0]?.[0]);
          }
        },
      ),
      { numRuns: scaled(10_000, 40) },
    );
    batches.free();
  });
});

onBothBackends('the header of CSV', (kernels) => {
  const rows: CsvFormat = {
    format: 'csv',
    ...PLAIN,
    keys: ['email', 1],
    hasHeader: true,
    isRagged: false,
    added: [],
  };
  const refused = (text: string, options: Partial<CsvFormat> = {}) => {
    try {
      cut(kernels, text, { ...rows, ...options });
    } catch (error) {
      return error instanceof LineError ? error.message : error;
    }
    return undefined;
  };

  it('names the columns of keys, wherever it is cut', () => {
    const text = '\ufeffid,"e\n""x""",email\r\n1,a,b\r\n"2",c,d';
    for (const byteLength of [1, 2, 3, 7, 100])
      expect(cut(kernels, text, rows, byteLength)).toEqual([
        [3, '1,a,b', typedKey('b', '1')],
        [4, '"2",c,d', typedKey('d', '2')],
      ]);
    expect(cut(kernels, text, { ...rows, keys: ['e\n"x"'] })).toEqual([
      [3, '1,a,b', 'a'],
      [4, '"2",c,d', 'c'],
    ]);
  });

  it('is handed out once, with its line end; other files have to name the same columns', () => {
    const batches = new CsvBatches(kernels, rows);
    const headers = (text: string) => {
      batches.restart();
      const bytes = Buffer.from(text);
      batches.room().set(bytes);
      batches.filled(bytes.length);
      batches.ended();
      const found: unknown[] = [];
      for (let next = batches.next(); next !== undefined; next = batches.next()) {
        found.push(
          next.kind === 'header'
            ? [Buffer.from(next.bytes).toString(), Buffer.from(next.lineEnd).toString()]
            : (next as Batch).count,
        );
      }
      return found;
    };
    expect(headers('')).toEqual([]);
    expect(headers('id,email\r\n')).toEqual([['id,email', '\r\n']]);
    expect(headers('"id",email')).toEqual([]);
    expect(headers('id,email\n1,2\n3,4')).toEqual([2]);
    expect(() => headers('email,id\n1,2\n')).toThrow(new LineError(1, 'the columns id,email', 'email,id'));
    batches.free();
  });

  it('has each column of the key once, and not the one that is added', () => {
    expect(refused('id,mail\n')).toBe('line 1: expected a column named email, got "id,mail"');
    expect(refused('email,id,email\n')).toBe('line 1: expected one column named email, got "email,id,email"');
    expect(refused('email\n', { keys: [2] })).toBe('line 1: expected at least 2 columns, got "email"');
    expect(refused('id,email,shard\n', { added: ['shard'] })).toBe(
      'line 1: expected no column named shard, got "id,email,shard"',
    );
    expect(refused('id,email,shard\n')).toBe(undefined);
    expect(refused('id,e"mail\n1,2\n')).toBe(
      'line 1: expected quotes around a field that has a quote in it, got "id,e\\"mail"',
    );
  });

  it('has as many columns as records have fields, unless they are ragged', () => {
    const text = 'id,email\n1,a\n2,b,c\n3\n"4,5",d\n6,e,\n';
    const error = (line: number, bytes: string) => [
      line,
      malformed(line, '2 fields', Buffer.from(bytes)).error.message,
      bytes,
    ];
    const expected = [[2, '1,a', '1'], error(3, '2,b,c'), error(4, '3'), [5, '"4,5",d', '4,5'], error(6, '6,e,')];
    for (const added of [[], ['shard']]) {
      expect(shown(cut(kernels, text, { ...rows, keys: ['id'], added }))).toEqual(expected);
    }
    expect(cut(kernels, text, { ...rows, keys: ['email', 'id'], isRagged: true })).toEqual([
      [2, '1,a', typedKey('a', '1')],
      [3, '2,b,c', typedKey('b', '2')],
      [4, '3', typedKey('', '3')],
      [5, '"4,5",d', typedKey('d', '4,5')],
      [6, '6,e,', typedKey('e', '6')],
    ]);
  });
});
