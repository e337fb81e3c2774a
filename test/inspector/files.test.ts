import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';
import { openInput, plainText, textToShow, utf8Of } from '../../src/inspector/read/open.js';
import { zstdOf } from '../support/zstd.js';

const NOW = Date.UTC(2025, 0);
const A = '175928847299117063';
const B = '1541815603606036480';
const C = '286435872092454913';

type Files = Record<string, string | Uint8Array>;

async function inspected(files: Files, column?: string) {
  const texts = Object.entries(files).map(([name, content]) =>
    openInput(name, typeof content === 'string' ? new TextEncoder().encode(content) : content),
  );
  const view = new Inspection(await Promise.all(texts), NOW).view({ ...DEFAULTS, column });
  return { ...view, ids: view.firstRows.map(({ cells: [place, id] }) => `${place} ${id}`) };
}

/** What is read of a text in an encoding. */
function plain(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(plainText(bytes));
}

function utf16(text: string, bigEndian = false): Uint8Array {
  const bytes = Buffer.from(text, 'utf16le');
  return new Uint8Array(bigEndian ? bytes.swap16() : bytes);
}

describe('several files', () => {
  it('give the rows of all, one after the other', async () => {
    const { ids, files, bytes, kind } = await inspected({ 'a.txt': `${A}\n${B}`, 'b.txt': `\n${C}\n`, 'c.txt': A });
    expect(ids).toEqual([`a.txt:1 ${A}`, `a.txt:2 ${B}`, `b.txt:2 ${C}`, `c.txt:1 ${A}`]);
    expect({ files, bytes, kind }).toEqual({ files: 3, bytes: 76, kind: 'lines' });
  });

  it('may differ in what they are, and in their columns', async () => {
    const files = {
      'a.csv': `id,order_id\n1,${A}`,
      'b.jsonl': `{"order_id":"${B}"}\n{"no":1}`,
      'c.log': `saved ${C}`,
      'd.csv': `order_id;id\n${B};${C}`,
    };
    const guessed = await inspected(files);
    expect(guessed.kind).toBeUndefined();
    expect(guessed.sourceColumns).toEqual(['id', 'order_id', 'no', 'all ids']);
    const all = [`a.csv:2 ${A}`, `b.jsonl:1 ${B}`, 'b.jsonl:2 {"no":1}', `c.log:1:7 ${C}`];
    expect(guessed.ids).toEqual([...all, `d.csv:2 ${C}`]);
    const chosen = await inspected(files, 'order_id');
    expect(chosen.sourceColumns[chosen.sourceColumn]).toBe('order_id');
    expect(chosen.ids).toEqual([...all, `d.csv:2 ${B}`]);
    expect(chosen.bad).toBe(1);
  });

  it('are exported with the columns of each', async () => {
    const texts = ['name,id\nada,1\nbob,2', `{"id":"${A}","town":"Rome"}`, B].map((text, i) =>
      openInput(`${i}.txt`, new TextEncoder().encode(text)),
    );
    const inspection = new Inspection(await Promise.all(texts), NOW);
    inspection.view({ ...DEFAULTS, layout: { spec: 'all:64' } });
    expect([...inspection.export().pieces].join('').split('\r\n')).toEqual([
      expect.stringMatching(/^name,id,town,line,id_2,/),
      expect.stringMatching(/^ada,1,,0.txt:2,1,/),
      expect.stringMatching(/^bob,2,,0.txt:3,2,/),
      expect.stringMatching(`^,${A},Rome,1.txt:1,${A},`),
      expect.stringMatching(`^,,,2.txt:1,${B},`),
      '',
    ]);
  });
});

describe('compressed files', () => {
  const lines = `${A}\n${B}`.repeat(50);

  it.each([
    ['gzip', new Uint8Array(gzipSync(lines))],
    ['zstd', zstdOf(lines)],
    ['zstd in gzip', new Uint8Array(gzipSync(zstdOf(lines)))],
    [
      'zstd with a checksum',
      new Uint8Array(Buffer.from('KLUv/QRo/QAAcsIGCbB54ZbbMykcCLCLO8+dh6cMoR6RVUHyRw0xAKkBOKs=', 'base64')),
    ],
  ])('are unpacked: %s', async (_, bytes) => {
    const { ids } = await inspected({ ids: bytes });
    expect(ids[0]).toBe(`1 ${A}`);
  });

  it.each([
    ['gzip', new Uint8Array(gzipSync(lines))],
    ['zstd', zstdOf(lines)],
  ])('that are cut off are an error: %s', async (format, bytes) => {
    const cut = openInput('ids.log', bytes.subarray(0, bytes.length - 12));
    await expect(cut).rejects.toThrow(`it is truncated: its ${format} data has no end.`);
    const wrong = bytes.map((byte, i) => (i > 11 ? byte ^ 0xff : byte));
    await expect(openInput('ids.log', wrong.subarray(0, 40))).rejects.toThrow(/^it is (truncated|not valid)/);
  });
});

