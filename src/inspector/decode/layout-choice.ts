import { defineLayout, type FieldSpec, type Layout, layouts, parseLayout, type TimeUnit } from '../../index.js';
import { refusalOf } from './refusal.js';

/** A layout as it is chosen: a preset's name or fields, and what its timestamp counts, where that is not the layout's own. */
export interface LayoutChoice {
  readonly spec: string;
  /** Unix milliseconds. */
  readonly epoch?: number | undefined;
  readonly unit?: TimeUnit | undefined;
}

/** A field with its place in an id. */
export interface Place {
  readonly name: string;
  readonly bits: number;
  readonly shift: number;
  readonly mask: bigint;
  readonly min: number;
  readonly epoch?: number | undefined;
  readonly unit?: TimeUnit | undefined;
}

export const UNIT_LENGTHS_MS: Record<TimeUnit, number> = {
  s: 1000,
  '10ms': 10,
  ms: 1,
  '10us': 0.01,
  us: 0.001,
};

export const PRESETS = Object.keys(layouts) as (keyof typeof layouts)[];

export function isPreset(spec: string): spec is keyof typeof layouts {
  return Object.hasOwn(layouts, spec);
}

/** @throws RangeError with a message for people */
export function layoutOf({ spec, epoch, unit }: LayoutChoice): Layout {
  const layout = inOwnWords(() => parseLayout(spec.trim()));
  if (epoch === undefined && unit === undefined) return layout;
  const time = timePlace(placesOf(layout));
  if (time === undefined) return layout; // what was set for another layout waits for one that has a time
  const fields: Record<string, FieldSpec> = { ...layout.fields };
  fields[time.name] = {
    bits: time.bits,
    epoch: epoch ?? (time.epoch as number),
    unit: unit ?? (time.unit as TimeUnit),
  };
  return inOwnWords(() => defineLayout(fields));
}

function inOwnWords<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new RangeError(refusalOf(error));
  }
}

/** The fields of a layout, most significant first. */
export function placesOf(layout: Layout): Place[] {
  let shift = layout.bits;
  return Object.entries(layout.fields).map(([name, { bits, min, epoch, unit }]) => {
    shift -= bits;
    return { name, bits, min, shift, mask: (1n << BigInt(bits)) - 1n, epoch, unit };
  });
}

export function timePlace(places: readonly Place[]): Place | undefined {
  return places.find(({ epoch }) => epoch !== undefined);
}

export function fieldValue(place: Place, id: bigint): bigint {
  return (id >> BigInt(place.shift)) & place.mask;
}

const MAX_DATE_MS = 8.64e15;

/** The instant at which units begin, or undefined beyond what a Date holds. */
export function dateOfUnits({ epoch, unit }: Place, units: number): Date | undefined {
  const ms = (epoch as number) + units * UNIT_LENGTHS_MS[unit as TimeUnit];
  return Math.abs(ms) > MAX_DATE_MS ? undefined : new Date(ms);
}

/** As parseLayout reads it. */
export function specOf(places: readonly { name: string; bits: number }[]): string {
  return places.map(({ name, bits }) => `${name}:${bits}`).join(',');
}

/** The same layout with other fields: its epoch and unit stay. */
export function withFields(layout: Layout, fields: readonly { name: string; bits: number }[]): LayoutChoice {
  const time = timePlace(placesOf(layout));
  const spec = specOf(fields);
  return time === undefined ? { spec } : { spec, epoch: time.epoch, unit: time.unit };
}

/** Bits above and below a border: border i is above field i, and above the topmost are bits that the layout leaves. */
export function aroundBorder(places: readonly { bits: number }[], border: number): { above: number; below: number } {
  const below = places[border]?.bits ?? 0;
  return { above: border === 0 ? 64 - bitsOf(places) : (places[border - 1]?.bits ?? 0), below };
}

/** Moves a border so that there are `wanted` bits above it, or as many as can be: every field keeps a bit. */
export function moveBorder(
  places: readonly { name: string; bits: number }[],
  border: number,
  wanted: number,
): { name: string; bits: number }[] {
  const { above, below } = aroundBorder(places, border);
  const least = border === 0 ? 0 : 1;
  const moved = Math.min(above + below - 1, Math.max(least, wanted));
  return places.map(({ name, bits }, i) => {
    if (i === border) return { name, bits: above + below - moved };
    return { name, bits: i === border - 1 ? moved : bits };
  });
}

export function bitsOf(places: readonly { bits: number }[]): number {
  return places.reduce((sum, { bits }) => sum + bits, 0);
}
