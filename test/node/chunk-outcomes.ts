import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import type { Input, RejectedLine } from '../../src/node/index.js';
import type { Sharing } from '../../src/node/jobs/on-threads.js';
import { runOperation } from '../../src/node/jobs/run.js';
import { ChunkWork } from '../../src/node/threads/chunk-work.js';
import { checkRecordFormat, type RecordFormat } from '../../src/rows/format.js';
import { ROUTE } from '../../src/rows/operations/route.js';
import { temporaryFolder } from '../support/cli.js';

// Inputs are cut here into chunks of a few bytes. The other threads are objects of this one, which get copies of what a
// thread would be sent. Real threads: threads.test.ts.

/** Threads that run on this one, and answer in another order than they were asked. */
export const startHere: NonNullable<Sharing<object>['start']> = (count, operation) => {
  let works: ChunkWork<object, any, any>[] = [];
  const free: typeof works = [];
  return {
    isUp: true,
    begin(job) {
      const { options, ...others } = structuredClone(job);
      const made = Object.entries(options.routings).map(([name, json]) => [name, Router.from(json)]);
      const all = { ...others, options: { ...options.plain, ...Object.fromEntries(made) } };
      works = Array.from({ length: count }, () => new ChunkWork(operation, all));
      free.push(...works);
    },
    get hasRoom() {
      return free.length > 0;
    },
    async run(chunk) {
      const work = free.pop() as (typeof free)[number];
      for (let i = 0; i < (chunk.byteLength * 7) % 5; i++) await Promise.resolve();
      const result = work.run(structuredClone(chunk), [])();
      free.push(work);
      return structuredClone(result);
    },
    close: async () => {
      for (const work of works) work.free();
    },
  };
};

export const router = new Router({ shards: 1000 });
let folder: string;

/** Everything that a job gives: rows, rejects, progress, and the error that ended it. */
async function outcome(
  inputs: readonly Input[],
  format: RecordFormat | undefined,
  isStrict: boolean,
  { threads, ...sharing }: Sharing<object> & { readonly threads: number },
) {
  const checked = checkRecordFormat(format, format?.ragged ? [] : ['shard']);
  const rejects: object[] = [];
  const onReject = ({ file, line, bytes, error }: RejectedLine) => {
    rejects.push({ file, line, bytes: Buffer.from(bytes).toString('latin1'), message: error.message });
    if (isStrict) throw error;
  };
  const rows: Buffer[] = [];
  let progress: object | undefined;
  let error: unknown;
  const options = { routing: router, keys: 'text', format: 'shard' } as const;
  try {
    const job = { inputs, format: checked, onReject, isStrict, threads };
    const results = runOperation(job, ROUTE, options, sharing as Sharing<typeof options>);
    let next = await results.next();
    for (; !next.done; next = await results.next()) rows.push(Buffer.from(next.value.value.bytes));
    progress = next.value;
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  return {
    rows: Buffer.concat(rows).toString('latin1'),
    rejects,
    error,
    progress,
  };
}

let files = 0;

/** Inputs with some contents: files, or streams of small pieces. */
function inputsOf(contents: readonly string[], areFiles: boolean): Input[] {
  return contents.map((content) => {
    const bytes = Buffer.from(content, 'latin1');
    if (!areFiles) return Readable.from(piecesOf(bytes, 11));
    const path = join(folder, `${files++ % 20}.csv`);
    writeFileSync(path, bytes);
    return path;
  });
}

function* piecesOf(bytes: Buffer, byteLength: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += byteLength) yield bytes.subarray(at, at + byteLength);
}

async function checkSame(
  contents: readonly string[],
  format: RecordFormat | undefined,
  areFiles: boolean,
  isStrict: boolean,
  chunkBytes: number,
): Promise<void> {
  const first = files;
  const one = await outcome(inputsOf(contents, areFiles), format, isStrict, { threads: 1 });
  files = first; // the same names
  const sharing = { threads: 3, sharedBytes: 1, chunkBytes, start: startHere };
  const several = await outcome(inputsOf(contents, areFiles), format, isStrict, sharing);
  expect(several).toEqual(one);
}

