import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { hashLines, type Input, lineColumns, routeFile } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

const hex = (text: string): Uint8Array => Buffer.from(text, 'hex');
const table = tableFromArrays({ key: ['a', 'b'], id: Float64Array.of(1, 2) });
const utf32 = (text: string): Uint8Array =>
  new Uint8Array(Uint32Array.from(text, (c) => c.codePointAt(0) as number).buffer);
// printf 'a\n' | xz
const xz = hex(
  'fd377a585a000004e6d6b4460200210116000000742fe5a3010001610a00000013473fb8939d45d400011a02dc2ea57e1fb6f37d010000000004595a',
);
const zipOf = (name: string): Uint8Array =>
  Buffer.concat([hex('504b030414000600080000002100'), Buffer.alloc(16), Buffer.from(name)]);

/** A header of tar, as POSIX 1003.1 `pax` has it in "ustar Interchange Format". */
function tar(name: string): Uint8Array {
  const header = Buffer.alloc(512);
  header.write(name);
  const numbers = ['0000644', '0000000', '0000000', '00000000002', '14500000000', '010000', ' 0'];
  header.write(numbers.join('\0'), 100);
  header.write('ustar', 257);
  return header;
}
const CONVERT = 'convert it first: iconv -f';
const DECOMPRESS = 'decompress it first:';

const REFUSED: [name: string, bytes: Uint8Array, got: string, hint: string][] = [
  ['UTF-32', utf32('\ufeffa\n'), 'UTF-32', `${CONVERT} UTF-32 -t UTF-8 FILE | shardbits …`],
  ['UTF-32, big-endian', Buffer.from(utf32('\ufeffa\n')).swap32(), 'UTF-32', CONVERT],
  // printf 'a\n' | bzip2; printf '' | bzip2; of Python's zipfile: a file, and no files
  ['xz', xz, 'xz', `${DECOMPRESS} xz -dc FILE | shardbits …`],
  [
    'bzip2',
    hex('425a6839314159265359633ed6e2000000c100001020002000210082b177245385090633ed6e20'),
    'bzip2',
    `${DECOMPRESS} bzip2 -dc FILE | shardbits …`,
  ],
  ['bzip2 of no bytes', hex('425a683917724538509000000000'), 'bzip2', DECOMPRESS],
  [
    'zip',
    hex('504b03041400000000000000210007a1eadd0200000002000000010000006b610a504b'),
    'zip',
    `${DECOMPRESS} unzip -p FILE | shardbits …`,
  ],
  // Of Excel and of Python's openpyxl, by their first files; APPNOTE.TXT of PKWARE, 4.3.7
  ['a workbook', zipOf('[Content_Types].xml'), 'Office document', 'save its table as CSV first'],
  ['a workbook of Excel 97', hex('d0cf11e0a1b11ae10000000000000000'), 'Office document', 'save its table as CSV first'],
  ['a workbook of openpyxl', zipOf('docProps/app.xml'), 'Office document', 'save its table as CSV first'],
  ['zip of no files', hex('504b0506000000000000000000000000000000000000'), 'zip', DECOMPRESS],
  // The header of a dictionary page, of a data page, and of a file without rows: Thrift's compact protocol begins with
  // field 1, an i32: https://github.com/apache/parquet-format#file-format
  ['Parquet', hex('5041523115041510151415022c'), 'Parquet', 'from a file, by its name'],
  ['Parquet without a dictionary', hex('5041523115001510151415022c'), 'Parquet', 'not from a pipe'],
  ['Parquet without rows', hex('504152311502192c'), 'Parquet', 'not from a pipe'],
  // The frame's magic number: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
  ['lz4', hex('04224d186440a70200008061'), 'lz4', `${DECOMPRESS} lz4 -dc FILE | shardbits …`],
  // printf 'a\n' > users.csv; tar -c users.csv
  ['tar', tar('users.csv'), 'tar', 'tar -xOf FILE NAME | shardbits …'],
  ['tar of a name of 100 bytes', tar('é'.repeat(50)), 'tar', 'tar -xOf FILE NAME'],
  // https://avro.apache.org/docs/1.12.0/specification/#object-container-files
  ['Avro', hex('4f626a0104166176726f2e736368656d61'), 'Avro', 'avro-tools.jar tojson FILE'],
  // https://orc.apache.org/specification/ORCv1/: the header, then a stream that is compressed
  ['ORC', hex('4f52431100000a0612040801'), 'ORC', 'Parquet or CSV'],
  ['PNG', hex('89504e470d0a1a0a0000000d49484452'), 'PNG', 'it is a picture'],
  ['PDF', Buffer.from('%PDF-1.7\n'), 'PDF', 'pdftotext'],
  ['an Arrow file', tableToIPC(table, 'file'), 'Arrow', 'shardbits/arrow'],
  ['an Arrow stream', tableToIPC(table, 'stream'), 'Arrow', 'shardbits/arrow'],
];

