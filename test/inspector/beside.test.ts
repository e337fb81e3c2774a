import { describe, expect, it } from 'vitest';
import { categoryOf, timeInLine } from '../../src/inspector/decode/beside.js';
import { CellList, type Cells } from '../../src/inspector/read/cells.js';

describe('the time of a line', () => {
  it.each<[string, string]>([
    // RFC 3339, section 5.8, and what logs have at the start of a line.
    ['1985-04-12T23:20:50.52Z connected', '1985-04-12T23:20:50.520Z'],
    ['1996-12-19T16:39:57-08:00 connected', '1996-12-20T00:39:57Z'],
    ['2024-03-01T10:30:15Z INFO saved 175928847299117063', '2024-03-01T10:30:15Z'],
    ['2024-03-01T10:30:15.123Z INFO', '2024-03-01T10:30:15.123Z'],
    ['2024-03-01 10:30:15,123 INFO as Python writes it', '2024-03-01T10:30:15.123Z'],
    ['2024-03-01 10:30:15.123456 UTC', '2024-03-01T10:30:15.123Z'],
    ['2024-03-01 10:30:15 +0100 INFO', '2024-03-01T09:30:15Z'],
    ['2024-03-01 10:30:15+01:00 INFO', '2024-03-01T09:30:15Z'],
    ['2024-03-01T10:30 short', '2024-03-01T10:30:00Z'],
    ['[2024-03-01 10:30:15] in brackets', '2024-03-01T10:30:15Z'],
    ['{"level":"info","time":"2024-03-01T10:30:15.500Z"}', '2024-03-01T10:30:15.500Z'],
    ['INFO at=2024-03-01T10:30:15Z', '2024-03-01T10:30:15Z'],
    // The example of the log format of Apache httpd.
    ['127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326', '2000-10-10T20:55:36Z'],
    ['1709289015 INFO in Unix seconds', '2024-03-01T10:30:15Z'],
    ['ts=1709289015 user=175928847299117063', '2024-03-01T10:30:15Z'],
    ['{"level":30,"time":1709289015500,"msg":"as pino writes it"}', '2024-03-01T10:30:15.500Z'],
    ['{"timestamp": 1709289015500}', '2024-03-01T10:30:15.500Z'],
    ['of two 2024-03-01T10:30:15Z and 2024-04-01T10:30:15Z the first', '2024-03-01T10:30:15Z'],
  ])('%s', (line, iso) => {
    expect(timeInLine(line)).toBe(Date.parse(iso));
  });

  it.each([
    '',
    'no time',
    '2024-03-01 is a day',
    '10:30:15 of no day',
    '2024-13-41T10:30:15Z',
    '2024-02-30T10:30:15Z',
    '99/Foo/2000:13:55:36 -0700',
    'user=175928847299117063',
    'ts=17092890155001234',
    'counts=1709289015500',
  ])('“%s” has none', (line) => {
    expect(timeInLine(line)).toBeNaN();
  });

  it('takes a time that grows with the length of the line', () => {
    for (const part of ['2024-03-01T10:30', '1/', '[ts=', '2024-', ' 10/Oct/2000:', '"time": ']) {
      timeInLine(part.repeat(1_000_000 / part.length));
    }
  });
});

function cellsOf(texts: readonly string[]): Cells {
  const cells = new CellList(new TextEncoder().encode(texts.join('\n')));
  let at = 0;
  texts.forEach((text, i) => {
    const { length } = new TextEncoder().encode(text);
    cells.push(at, at + length, i + 1);
    at += length + 1;
  });
  return cells.finish();
}

describe('the values of another column', () => {
  it('are numbers from 1, the most frequent first', () => {
    const { names, values } = categoryOf(cellsOf(['new', 'paid', 'größer', 'paid', '', 'paid', 'größer']));
    expect(names).toEqual(['paid', 'größer', 'new']);
    expect([...values]).toEqual([3, 1, 2, 1, 0, 1, 2]);
  });

  it('of those that are as frequent the first one comes first', () => {
    expect(categoryOf(cellsOf(['c', 'a', 'b', 'a', 'c', 'b'])).names).toEqual(['c', 'a', 'b']);
  });

  it('are none of no rows', () => {
    expect(categoryOf(cellsOf([]))).toEqual({ names: [], values: new Uint16Array(0) });
    expect([...categoryOf(cellsOf(['', ''])).values]).toEqual([0, 0]);
  });

  it('may be of some rows only', () => {
    const { names, values } = categoryOf(cellsOf(['a', 'b', 'c', 'b', 'a', 'a']), Uint32Array.of(1, 2, 3));
    expect(names).toEqual(['b', 'c']);
    expect([...values]).toEqual([1, 2, 1]);
  });

  it('are a thousand at most', () => {
    const { names, values } = categoryOf(cellsOf(Array.from({ length: 1200 }, (_, i) => `v${i}`)));
    expect(names).toHaveLength(1000);
    expect([...values.subarray(995, 1005)]).toEqual([996, 997, 998, 999, 1000, 0, 0, 0, 0, 0]);
  });
});