const FIELDS = [
  '',
  'a',
  'bc',
  '"d"',
  '""',
  '"e"""',
  '"f,"',
  '"\n"',
  '"g\r\nh"',
  '"\n,\n,"',
  'i\rj',
  '\u00e2\u0082',
  '"""\n"',
  'k'.repeat(40),
];
const FAULTS = ['"', 'a"b', '"a"b', '""c', ' "a"', '"""', '"b""', 'c"', '","'];
const often = <T>(common: fc.Arbitrary<T>, weight: number, rare: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: common, weight }, { arbitrary: rare, weight: 1 });
const field = often(fc.constantFrom(...FIELDS), 40, fc.constantFrom(...FAULTS));
const record = often(
  fc.tuple(field, field, field).map((fields) => fields.join()),
  20,
  fc.array(field, { minLength: 1, maxLength: 5 }).map((fields) => fields.join()),
);
const lineEnd = fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n', '\r\n\r\n');
const body = fc.array(fc.tuple(record, lineEnd), { maxLength: 60 }).map((records) => records.flat().join(''));
const ending = fc.constantFrom('', '', 'x,y,z', '"x', 'x"', '\n');
const table = fc.tuple(fc.constantFrom('', '', '\u00ef\u00bb\u00bf'), body, ending).map((parts) => parts.join(''));
const withHeader = fc
  .tuple(fc.constantFrom('p,q,r\n', 'p,q,r\r\n', '\n\np,q,r\n', '"p","q","r"\n'), table)
  .map(([header, rows]) => (rows.startsWith('\u00ef') ? `\u00ef\u00bb\u00bf${header}${rows.slice(3)}` : header + rows));
const chunkBytes = fc.integer({ min: 1, max: 300 });

/**
 * Tests that chunks of a few bytes give what one thread does.
 * @param runs how many inputs of lines are tried; of the other formats two to five times as many, because they have more cases
 */
export function testChunks(runs: number): void {
  folder = temporaryFolder(afterAll);

  it('for CSV with headers', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(withHeader, { minLength: 1, maxLength: 4 }),
        fc.constantFrom<(string | number)[]>(['q'], ['r', 'p'], [2]),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        chunkBytes,
        (contents, key, ragged, areFiles, isStrict, bytes) =>
          checkSame(contents, { format: 'csv', key, ragged }, areFiles, isStrict, bytes),
      ),
      { numRuns: runs * 5 },
    ));

  it('for CSV without headers', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(table, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        chunkBytes,
        (contents, ragged, areFiles, isStrict, bytes) =>
          checkSame(contents, { format: 'csv', key: 2, header: false, ragged }, areFiles, isStrict, bytes),
      ),
      { numRuns: runs * 2.5 },
    ));

  const PARTS = [
    '',
    'a',
    '\\N',
    '\\\n',
    '\\\r\n',
    '\\\\',
    '\\,',
    '\\"',
    '"',
    '"b\\"\n"',
    '"c\n\\\n,"',
    '\\\\\\\n',
    'd'.repeat(40),
  ];
  const part = fc.constantFrom(...PARTS);
  const dumped = often(
    fc.tuple(part, part, part).map((fields) => fields.join()),
    20,
    fc.array(part, { minLength: 1, maxLength: 5 }).map((fields) => fields.join()),
  );
  const dump = fc
    .tuple(fc.array(fc.tuple(dumped, lineEnd), { maxLength: 60 }), fc.constantFrom('', 'x,y,z', '\\', 'x\\\n', '"\\"'))
    .map((parts) => parts.flat(2).join(''));

  it.each<[what: string, syntax: Pick<RecordFormat, 'quote' | 'escape'>]>([
    ['escapes', { escape: '\\' }],
    ['escapes and no quotes', { escape: '\\', quote: 'none' }],
    ['no quotes', { quote: 'none' }],
  ])('for dumps with %s', (_, syntax) =>
    fc.assert(
      fc.asyncProperty(
        fc.array(dump, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        chunkBytes,
        (contents, ragged, areFiles, isStrict, bytes) =>
          checkSame(contents, { format: 'csv', key: 2, header: false, ragged, ...syntax }, areFiles, isStrict, bytes),
      ),
      { numRuns: runs * 2.5 },
    ));

  const VALUES = ['"a"', '1', 'true', '"\\u00e9\\n"', '{"x":[1,"}"]}', '"\u00c3\u00a9"', '"\\""'];
  const object = often(
    fc.constantFrom(...VALUES).map((value) => `{"k":${value},"z":1}`),
    20,
    fc.constantFrom('{"z":1}', '{', 'x', '[1]', '{"k":null}', '{"k":1,"shard":2}', ' ', '\t'),
  );
  const objects = fc.array(fc.tuple(object, lineEnd), { maxLength: 60 }).map((lines) => lines.flat().join(''));

  it('for NDJSON', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(objects, fc.constantFrom('', '{"k":1}')).map((parts) => parts.join('')),
          { minLength: 1, maxLength: 4 },
        ),
        fc.boolean(),
        fc.boolean(),
        chunkBytes,
        (contents, areFiles, isStrict, bytes) =>
          checkSame(contents, { format: 'ndjson', key: 'k' }, areFiles, isStrict, bytes),
      ),
      { numRuns: runs * 2 },
    ));

  it('for lines', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(table, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        chunkBytes,
        (contents, areFiles, bytes) => checkSame(contents, undefined, areFiles, false, bytes),
      ),
      { numRuns: runs },
    ));
}
