import { formatIdColumn, formatIds, parseIds } from 'shardbits';
import { type Area, onBackends } from '../area.js';
import { u64s } from '../inputs.js';
import { stringRows } from './strings.js';

/** Decimal text. The ids have 20 digits, for which the full width and `String(id)` are the same. */
export function decimalText(all: number): Area[] {
  const rows = stringRows(all);
  const ids = u64s(rows).map((key) => 10_000_000_000_000_000_000n + ((key >> 1n) % 8_000_000_000_000_000_000n));
  const texts = formatIds(ids, 'dec');
  const column = formatIdColumn(ids, 'dec');
  const slice = { ids: ids.subarray(0, Math.ceil(rows / 10)), texts: texts.slice(0, Math.ceil(rows / 10)) };
  const bytes = Buffer.from(column.data.buffer);
  const parsed = new BigUint64Array(rows);
  return [
    {
      name: 'format-bytes',
      title: 'formatIdColumn, dec: u64 to a BytesColumn',
      rows,
      bytesPerRow: 32,
      ways: [
        ...onBackends(rows, (count) => [formatIdColumn(ids.subarray(0, count), 'dec').data]),
        {
          name: 'String(id)',
          run() {
            const data = Buffer.alloc(rows * 20);
            for (let i = 0; i < rows; i++) data.write(String(ids[i]), i * 20, 'latin1');
            return [data];
          },
        },
      ],
    },
    {
      name: 'format-strings',
      title: 'formatIds, dec: u64 to strings',
      rows,
      bytesPerRow: 28,
      ways: [
        ...onBackends(rows, (count) => [formatIds(count === rows ? ids : slice.ids, 'dec')]),
        { name: 'String(id)', run: () => [Array.from(ids, String)] },
      ],
    },
    {
      name: 'parse-bytes',
      title: 'parseIds, dec: a BytesColumn to u64',
      rows,
      bytesPerRow: 32,
      ways: [
        ...onBackends(rows, (count) => [
          parseIds({ data: column.data, offsets: column.offsets.subarray(0, count + 1) }, 'dec'),
        ]),
        {
          name: 'BigInt(text)',
          run() {
            for (let i = 0; i < rows; i++) parsed[i] = BigInt(bytes.toString('latin1', i * 20, i * 20 + 20));
            return [parsed];
          },
        },
      ],
    },
    {
      name: 'parse-strings',
      title: 'parseIds, dec: strings to u64',
      rows,
      bytesPerRow: 28,
      ways: [
        ...onBackends(rows, (count) => [parseIds(count === rows ? texts : slice.texts, 'dec')]),
        {
          name: 'BigInt(text)',
          run() {
            for (let i = 0; i < rows; i++) parsed[i] = BigInt(texts[i]);
            return [parsed];
          },
        },
      ],
    },
  ];
}