describe('files that expand to too much', () => {
  const zeros = new Uint8Array(3_000_000);
  const large = new Uint8Array(gzipSync(zeros));

  it.each([
    ['in one part', large, 2_000_000],
    ['in several', new Uint8Array(Buffer.concat([large, large, large])), 8_000_000],
    ['twice compressed', new Uint8Array(gzipSync(large)), 2_000_000],
  ])('say so: %s', async (_, bytes, most) => {
    await expect(openInput('a.gz', bytes, most)).rejects.toThrow(`it expands to more than ${most / 1e6} MB.`);
  });

  it('may have as much as is allowed', async () => {
    const ids = `${A}\n`.repeat(100_000);
    const { data } = await openInput('a.gz', new Uint8Array(gzipSync(ids)), ids.length);
    expect(data.length).toBe(ids.length);
    await expect(openInput('a.gz', new Uint8Array(gzipSync(ids)), ids.length - 1)).rejects.toThrow('more than');
  });
});

describe('a file without rows', () => {
  it.each(['', '\n \n', '\ufeff'])('is of no kind: %j', async (text) => {
    const view = await inspected({ 'empty.csv': text });
    expect(view).toMatchObject({ rows: 0, bad: 0, kind: undefined, files: 1, readings: [], isKnown: false, ids: [] });
    expect(await inspected({ 'empty.csv': text, 'b.txt': A })).toMatchObject({ rows: 1, kind: 'lines' });
  });
});

describe('encodings', () => {
  it.each([
    ['UTF-8 with its mark', new TextEncoder().encode(`\ufeffid\n${A}`), `id\n${A}`],
    ['UTF-16, little endian', utf16(`\ufeffid\n${A}`), `id\n${A}`],
    ['UTF-16, big endian', utf16(`\ufeffid\n${A}`, true), `id\n${A}`],
    ['UTF-16, little endian without a mark', utf16(`größe\n${A}`), `größe\n${A}`],
    ['UTF-16, big endian without a mark', utf16(`größe\n${A}`, true), `größe\n${A}`],
    ['no-break spaces', new TextEncoder().encode(`\u00a0${A}\u202f\n\u2009${B}\u3000`), ` ${A} \n ${B} `],
    ['zero-width spaces', new TextEncoder().encode(`\u200b${A.slice(0, 9)}\u200b${A.slice(9)}\u2060\ufeff`), A],
    ['lines of old Macs', new TextEncoder().encode(`${A}\r${B}`), `${A}\n${B}`],
    ['other characters', new TextEncoder().encode('… – é 用户 😀 \ufb01'), '… – é 用户 😀 \ufb01'],
  ])('are read: %s', (_, bytes, text) => {
    expect(plain(bytes)).toBe(text);
  });

  it('that nothing has to be changed for cost no copy', () => {
    const bytes = new TextEncoder().encode(`größe … ${A}\r\n${B}`);
    expect(plainText(bytes)).toBe(bytes);
  });

  it('of what is pasted', () => {
    for (const text of ['', A, `größe ${A}`, `${A} 😀`]) expect(utf8Of(text)).toEqual(new TextEncoder().encode(text));
  });

  it('of JSON from a web page', async () => {
    expect((await inspected({ 'a.json': `[\n\u00a0\u00a0{ "id":\u00a0"${A}" }\n]` })).ids).toEqual([`2 ${A}`]);
  });
});

describe('what is not text', () => {
  const random = Uint8Array.from({ length: 5000 }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 24) & 255);
  const noiseAfter = (start: string) => Uint8Array.from([...Buffer.from(start, 'latin1'), ...random]);

  it.each([
    ['photo.png', noiseAfter('\x89PNG\r\n\x1a\n'), 'it is not text but a PNG image.'],
    ['ids.zip', noiseAfter('PK\x03\x04'), /^it is not text but a ZIP archive: /],
    [
      'ids.xlsx',
      noiseAfter(`PK\x03\x04${'\0'.repeat(26)}[Content_Types].xml`),
      /^it is not text but an Office document: /,
    ],
    ['ids.pdf', new TextEncoder().encode('%PDF-1.7\n1 0 obj'), 'it is not text but a PDF document.'],
    ['ids.parquet', noiseAfter('PAR1\x15'), /Parquet/],
    ['noise', random, 'it is not text but binary data.'],
  ])('%s', async (name, bytes, message) => {
    await expect(openInput(name, bytes)).rejects.toThrow(message);
  });

  it('is not shown in the text box', () => {
    expect(textToShow(new TextEncoder().encode(`${A} …`))).toBe(`${A} …`);
    for (const bytes of [gzipSync(A), zstdOf(A), random, utf16(A), utf16(`\ufeff${A}`)]) {
      expect(textToShow(new Uint8Array(bytes))).toBeUndefined();
    }
  });

  it('is not a log with colours, or in Latin-1', () => {
    expect(plain(new TextEncoder().encode(`\u001b[32m${A}\u001b[0m`))).toContain(A);
    expect(plain(Uint8Array.from(Buffer.from(`größe ${A}`, 'latin1')))).toContain(A);
  });
});
