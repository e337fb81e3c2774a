import { randomBytes } from '../support/random.js';

/** Files whose lines are keys, by name. @param megabytes how long the longest lines are */
export function lineInputs(megabytes: number): [name: string, bytes: Uint8Array][] {
  const long = Buffer.alloc(1_000_000 * megabytes, 'long line ');
  return [
    ['lines', Buffer.from('a\nbc\ndef\n')],
    ['a last line without a newline', Buffer.from('a\nbc\ndef')],
    ['CRLF', Buffer.from('a\r\nbc\r\n\r\nx\ry\r\nlast\r')],
    ['empty lines', Buffer.from('\n\na\n\n\n')],
    ['no bytes', Buffer.from('')],
    ['one newline', Buffer.from('\n')],
    [`one line of ${megabytes} MB`, long],
    [
      `lines of ${megabytes} MB among others`,
      Buffer.concat([Buffer.from('a\n'), long, Buffer.from('\r\nb\n'), long, Buffer.from('\n\nc')]),
    ],
    ['bytes that are not UTF-8', randomBytes(100_000)],
    ['NUL', Buffer.from('a\0b\n\0\n')],
    ['a byte order mark, which is not part of the first key, and others, which are', Buffer.from('\ufeffa\n\ufeffb\n')],
    ['nothing but a byte order mark', Buffer.from('\ufeff')],
    ['part of a byte order mark', Buffer.of(0xef, 0xbb)],
    ['more empty lines than fit a batch', Buffer.alloc(40_000, '\n')],
    [
      'lines that end at the reads',
      Buffer.concat(Array.from({ length: 40 }, () => Buffer.from(`${'x'.repeat(65_535)}\n`))),
    ],
  ];
}
