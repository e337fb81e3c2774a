import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'shardbits';
import { type RecordFormat, type RejectedLine, routeFile, routeToDirectory } from 'shardbits/node';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { IS_WHOLE } from '../support/scale.js';
import { SEED } from '../support/seed.js';
import { splitMix64 } from '../support/split-mix.js';

// Files of 9 MB, so that real threads get chunks of them. Chunks of a few bytes: chunks.test.ts.

const BYTES = 9 * 1024 * 1024;
const FILES = IS_WHOLE ? 100 : 5;
const router = new Router({ shards: 7 });
const FIELDS = [
  'a',
  '',
  '"b,\n"',
  '"""c"""',
  '"\r\n\r\n"',
  'plain text',
  '"d"',
  'x'.repeat(300),
  '"\n,"",\n"',
  '\\\\',
  "it's",
];
const FAULTS = ['"', 'a"b', '"a"b', '"""', 'one\ntwo,three', '\\N'];
const OBJECTS = [
  '{"k":"v","n":1}',
  '{"k":1}',
  '{"k":"\\u00e9\\"","n":"}"}',
  '{ "k" : true }',
  `{"k":"${'y'.repeat(200)}"}`,
];
const FAULTY_OBJECTS = ['{"k":null}', '{', '[1]', '{"k":1}}', ''];

/** Random numbers below a bound, the same for the same file. */
function dice(file: number): (sides: number) => number {
  const values = splitMix64(100_000, SEED + file);
  let at = 0;
  return (sides) => Number(values[at++ % values.length] % BigInt(sides));
}

/** One in 2,000 or 20 rows has a fault, or none. */
function oneOf(
  roll: (sides: number) => number,
  good: readonly string[],
  bad: readonly string[],
  rarity: number,
): string {
  return rarity > 0 && roll(rarity) === 0 ? bad[roll(bad.length)] : good[roll(good.length)];
}

function makeFile(file: number, isCsv: boolean): { bytes: Buffer; records: RecordFormat } {
  const roll = dice(file);
  const rarity = [2000, 0, 20, 300][file % 4] as number;
  const lineEnd = file % 3 === 0 ? '\r\n' : '\n';
  const isDump = isCsv && file % 5 === 4;
  const row = isCsv
    ? () => Array.from({ length: 3 }, () => oneOf(roll, FIELDS, FAULTS, 3 * rarity)).join(',') + lineEnd
    : () => oneOf(roll, OBJECTS, FAULTY_OBJECTS, rarity) + lineEnd;
  const hasHeader = file % 2 === 0;
  const pieces = [isCsv && hasHeader ? `p,q,r${lineEnd}` : ''];
  for (let length = 0; length < BYTES; length += (pieces.at(-1) as string).length) {
    pieces.push(Array.from({ length: 500 }, row).join(''));
  }
  const dump = isDump ? ({ quote: 'none', escape: '\\' } as const) : {};
  const csv = { format: 'csv', key: hasHeader ? 'q' : 2, header: hasHeader, ragged: isDump, ...dump } as const;
  return { bytes: Buffer.from(pieces.join('')), records: isCsv ? csv : { format: 'ndjson', key: 'k' } };
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

it.each([
  ['CSV', true],
  ['NDJSON', false],
] as const)('three threads give the bytes of one, rejects included: many files of %s', async (_, isCsv) => {
  for (let file = 0; file < FILES; file++) {
    const { bytes, records } = makeFile(file, isCsv);
    const path = join(temporaryFolder(), 'rows');
    writeFileSync(path, bytes);
    const outcome = async (threads: number) => {
      const hash = createHash('sha256');
      let count = 0;
      const onReject = ({ line, error, bytes }: RejectedLine) => {
        count++;
        hash.update(`${line} ${error.message} `).update(bytes);
      };
      const out = join(temporaryFolder(), 'out');
      const job = { router, records, onReject, threads };
      const input = file % 7 === 6 ? createReadStream(path) : path;
      if (file % 2 === 0) {
        const { keys } = await routeToDirectory(input, { ...job, directory: out });
        const files = Array.from({ length: 7 }, (_, shard) => readFileSync(join(out, `${shard}.${records.format}`)));
        return { keys, count, rejects: hash.digest('hex'), files: files.map(digest) };
      }
      const { keys } = await routeFile(input, { ...job, out, format: 'shard' });
      return { keys, count, rejects: hash.digest('hex'), files: [digest(readFileSync(out))] };
    };
    expect(await outcome(3), `file ${file}`).toEqual(await outcome(1));
  }
});
