import { Problem } from './problems.js';

// Decimals as programs write them, not as digits alone: -5 (PostgreSQL and Java print ids as signed), 5n, 1_541_815
// and, among decimals, 0xff. Few columns have any, so that these are read as text, at 400 ns each.

/** Longer texts are not numbers that anybody wrote: 20 digits with separators, and a fraction. */
const MOST_BYTES = 48;
/** Signs are below digits, letters above. */
const NINE = 0x39;

const NUMBER = /^(?:[-+]?(?:\d+|\d{1,3}(?:_\d{3})+)|0x[\da-f]+)n?$/i;
const FLOAT = /^[-+]?(?:\d+[.,]0*|\d+(?:[.,]\d+)?e\+?\d+)$/i;

/**
 * The id of `data[start..end)`, below 0 if it is written as a signed number; or the problem with it.
 * A float above 2^53 is a number whose last digits were lost.
 */
export function readWritten(data: Uint8Array, start: number, end: number): bigint | Problem {
  if (end - start > MOST_BYTES || (data[start] as number) > NINE) return Problem.notInFormat;
  const text = String.fromCharCode(...data.subarray(start, end));
  if (NUMBER.test(text)) {
    const id = BigInt(text.replace(/[_n+]/g, ''));
    return id < -(2n ** 63n) || id >= 2n ** 64n ? Problem.tooLarge : id;
  }
  const isRounded = FLOAT.test(text) && Math.abs(Number(text.replace(',', '.'))) > Number.MAX_SAFE_INTEGER;
  return isRounded ? Problem.precisionLost : Problem.notInFormat;
}
