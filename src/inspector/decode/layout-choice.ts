import { detailsOf } from '../../errors.js';
import { SERVICES } from '../../guess/index.js';
import { defineLayout, type Layout, layouts, parseLayout, type TimeUnit } from '../../index.js';
import { microsOf } from './dates.js';

/** Why the library refuses something, for people: without the name that it has for the argument. */
function refusalOf(error: unknown): string {
  const { expected, got, message } = detailsOf(error);
  if (expected === undefined) return message;
  const shown = typeof got === 'string' ? JSON.stringify(got) : got instanceof Date ? got.toISOString() : String(got);
  return `expected ${expected}, got ${shown}`;
}

/** A layout as it is chosen: a preset's name or fields, and what its timestamp counts, where that is not the layout's own. */
export interface LayoutChoice {
  readonly spec: string;
  /** Unix milliseconds. */
  readonly epoch?: number | undefined;
  readonly unit?: TimeUnit | undefined;
}

/** How numbers are shown that are not ids of a known service. */
export const NO_LAYOUT: LayoutChoice = { spec: 'number:64' };

export const UNIT_NAMES: Record<TimeUnit, string> = {
  s: '1 s',
  '10ms': '10 ms',
  ms: '1 ms',
  '10us': '10 µs',
  us: '1 µs',
};

export const isUnit = (text: string): text is TimeUnit => Object.hasOwn(UNIT_NAMES, text);

/** Layouts by name: those of the library, and of services that have none there, such as TikTok. */
const NAMED = new Map<string, Layout>(SERVICES.map(({ name, layout }) => [name, layout]));

export const PRESETS = [...NAMED.keys()];

export const isPreset = (spec: string): boolean => NAMED.has(spec.trim());

export const titleOf = (preset: string): string => SERVICES.find(({ name }) => name === preset)?.title ?? preset;

/** Names of fields that hold time in layouts of one's own. parseLayout knows the first alone. */
const TIME_NAME = /^(timestamp|ts|time|created(_?at)?)$/i;

/** Widths of fields from the top, such as `41:10:12`, perhaps after the bit of a sign. */
const WIDTHS = /^\s*(?:1[\s:/+,-]+(?=\d+\D+\d))?(\d+(?:[\s:/+,-]+\d+)+)\s*$/;

/** Names for fields of which only the widths are given: the first one is taken for the time. undefined for other specs. */
export function namedByGuess(spec: string): string | undefined {
  const widths = WIDTHS.exec(spec)?.[1].match(/\d+/g);
  const names = widths?.length === 3 ? ['timestamp', 'worker', 'sequence'] : ['timestamp'];
  return widths?.map((bits, i) => `${names[i] ?? `field${i + 1}`}:${bits}`).join();
}

/** @throws RangeError with a message for people */
export function layoutOf({ spec, epoch, unit }: LayoutChoice): Layout {
  try {
    const layout = NAMED.get(spec.trim()) ?? parseLayout(namedByGuess(spec) ?? spec.trim());
    const { fields, time } = layout;
    const name = time?.name ?? Object.keys(fields).find((field) => TIME_NAME.test(field));
    // What was set for another layout waits for one that has a time.
    if (name === undefined || (time && epoch === undefined && unit === undefined)) return layout;
    // A time that is known by its name alone counts milliseconds since 1970 until that is changed.
    const counts = { epoch: epoch ?? time?.epoch ?? 0, unit: unit ?? time?.unit ?? 'ms' };
    return defineLayout({ ...fields, [name]: { ...fields[name], ...counts } });
  } catch (error) {
    throw new RangeError(refusalOf(error));
  }
}

/** The bits of a field, also in an id that the layout refuses. */
export const fieldValue = ({ shift, mask }: Layout['places'][number], id: bigint): bigint =>
  (id >> BigInt(shift)) & mask;

/** When an id was made, in Unix microseconds; undefined if the layout has no time. */
export function microsIn({ places, time }: Layout, id: bigint): bigint | undefined {
  const place = places.find(({ name }) => name === time?.name);
  return time && place && microsOf(time, fieldValue(place, id));
}

/** The same, with the milliseconds that are beside the seconds, as TikTok has them. */
export function exactMicrosIn(layout: Layout, id: bigint): bigint | undefined {
  const { time, places } = layout;
  const micros = microsIn(layout, id);
  const rest = places.find(({ name, bits }) => time?.unit === 's' && name === 'millisecond' && bits === 10);
  return micros === undefined || !rest ? micros : micros + fieldValue(rest, id) * 1000n;
}

