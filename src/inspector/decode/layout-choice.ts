import {
  defineLayout,
  type Field,
  type FieldPlace,
  type Layout,
  layouts,
  parseLayout,
  type TimeUnit,
} from '../../index.js';
import { refusalOf } from './refusal.js';
import { microsOf } from './times.js';

/** A layout as it is chosen: a preset's name or fields, and what its timestamp counts, where that is not the layout's own. */
export interface LayoutChoice {
  readonly spec: string;
  /** Unix milliseconds. */
  readonly epoch?: number | undefined;
  readonly unit?: TimeUnit | undefined;
}

/** The units to choose from, as people write them. */
export const UNIT_NAMES: Record<TimeUnit, string> = {
  s: '1 s',
  '10ms': '10 ms',
  ms: '1 ms',
  '10us': '10 µs',
  us: '1 µs',
};

export function isUnit(text: string): text is TimeUnit {
  return Object.hasOwn(UNIT_NAMES, text);
}

export const PRESETS = Object.keys(layouts) as (keyof typeof layouts)[];

export function isPreset(spec: string): spec is keyof typeof layouts {
  return Object.hasOwn(layouts, spec);
}

/** Names of fields that hold time in layouts of one's own. parseLayout knows the first alone. */
const TIME_NAME = /^(timestamp|ts|time|created(_?at)?)$/i;

/** @throws RangeError with a message for people */
export function layoutOf({ spec, epoch, unit }: LayoutChoice): Layout {
  try {
    const layout = parseLayout(spec.trim());
    const { fields, time } = layout;
    const name = time?.name ?? Object.keys(fields).find((field) => TIME_NAME.test(field));
    // What was set for another layout waits for one that has a time.
    if (name === undefined || (time && epoch === undefined && unit === undefined)) return layout;
    // A time that is known by its name alone counts milliseconds since 1970 until that is changed.
    const counts = { epoch: epoch ?? time?.epoch ?? 0, unit: unit ?? time?.unit ?? 'ms' };
    return defineLayout({ ...fields, [name]: { ...(fields[name] as Field), ...counts } });
  } catch (error) {
    throw new RangeError(refusalOf(error));
  }
}

/** The bits of a field, also in an id that the layout refuses. */
export function fieldValue({ shift, mask }: FieldPlace, id: bigint): bigint {
  return (id >> BigInt(shift)) & mask;
}

/** When an id was made, in Unix microseconds. */
export function microsIn(layout: Layout, id: bigint): bigint | undefined {
  const place = timePlaceOf(layout);
  return layout.time && place && microsOf(layout.time, fieldValue(place, id));
}

/** Where the field that holds time lies. */
export function timePlaceOf({ places, time }: Layout): FieldPlace | undefined {
  return places.find(({ name }) => name === time?.name);
}

/** As parseLayout reads it. */
export function specOf(places: readonly { name: string; bits: number }[]): string {
  return places.map(({ name, bits }) => `${name}:${bits}`).join(',');
}

/**
 * A layout whose fields are typed. An epoch and a unit that were chosen stay, as they are seen beside the fields; those
 * of a guess or of a preset go with it, and the time counts milliseconds since 1970, as parseLayout has it.
 */
export function withSpec(chosen: LayoutChoice | undefined, spec: string): LayoutChoice {
  return { ...chosen, spec };
}

/** The same layout with its borders moved: its epoch and unit stay, and are the own layout's from then on. */
export function withFields({ time }: Layout, fields: readonly { name: string; bits: number }[]): LayoutChoice {
  return { spec: specOf(fields), epoch: time?.epoch, unit: time?.unit };
}

/** Bits above and below a border: border i is above field i, and above the topmost are bits that the layout leaves. */
export function aroundBorder(places: readonly { bits: number }[], border: number): { above: number; below: number } {
  const below = places[border]?.bits ?? 0;
  const used = places.reduce((sum, { bits }) => sum + bits, 0);
  return { above: border === 0 ? 64 - used : (places[border - 1]?.bits ?? 0), below };
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

export function isSameChoice(a: LayoutChoice, b: LayoutChoice): boolean {
  return a.spec === b.spec && a.epoch === b.epoch && a.unit === b.unit;
}
