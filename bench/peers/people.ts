import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import Papa from 'papaparse';
import { xxh64Many } from '../shardbits.js';

export const COLUMNS = ['id', 'name', 'email', 'note'];

const NAMES = ['Ann', 'Bo', 'Christopher', 'Dörte', 'Eve "the great"', '山田', 'Smith, F.'];
const NOTE = 'Lorem ipsum dolor sit amet; consectetur adipiscing elit. Sed do eiusmod tempor.';
/** Line breaks inside quotes, which do not end a record. */
const BREAKS = ['\n', '\r\n', '\n7,decoy,decoy@example.com,"none"\n', '\n\n'];
const BATCH = 10_000;

/** Writes a CSV of people, a tenth of them with line breaks, the same ones each time. Returns the sum of all rows. */
export function writePeople(path: string, rows: number): bigint {
  const file = openSync(path, 'w');
  writeSync(file, `${COLUMNS}\n`);
  let sum = 0n;
  for (let from = 0; from < rows; from += BATCH) {
    const batch = people(from, Math.min(from + BATCH, rows));
    writeSync(file, batch.map((person) => `${person.map(quoted).join(',')}\n`).join(''));
    sum += sumOf(batch);
  }
  closeSync(file);
  return BigInt.asUintN(64, sum);
}

function people(from: number, to: number): string[][] {
  const ids = BigUint64Array.from({ length: to - from }, (_, i) => BigInt(from + i));
  const words = new Uint32Array(xxh64Many(ids).buffer);
  return Array.from(ids, (id, i) => {
    const [a, b] = [words[2 * i], words[2 * i + 1]];
    const email = `${a.toString(36)}.${(a % 999).toString(36)}@example.com`;
    const note = NOTE.slice((b >>> 8) % 48).trim();
    return [
      `${id}`,
      NAMES[a % 7],
      a % 50 === 0 ? `"${email}", or so` : email,
      b % 10 === 0 ? `${note}${BREAKS[(b >>> 4) % 4]}${note.slice(40)}` : note,
    ];
  });
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** The sum of the rows of a CSV, which must have a header, however its fields are quoted. */
export function sumOfFile(path: string): bigint {
  const { data, errors } = Papa.parse<string[]>(readFileSync(path, 'utf8'), {
    ...{ delimiter: ',', newline: '\n', skipEmptyLines: true },
  });
  const [header, ...rows] = data;
  if (errors.length > 0 || `${header}` !== `${COLUMNS}`) throw new Error(`${path}: ${errors[0]?.message ?? header}`);
  return sumOf(rows);
}

/** A sum modulo 2^64 that does not depend on the order of rows, and differs for other rows. */
function sumOf(rows: readonly (readonly string[])[]): bigint {
  return xxh64Many(rows.map((row) => JSON.stringify(row))).reduce((sum, hash) => sum + hash, 0n);
}
