// Tables as psql, mysql, DuckDB and SQLite print them, with rulers and bars, and records with a line for each column.

import { MAX_BYTES } from './open.js';

const SAMPLE_BYTES = 64 * 1024;

/** Of a table, or above a record. In Markdown, colons say how a column is aligned; DuckDB leaves out rows with dots. */
const RULER = /^(?=.*(?:--|[─═·]))[|+:·─═┌-╬ \t-]+$|^(?:-\[ RECORD|\*+ \d+\. row)/m;

/** A record, from its ruler to the next one. */
const RECORD = /^(?:-\[ RECORD|\*+ \d+\. row).*\n((?:[ \t]*\w[^\n|:]*[|:].*\n?)+)/gm;

/** Below the names DuckDB has types. */
const TYPES = /^(┌.*\n│.*\n)│.*(?=\n├)/gm;

/** What is around a table: rulers, `(2 rows)`, `2 rows in set`, `Time: 1.234 ms`, `db=> select …`. */
const AROUND = new RegExp(
  `${RULER.source}|^ *(?:\\(?\\d+ rows?(?:\\)| in set.*| .*columns? *)|Time: .* ms.*|(?:\\w+[=-][#>]|mysql>|MariaDB \\[.*?]>|sqlite>| {4}->)(?: .*)?|D .*;)$`,
  'gm',
);

/** The same lines as a table whose cells have bars between them, or as JSON; the same array if there is no such table. */
export function undrawn(data: Uint8Array): Uint8Array {
  const decoder = new TextDecoder();
  if (data.length > MAX_BYTES || !RULER.test(decoder.decode(data.subarray(0, SAMPLE_BYTES)).replaceAll('\r', '')))
    return data;
  const text = decoder
    .decode(data)
    .replace(/\r$/gm, '')
    .replace(RECORD, (_, lines: string) => {
      const cells = lines.split('\n').map((line) => line.split(/[|:](.*)/).map((cell) => cell.trim()));
      return JSON.stringify(Object.fromEntries(cells.filter(([name]) => name))) + '\n'.repeat(cells.length);
    })
    .replace(TYPES, '$1')
    .replace(/[│║]/g, '|')
    .replace(/^[ \t]*\|(.*)\|[ \t]*$/gm, '  $1')
    .replace(AROUND, '');
  return new TextEncoder().encode(text);
}