type FieldBits = Pick<Layout['places'][number], 'name' | 'bits'>;

export const specOf = (places: readonly FieldBits[]): string =>
  places.map(({ name, bits }) => `${name}:${bits}`).join(',');

/**
 * A layout whose fields are typed. While it has the field of the time that is shown, that field keeps its epoch and its
 * unit, also those of a guess or of a preset. The name of a preset brings its own.
 * @throws RangeError with a message for people
 */
export function withSpec(chosen: LayoutChoice | undefined, { time }: Layout, spec: string): LayoutChoice {
  if (isPreset(spec)) return { spec: spec.trim() };
  const { fields } = layoutOf({ spec });
  const isKept = time !== undefined && Object.hasOwn(fields, time.name);
  return { ...chosen, spec, ...(isKept && { epoch: time.epoch, unit: time.unit }) };
}

/** The same layout with its borders moved: its epoch and unit stay, and are the own layout's from then on. */
export const withFields = ({ time }: Layout, fields: readonly FieldBits[]): LayoutChoice => ({
  spec: specOf(fields),
  epoch: time?.epoch,
  unit: time?.unit,
});

/** Bits above and below a border: border i is above field i, and above the topmost are bits that the layout leaves. */
export function aroundBorder(places: readonly FieldBits[], border: number): { above: number; below: number } {
  const used = places.reduce((sum, { bits }) => sum + bits, 0);
  return { above: border === 0 ? 64 - used : places[border - 1].bits, below: places[border].bits };
}

/** Moves a border so that there are `wanted` bits above it, or as many as can be: every field keeps a bit. */
export function moveBorder(places: readonly FieldBits[], border: number, wanted: number): FieldBits[] {
  const { above, below } = aroundBorder(places, border);
  const least = border === 0 ? 0 : 1;
  const moved = Math.min(above + below - 1, Math.max(least, wanted));
  return places.map(({ name, bits }, i) => {
    if (i === border) return { name, bits: above + below - moved };
    return { name, bits: i === border - 1 ? moved : bits };
  });
}

export const isSameChoice = (a: LayoutChoice, b: LayoutChoice): boolean =>
  a.spec === b.spec && a.epoch === b.epoch && a.unit === b.unit;

export const SNIPPETS = [
  ['postgres', 'PostgreSQL'],
  ['mysql', 'MySQL'],
  ['clickhouse', 'ClickHouse'],
  ['javascript', 'JavaScript'],
] as const;

export type SnippetKind = (typeof SNIPPETS)[number][0];

const DATES = {
  postgres: (ms: string) => `to_timestamp(${ms} / 1000.0)`,
  mysql: (ms: string) => `from_unixtime(${ms} / 1000)`,
  clickhouse: (ms: string) => `fromUnixTimestamp64Milli(toInt64(${ms}))`,
};

/** A few lines that take ids of a layout apart, to be copied. In SQL they are for a column `id` of a table `ids`. */
export function snippetOf(kind: SnippetKind, { spec, epoch, unit }: LayoutChoice, layout: Layout): string {
  const { fields, time } = layout;
  if (kind === 'javascript') {
    const isKnown = Object.hasOwn(layouts, spec) && epoch === undefined && unit === undefined;
    const [name, rest] = isKnown ? ['layouts', `.${spec}`] : ['defineLayout', `(${JSON.stringify(fields, null, 2)})`];
    return [
      `import { ${name} } from 'shardbits';`,
      '',
      `const layout = ${name}${rest};`,
      `const { ${Object.keys(fields).join(', ')} } = layout.unpack(id);`,
      ...(time ? ['const createdAt = layout.dateOf(id);'] : []),
    ].join('\n');
  }
  const values: { readonly [field: string]: string } = layout.toSql('id', kind);
  // Field names are letters, digits and underscores; those that a database reserves are not asked for.
  const quote = kind === 'mysql' ? '`' : '"';
  const columns = Object.entries(values).map(([name, sql]) => `${sql} as ${quote}${name}${quote}`);
  if (time) columns.unshift(`${DATES[kind](values[time.name])} as created_at`);
  return `select\n  ${['id', ...columns].join(',\n  ')}\nfrom ids`;
}
