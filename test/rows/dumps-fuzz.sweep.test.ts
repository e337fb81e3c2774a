import fc from 'fast-check';
import { afterAll, describe, it } from 'vitest';
import { bigint, wasm } from '../../src/kernels/index.js';
import { NO_BYTE } from '../../src/kernels/record-types.js';
import { CsvBatches, type CsvFormat } from '../../src/rows/sources/csv.js';
import { allCuts, checkOnBoth, latin1 } from '../support/byte-strings.js';
import { IS_FULL, IS_WHOLE } from '../support/scale.js';
import { type Dump, recordsOfDump } from './by-character.js';

const documents = (count: number): number => Math.ceil(count / (IS_WHOLE ? 1 : IS_FULL ? 30 : 100));

function dump(delimiter: string, hasQuotes: boolean, escaper: string | undefined, ...places: number[]): Dump {
  return { delimiter, hasQuotes, escaper, width: 3, places };
}

const DUMPS = [
  dump('\t', false, '\\', 0),
  dump(',', true, '\\', 1),
  dump('\t', false, undefined, 2, 0),
  dump(';', true, '|', 2, 0),
  dump(',', false, '\\', 0, 1, 2),
];

// A `,` stands for any delimiter and a `\` for any escape character.
const UNITS = [
  ...[',', ',', ',', '\n', '\n', '\r\n', '\r', '"', '""', '"b"', '"c\n,"', '\\', '\\\\', '\\\\\\', '\\N', '\\,', '\\"'],
  ...['\\\n', '\\\r\n', '\\\r', '\\n', '\\t', '\\0', '\\Z', '\\x', 'N', 'a', '\0', latin1('é'), 'x'.repeat(60)],
  ...['\\'.repeat(63), '\\'.repeat(64), '"\\""', '"\\N"', '\n\\N,,', '\na,b,c\n', '\n"a","b\\\nb","c"\r\n'],
];
const pieces = fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 4 });
const unit = fc.constantFrom(...UNITS);

describe('records with escapes, and without quotes', () => {
  const all = DUMPS.map((how) => {
    const rows: CsvFormat = {
      format: 'csv',
      delimiter: how.delimiter.charCodeAt(0),
      quote: how.hasQuotes ? 0x22 : NO_BYTE,
      escaper: how.escaper?.charCodeAt(0) ?? NO_BYTE,
      keys: how.places.map((place) => place + 1),
      hasHeader: true,
      isRagged: false,
      added: [],
    };
    return { how, sources: [wasm, bigint].map((kernels) => new CsvBatches(kernels, rows)) };
  });
  afterAll(() => {
    for (const { sources } of all) for (const source of sources) source.free();
  });
  const check = (kind: number, units: readonly string[], cuts?: readonly number[][]) => {
    const { how, sources } = all[kind] as (typeof all)[number];
    const { delimiter, escaper = '\\' } = how;
    const spelt = (text: string) => text.replaceAll(',', delimiter).replaceAll('\\', escaper);
    const [header, body] = [spelt('p,q,r\n'), spelt(units.join(''))];
    checkOnBoth(sources, header + body, recordsOfDump(body, 2, how), cuts ?? allCuts(header.length + body.length));
  };
  const kind = fc.nat({ max: DUMPS.length - 1 });

  it('have the keys that a reader of single characters finds, and are malformed where they should be', () => {
    fc.assert(
      fc.property(kind, fc.array(unit, { maxLength: 40 }), pieces, (i, units, lengths) => check(i, units, [lengths])),
      { numRuns: documents(60_000) },
    );
  });

  it('have them wherever they are cut', () => {
    fc.assert(
      fc.property(kind, fc.array(unit, { maxLength: 7 }), (i, units) => check(i, units)),
      { numRuns: documents(5_000) },
    );
  });
});
