import { NO_TIME, timeOfText, type WideIdFormat } from './format.js';
import { hexAt } from './hex.js';

// RFC 9562. Its section 4 has the text, with hyphens; without them it is common, too.

const WITH_HYPHENS = 36;
const HYPHEN = 0x2d;

/** RFC 9562, section 4.1: the upper two bits of octet 8. Other values are those of Apollo and Microsoft, or reserved. */
const VARIANT = 0b10;

/** Milliseconds from 1582-10-15, from which versions 1 and 6 count 100 ns, to 1970-01-01. */
const GREGORIAN_MS = 12219292800000;

export const uuid: WideIdFormat = {
  lengths: [WITH_HYPHENS, 32],

  timeAt(data, at, length) {
    const hyphen = length === WITH_HYPHENS ? 1 : 0;
    if (hyphen === 1 && !hasHyphens(data, at)) return Number.NaN;
    // The fields of version 1, section 5.1. In other versions the same bits have other meanings.
    const low = hexAt(data, at, 8);
    const mid = hexAt(data, at + 8 + hyphen, 4);
    const high = hexAt(data, at + 12 + 2 * hyphen, 4);
    const clock = hexAt(data, at + 16 + 3 * hyphen, 4);
    const node = hexAt(data, at + 20 + 4 * hyphen, 12);
    if (Number.isNaN(low + mid + high + clock + node)) return Number.NaN;
    if (clock >>> 14 !== VARIANT) return NO_TIME;
    const rest = high & 0xfff; // below the version
    switch (high >>> 12) {
      case 1:
        return fromTicks(rest * 0x10000 + mid, low);
      case 6: // section 5.6: the same 60 bits, most significant first
        return fromTicks(low >>> 4, (low & 15) * 0x10000000 + mid * 0x1000 + rest);
      case 7: // section 5.7: 48 bits of Unix milliseconds
        return low * 0x10000 + mid;
      default:
        return NO_TIME;
    }
  },

  expected(text) {
    if (Number.isNaN(timeOfText(text, uuid))) {
      return 'a UUID such as 017f22e2-79b0-7cc3-98c4-dc0c0c07398f, with or without hyphens';
    }
    const digits = text.replaceAll('-', '');
    const version = Number.parseInt(digits.charAt(12), 16);
    return Number.parseInt(digits.charAt(16), 16) >>> 2 === VARIANT
      ? `a UUID of version 1, 6 or 7 (a UUID of version ${version} has no time)`
      : 'a UUID of RFC 9562, whose 17th digit is 8, 9, a or b (a UUID of another variant has no time)';
  },
};

function hasHyphens(data: Uint8Array, at: number): boolean {
  return data[at + 8] === HYPHEN && data[at + 13] === HYPHEN && data[at + 18] === HYPHEN && data[at + 23] === HYPHEN;
}

/** Below this, a number holds milliseconds with microseconds exactly: until 2248. */
const MAX_FRACTIONAL_MS = 2 ** 43;

/**
 * The Unix milliseconds of a count of 100 ns since 1582, rounded to the nearest microsecond.
 * @param high the upper 28 bits of the count
 * @param low the lower 32 bits of the count
 */
function fromTicks(high: number, low: number): number {
  const ticks = high * 7296 + low; // 2^32 ticks are 429,496 milliseconds and 7,296 ticks
  const ms = high * 429496 + Math.floor(ticks / 10000) - GREGORIAN_MS;
  const us = Math.floor(((ticks % 10000) + 5) / 10);
  // The sum would be inexact in its last bit near 1970, and the product far from 1970.
  return Math.abs(ms) < MAX_FRACTIONAL_MS ? (ms * 1000 + us) / 1000 : ms + us / 1000;
}
