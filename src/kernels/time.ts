import type { TimeScale } from './contract.js';

/** The Unix milliseconds at which a unit begins. */
export function unitToMs(units: number, { offset, mul, div }: TimeScale): number {
  return (offset + units * mul) / div;
}

/** The unit that a time is in; no integer for NaN and infinities. A tick below a millisecond is the nearest one. */
export function msToUnit(ms: number, { offset, mul, div }: TimeScale): number {
  return Math.floor((ticksAt(ms, div) - offset) / mul);
}

/** The ticks since 1970, of which a millisecond has `div`. */
export function ticksAt(ms: number, div: number): number {
  const whole = Math.floor(ms);
  return div === 1 ? whole : whole * div + Math.floor((ms - whole) * div + 0.5);
}
