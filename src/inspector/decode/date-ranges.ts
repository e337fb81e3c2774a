import { SERVICES } from '../../guess/index.js';
import { formatId, type Layout, type LayoutTime } from '../../index.js';
import { maxObjectIdAt, maxUlidAt, maxUuidAt, minObjectIdAt, minUlidAt, minUuidAt } from '../../wide-ids/index.js';
import { epochText, hasMicros, isoText, microsOf, msOf, parseTime, type Span, UTC } from './dates.js';
import { refusalOf, type SnippetKind } from './layout-choice.js';

const TO = /(?<!\s)\s*\.\.\s*|(?<!\s)\s+to\s+/i;

/** The time of a date, or of all dates from one to another (`2024-03 to 2024-05`); undefined if a text is neither. */
export function datesOf(text: string, now: number, zone = UTC): Span | undefined {
  const spans = text.split(TO).map((part) => parseTime(part, now, zone));
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined || spans.length > 2) return undefined;
  const readAs = first.readAs ?? last.readAs;
  return { from: first.from, to: last.to, ...(readAs && { readAs }) };
}

/** The longest that dates are. */
const MAX_DATES = 100;

/** The same of a text that may have ids: numbers are ids, be it ones that may also be a year or a Unix time. */
export function datesAlone(text: string, now: number, zone = UTC): Span | undefined {
  const hasIds = text.length > MAX_DATES || /(?<![\d.,])\d{5}|^\s*\d+\s*$/.test(text);
  return hasIds ? undefined : datesOf(text, now, zone);
}

/** The ids of a time, or why there are none. */
export function idRangeOf(layout: Layout, time: LayoutTime, dates: Span | undefined, zone = UTC) {
  if (dates === undefined) {
    return 'Expected a date such as 2024-03-01, 2024-03-01T10:30:15.500Z or now, or two with “to” between them.';
  }
  const [from, to] = [dates.from, dates.to - 1n];
  const shown = (micros: bigint) => isoText(time, micros, zone) ?? '';
  // A Date reaches farther than a number, which has microseconds.
  const taken = (micros: bigint) => (hasMicros(time) ? Number(micros) / 1000 : new Date(msOf(micros)));
  if (to < from) return `The range ends at ${shown(to)}, before its start at ${shown(from)}.`;
  const epoch = microsOf(time, 0n);
  if (from < epoch) {
    const which = to < epoch ? 'this date' : 'the first dates of this period';
    return `No id has ${which}: the epoch of the layout is ${epochText(time)}.`;
  }
  const isFirst = layout.places[0]?.name === time.name;
  const notes = [
    dates.readAs && 'The number was read as seconds.',
    !isFirst && `Ids between these two may have other dates: ${time.name} is not the first field.`,
  ];
  try {
    const [least, most] = [layout.minIdAt(taken(from)), layout.maxIdAt(taken(to))];
    return {
      from: shown(from),
      to: shown(to),
      least,
      most,
      /** What must be known before the two are compared with; '' if there is nothing. */
      note: notes.filter(Boolean).join(' '),
      /** The condition of a query that finds the ids and no others; undefined if there is none. */
      where: isFirst ? `where id between ${least} and ${most}` : undefined,
    };
  } catch (error) {
    return refusalOf(error).replace(/^./, (letter) => letter.toUpperCase());
  }
}

export type Dialect = Exclude<SnippetKind, 'javascript'>;

const TEXTS = (least: string, most: string) => `id between '${least}' and '${most}'`;

/** Conditions for columns of UUIDs: `uuid` in PostgreSQL, `binary(16)` in MySQL, `UUID` in ClickHouse. */
const UUIDS: Record<Dialect, typeof TEXTS> = {
  postgres: (least, most) => `id between '${least}'::uuid and '${most}'`,
  mysql: (least, most) => `id between uuid_to_bin('${least}') and uuid_to_bin('${most}')`,
  // ClickHouse compares the second halves of UUIDs first, and numbers as they are written.
  clickhouse: (least, most) => `toUInt128(id) between toUInt128(toUUID('${least}')) and toUInt128(toUUID('${most}'))`,
};

const WIDE = [
  ['UUIDv7', minUuidAt, maxUuidAt],
  ['ULID', minUlidAt, maxUlidAt],
  ['ObjectId', minObjectIdAt, maxObjectIdAt],
] as const;

/** The ids of a time for all services that made some then, the most common first, and for wide ids. */
export function rangesOf(dates: Span, dialect: Dialect) {
  const [first, last] = [dates.from, dates.to - 1n].map(msOf);
  const inUse = SERVICES.filter(({ since, until = last }) => last >= since && first <= until);
  const services = inUse
    .sort((a, b) => b.prior - a.prior)
    .map(({ name, title, layout }) => {
      const range = layout.time && idRangeOf(layout, layout.time, dates);
      if (name !== 'atproto' || typeof range !== 'object') return { title, range };
      const [least, most] = [range.least, range.most].map((id) => formatId(id, 'sortable32')); // nobody writes them in decimal
      return { title, range: { least, most, where: `where ${TEXTS(least, most)}` } };
    });
  const wide = WIDE.map(([title, min, max]) => {
    try {
      const [least, most] = [min(first), max(last)];
      const condition = title === 'UUIDv7' ? UUIDS[dialect] : TEXTS;
      return { title, range: { least, most, where: `where ${condition(least, most)}` } };
    } catch {
      return { title, range: undefined }; // it has no such time
    }
  });
  return [...services, ...wide].flatMap(({ title, range }) =>
    typeof range === 'object' && dates.from < dates.to ? [{ title, ...range }] : [],
  );
}
