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

export const TIME_UNITS = /* @__PURE__ */ Object.keys(UNITS) as readonly TimeUnit[];

/**
 * How units of time become Unix milliseconds: `(offset + units * mul) / div`. A unit has `mul` ticks, a millisecond
 * `div`, and `offset` is the epoch in ticks. All three are integers.
 */
export interface TimeScale {
  readonly offset: number;
  readonly mul: number;
  readonly div: number;
}

/** The scale of units since an epoch in Unix milliseconds. */
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
export function ticksAt(ms: number, div: number): number {
  const whole = Math.floor(ms);
  return div === 1 || whole === ms ? whole * div : whole * div + Math.floor((ms - whole) * div + 0.5);
}
