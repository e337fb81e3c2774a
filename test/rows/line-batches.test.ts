import { describe, expect, it } from 'vitest';
import type { Kernels } from '../../src/kernels/index.js';
import type { Batch, Piece } from '../../src/rows/batch.js';
import { LineBatches } from '../../src/rows/sources/lines.js';
import { onBothBackends } from '../support/backends.js';

/** Feeds bytes in pieces of some lengths, the last one over and over. */
function* feed(batches: LineBatches, bytes: Uint8Array, byteLengths: readonly number[]): Generator<string[]> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const room = batches.room();
    const piece = bytes.subarray(at, at + Math.min(room.length, byteLengths[i] ?? (byteLengths.at(-1) as number)));
    room.set(piece);
    batches.filled(piece.length);
    at += piece.length;
    for (let lines = batches.next(); lines !== undefined; lines = batches.next()) yield textsOf(lines);
  }
  batches.ended();
  const last = batches.next();
  if (last !== undefined) yield textsOf(last);
}

function textsOf(lines: Piece): string[] {
  const { data, starts, ends } = lines as Batch;
  return Array.from(starts, (start, i) => Buffer.from(data.subarray(start, ends[i])).toString('latin1'));
}

function linesOf(kernels: Kernels, bytes: Uint8Array, ...byteLengths: number[]): string[] {
  const batches = new LineBatches(kernels);
  const lines = [...feed(batches, bytes, byteLengths)].flat();
  batches.free();
  return lines;
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

onBothBackends('a byte order mark', (kernels) => {
  it('is not part of the first line, wherever it is cut; others are', () => {
    const bytes = Buffer.from('\ufeff\ufeffa\nb\r\n\ufeffc');
    for (let first = 1; first < bytes.length; first++) {
      for (let second = 1; first + second < bytes.length; second++) {
        expect(linesOf(kernels, bytes, first, second, 100)).toEqual([latin1('\ufeffa'), 'b', latin1('\ufeffc')]);
      }
    }
  });

  it.each([
    ['alone is no line', '\ufeff', []],
    ['before a newline is an empty line', '\ufeff\n', ['']],
    ['in part is a line', Buffer.of(0xef, 0xbb), ['\xef\xbb']],
    ['in part, before a newline, too', Buffer.of(0xef, 0x0a, 0xbb, 0xbf), ['\xef', '\xbb\xbf']],
    ['in UTF-16 is a matter of others', Buffer.of(0xfe, 0xff, 0x0a), ['\xfe\xff']],
  ])('%s', (_, text, lines) => {
    for (const byteLength of [1, 2, 3, 100]) {
      expect(linesOf(kernels, Buffer.from(text as string), byteLength)).toEqual(lines);
    }
  });

  it('makes no line wait for more than its newline', () => {
    for (const text of ['\n', 'a\n', '\xef\n', '\xef\xbb\n', '\xef\xbb\xbf\n']) {
      const batches = new LineBatches(kernels);
      const bytes = Buffer.from(text, 'latin1');
      batches.room().set(bytes);
      batches.filled(bytes.length);
      expect(batches.next()).toHaveProperty('count', 1);
      batches.free();
    }
  });

  it('is left out again after a restart, but not in the midst of a file', () => {
    const batches = new LineBatches(kernels);
    const bytes = Buffer.from('\ufeffa\n');
    for (const [isStart, line] of [
      [undefined, 'a'],
      [false, latin1('\ufeffa')],
      [true, 'a'],
    ] as const) {
      batches.restart(isStart);
      expect([...feed(batches, bytes, [2])]).toEqual([[line]]);
    }
    batches.free();
  });
});

onBothBackends('a line as long as may be', (kernels) => {
  const LONGEST = 1_000_000;
  const line = (byteLength: number): string => 'x'.repeat(byteLength);
  const run = (text: string, byteLength: number): { lines: number[]; error: unknown } => {
    const batches = new LineBatches(kernels, LONGEST);
    const lines: number[] = [];
    try {
      for (const texts of feed(batches, Buffer.from(text), [byteLength])) lines.push(...texts.map((one) => one.length));
      return { lines, error: undefined };
    } catch (error) {
      return { lines, error };
    } finally {
      batches.free();
    }
  };

  describe.each([10_000, 65_536, 300_000, 1e9])('in reads of %i bytes', (byteLength) => {
    it.each(['', '\n', '\r\n'])('is taken, before %j', (end) => {
      const text = `a\n${line(LONGEST)}${end}`;
      expect(run(text, byteLength)).toEqual({ lines: [1, LONGEST], error: undefined });
      expect(run(`${text}${end && `${line(LONGEST)}${end}b`}`, byteLength).error).toBeUndefined();
    });

    it.each(['', '\n', '\r\n', 'x'.repeat(3 * LONGEST)])('and no longer; lines before it are (%#)', (end) => {
      for (const before of ['', 'a\nb\n']) {
        const { lines, error } = run(`${before}${line(LONGEST + 1)}${end}`, byteLength);
        expect(lines).toEqual(before === '' ? [] : [1, 1]);
        expect(error).toMatchObject({
          name: 'RangeError',
          code: 'ERR_OUT_OF_RANGE',
          line: before === '' ? 1 : 3,
          expected: 'at most 1000000 bytes in a line',
          got: expect.toSatisfy((got: number) => got > LONGEST),
        });
      }
    });
  });

  it('is shorter where there is less memory', () => {
    const poor = {
      name: kernels.name,
      column: (type: 'u8', length: number) => {
        if (length > 2_000_000) throw new RangeError('Array buffer allocation failed');
        return kernels.column(type, length);
      },
    } as unknown as Kernels;
    const batches = new LineBatches(poor);
    const error = /^line 2: expected at most \d+ bytes in a line, got \d+$/;
    expect(() => [...feed(batches, Buffer.from(`a\n${line(4_000_000)}\n`), [65_536])]).toThrow(error);
    batches.free();
  });
});