const TEXT: string[] = [
  'PK',
  'PK\n',
  'PKW-123\n',
  'PK\x03\n',
  'BZh',
  'BZh9\n',
  'BZh91AY&S\n',
  'BZh01AY&SY\n',
  'PAR',
  'PAR1',
  'PAR1\n',
  'PAR1\r\n',
  'PAR1\t2\n',
  'PARIS\n',
  'ARROW1',
  'ARROW1\n',
  'ARROW12\n',
  '\x89PNG\n',
  '%PDF\n',
  '%PDF-A.1\n',
  '\xfd7zXZ\n',
  '\xff',
  '\xfe\n',
  '\xff\xff\xff\xff\n',
  '\xff\xff\xff\xff\x08abc\n',
  '\0\0\xfe\n',
  '\x28\xb5\n',
  '\x04\n',
  'Obj',
  'Obj\n',
  'Object\n',
  'ORC',
  'ORC\n',
  'ORCA1\n',
  `${'a'.repeat(257)}ustar\n`.slice(1),
];

function file(bytes: Uint8Array): string {
  const path = join(temporaryFolder(), 'keys');
  writeFileSync(path, bytes);
  return path;
}

async function read(input: Input): Promise<string> {
  const lines: Buffer[] = [];
  for await (const { data, offsets } of lineColumns(input)) {
    for (let i = 1; i < offsets.length; i++) lines.push(Buffer.from(data.subarray(offsets[i - 1], offsets[i])));
  }
  return lines.join('|');
}

const bytewise = (bytes: Uint8Array): Readable => Readable.from(Array.from(bytes, (byte) => Uint8Array.of(byte)));

describe('what is not lines of text is refused, with its name and what to do', () => {
  it.each(REFUSED)('%s', async (_, bytes, got, hint) => {
    const path = file(bytes);
    for (const [input, name] of [
      [path, path],
      [Readable.from([bytes]), '-'],
      [bytewise(bytes), '-'],
      [Readable.from([gzipSync(bytes)]), '-'],
    ] as const) {
      await expect(read(input)).rejects.toMatchObject({
        name: 'UnsupportedFormatError',
        message: expect.stringMatching(`: expected lines of text, got ${got}; `),
        code: 'ERR_UNSUPPORTED_FORMAT',
        expected: 'lines of text, plain or compressed by gzip or zstd',
        file: name,
        got,
        hint: expect.stringContaining(hint),
      });
    }
  });

  it('after the lines of the files before it, on any number of threads', async () => {
    const out = join(temporaryFolder(), 'out');
    const bad = file(REFUSED[5]?.[1]);
    for (const threads of [1, 2]) {
      const running = routeFile([file(Buffer.from('a\n')), bad], { router: new Router({ shards: 3 }), out, threads });
      await expect(running).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED_FORMAT', file: bad, path: bad });
    }
  });

  it('by the command line, with exit code 1', async () => {
    const path = file(xz);
    const message = 'expected lines of text, got xz; decompress it first: xz -dc FILE | shardbits …';
    expect(await runHere(['hash', path])).toMatchObject({ code: 1, stderr: `error: ${path}: ${message}\n` });
    expect(await runHere(['hash'], { input: [xz] })).toMatchObject({ code: 1, stderr: `error: -: ${message}\n` });
  });
});

describe('text that begins much like another format', () => {
  it.each(TEXT)('is text: %j', async (text) => {
    const bytes = Buffer.from(text, 'latin1');
    const line = bytes.toString().replace(/\r?\n$/, '');
    for (const input of [file(bytes), Readable.from([bytes]), bytewise(bytes), Readable.from([gzipSync(bytes)])]) {
      expect(await read(input)).toBe(line);
    }
  });

  it.each(TEXT.filter((text) => text.endsWith('\n')))('is read when its first line has come: %j', async (text) => {
    const input = new PassThrough();
    const lines = hashLines(input);
    for (const byte of Buffer.from(text, 'latin1')) input.write(Uint8Array.of(byte));
    expect((await lines.next()).value?.lines.count).toBe(1);
    await lines.return(undefined);
  });
});

describe('a stream that is read no further is closed', () => {
  it.each([
    ['after bad data', 'x\n', { keys: 'u64' }],
    ['after bad data that was compressed', gzipSync('x\n'), { keys: 'u64' }],
    ['in a format that is not read', xz, {}],
  ] as const)('%s', async (_, bytes, options) => {
    const input = new PassThrough();
    input.write(bytes);
    await expect(hashLines(input, options).next()).rejects.toThrow('expected');
    expect(input.destroyed).toBe(true);
  });

  it('when nobody wants more of it', async () => {
    for (const bytes of [Buffer.from('a\n'), gzipSync('a\n')]) {
      const input = new PassThrough();
      input.write(bytes);
      const lines = hashLines(input);
      await lines.next();
      await lines.return(undefined);
      expect(input.destroyed).toBe(true);
    }
  });
});
