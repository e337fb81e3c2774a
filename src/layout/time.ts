import { namesIn, showInstant } from '../arguments.js';

/** A unit has `mul` ticks, a millisecond `div`: a tick is a millisecond, or a microsecond for units below a millisecond. */
const UNITS = {
  s: { mul: 1000, div: 1 },
  '10ms': { mul: 10, div: 1 },
  ms: { mul: 1, div: 1 },
  '10us': { mul: 10, div: 1000 },
  us: { mul: 1, div: 1000 },
} as const;

/**
 * A unit of time in a field.
 * @useDeclaredType
 */
export type TimeUnit = keyof typeof UNITS;

export const TIME_UNITS = /* @__PURE__ */ namesIn(UNITS);

/**
 * How units of time become Unix milliseconds: `(offset + units * mul) / div`. A unit has `mul` ticks, a millisecond
 * `div`, and `offset` is the epoch in ticks. All three are integers.
 */
export type TimeScale = { readonly offset: number; readonly mul: number; readonly div: number };

export function scaleOf(epoch: number, unit: TimeUnit): TimeScale {
  const { mul, div } = UNITS[unit];
  return { offset: epoch * div, mul, div };
}

/** The Unix milliseconds at which a unit begins. */
export function unitToMs(units: number, { offset, mul, div }: TimeScale): number {
  return (offset + units * mul) / div;
}

/** The first unit that begins at a time or later. */
export function firstUnitFrom(ms: number, { offset, mul, div }: TimeScale): number {
  return Math.ceil((ms * div - offset) / mul);
}

/** The unit that a time falls into; NaN or infinite if `ms` is. A fraction of a millisecond is rounded to the nearest tick. */
export function msToUnit(ms: number, { offset, mul, div }: TimeScale): number {
  return Math.floor((ticksAt(ms, div) - offset) / mul);
}

/** The ticks since 1970. A millisecond has `div` ticks. */
function ticksAt(ms: number, div: number): number {
  const whole = Math.floor(ms);
  return div === 1 || whole === ms ? whole * div : whole * div + Math.floor((ms - whole) * div + 0.5);
}

export const MAX_DATE_MS = 8.64e15;

// Doubles hold whole milliseconds exactly up to 2^53, and tell two microseconds apart below 2^43 ms.
const MAX_WHOLE_MS = 2 ** 53;
const MAX_FRACTIONAL_MS = 2 ** 43;

export class Clock {
  readonly scale: TimeScale;
  /** The first and the last unit whose Unix milliseconds a number holds exactly. */
  readonly first: bigint;
  readonly last: bigint;
  /** Whether arithmetic in doubles is exact for all times from the first to the last unit. */
  readonly isExact: boolean;
  readonly #mostMs: number;
  readonly #big: { readonly [part in keyof TimeScale]: bigint };

  /**
   * Counts units since an epoch.
   * @param epoch Unix milliseconds, an integer
   */
  constructor(
    readonly epoch: number,
    readonly unit: TimeUnit,
    min: bigint,
    max: bigint,
  ) {
    this.scale = scaleOf(epoch, unit);
    const { mul, div } = this.scale;
    const big = { offset: BigInt(epoch) * BigInt(div), mul: BigInt(mul), div: BigInt(div) };
    this.#big = big;
    this.#mostMs = div === 1 ? MAX_WHOLE_MS : MAX_FRACTIONAL_MS;
    const reach = BigInt(this.#mostMs) * big.div;
    const first = -floorOf(reach + big.offset, big.mul);
    const last = floorOf(reach - big.offset, big.mul);
    this.first = first > min ? first : min;
    this.last = last < max ? last : max;
    const isWithin = this.#ticksOf(this.last + 1n) <= reach + 1n; // also times within the last unit
    const largest = this.last * big.mul;
    this.isExact = isWithin && largest <= MAX_WHOLE_MS && Math.abs(this.scale.offset) <= MAX_WHOLE_MS / 2;
  }

  /** The unit that a time falls into; undefined for NaN, and beyond `most` milliseconds before or after 1970. */
  unitAt(unixMs: number, most = this.#mostMs): bigint | undefined {
    if (!(Math.abs(unixMs) <= most)) return undefined;
    const whole = Math.floor(unixMs);
    // For a time just before a whole millisecond, the difference rounds to 1.
    const part = this.scale.div === 1 ? 0 : ticksAt(unixMs - whole, this.scale.div);
    const ticks = BigInt(whole) * this.#big.div + BigInt(part);
    return floorOf(ticks - this.#big.offset, this.#big.mul);
  }

  /** The Unix milliseconds at which a unit begins, exact from the first to the last unit. */
  msOf(units: bigint): number {
    return Number(this.#ticksOf(units)) / this.scale.div;
  }

  /** When a unit begins, in whole milliseconds; an invalid Date if a Date cannot hold it. */
  dateOf(units: bigint): Date {
    return new Date(Number(this.#wholeMsOf(units)));
  }

  show(units: bigint): string {
    return showInstant(this.#wholeMsOf(units));
  }

  #wholeMsOf(units: bigint): bigint {
    return floorOf(this.#ticksOf(units), this.#big.div);
  }

  #ticksOf(units: bigint): bigint {
    return this.#big.offset + units * this.#big.mul;
  }
}

function floorOf(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return quotient * divisor > dividend ? quotient - 1n : quotient;
}
