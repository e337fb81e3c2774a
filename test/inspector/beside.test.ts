import { describe, expect, it } from 'vitest';
import { timeInLine } from '../../src/inspector/decode/beside.js';

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
