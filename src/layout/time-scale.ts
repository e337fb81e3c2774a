/** A unit has so many ticks, and a millisecond so many: ticks are milliseconds, or microseconds for finer units. */
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

export const TIME_UNITS = /* @__PURE__ */ Object.keys(UNITS) as readonly TimeUnit[];

/**
 * How units of time become Unix milliseconds: `(offset + units * mul) / div`. A unit is `mul` ticks and a millisecond
 * `div` ticks, and all of these are integers.
 */
export interface TimeScale {
  readonly offset: number;
  readonly mul: number;
  readonly div: number;
}

/** How units since an epoch count time. */
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

/** The unit that a time is in; no integer for NaN and infinities. A tick below a millisecond is the nearest one. */
export function msToUnit(ms: number, { offset, mul, div }: TimeScale): number {
  return Math.floor((ticksAt(ms, div) - offset) / mul);
}

/** The ticks since 1970, of which a millisecond has `div`. */
export function ticksAt(ms: number, div: number): number {
  const whole = Math.floor(ms);
  return div === 1 || whole === ms ? whole * div : whole * div + Math.floor((ms - whole) * div + 0.5);
}
