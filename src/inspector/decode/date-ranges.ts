import { SERVICES } from '../../guess/index.js';
import { formatId, type Layout } from '../../index.js';
import { maxObjectIdAt, maxUlidAt, maxUuidAt, minObjectIdAt, minUlidAt, minUuidAt } from '../../wide-ids/index.js';
import { hasMicros, msOf, parseTime, type Span, UTC } from './dates.js';
import { isPreset, type LayoutChoice, layoutOf, type SnippetKind } from './layout-choice.js';

const TO = /(?<!\s)\s*\.\.\s*|(?<!\s)\s+to\s+/i;
const MAX_DATES = 100;

/**
 * The time of a date, or of all dates from one to another (`2024-03 to 2024-05`). Undefined for other texts, among them
 * numbers: these are ids, even if they could be a year or a Unix time.
 */
export function typedDates(text: string, now: number, zone = UTC): Span | undefined {
  if (text.length > MAX_DATES || /(?<![\d.,])\d{5}|^\s*\d+\s*$/.test(text)) return undefined;
  const spans = text.split(TO).map((part) => parseTime(part, now, zone));
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last || spans.length > 2) return undefined;
  return first.from > last.from ? { from: last.from, to: first.to } : { from: first.from, to: last.to };
}

/**
 * The first and the last id of a time, and the condition that finds them, unless that finds others, too.
 * @throws if the layout has no such time
 */
export function idRangeOf(layout: Layout, { from, to }: Span) {
  const { time, places } = layout;
  // A Date reaches farther than a number, which has microseconds.
  const taken = (micros: bigint) => (time && hasMicros(time) ? Number(micros) / 1000 : new Date(msOf(micros)));
  const [least, most] = [layout.minIdAt(taken(from)), layout.maxIdAt(taken(to - 1n))];
  return { least, most, where: places[0].name === time?.name ? `where id between ${least} and ${most}` : '' };
}

export type Dialect = Exclude<SnippetKind, 'javascript'>;

const between = (least: string, most: string) => `id between '${least}' and '${most}'`;

/** Conditions for columns of the type `uuid` in PostgreSQL, `binary(16)` in MySQL and `UUID` in ClickHouse. */
const UUIDS: Record<Dialect, typeof between> = {
  postgres: (least, most) => `id between '${least}'::uuid and '${most}'`,
  mysql: (least, most) => `id between uuid_to_bin('${least}') and uuid_to_bin('${most}')`,
  // As they are, ClickHouse compares the second halves of UUIDs first.
  clickhouse: (least, most) => `toUInt128(id) between toUInt128(toUUID('${least}')) and toUInt128(toUUID('${most}'))`,
};

/** The ids of a time: of a layout of one's own, of the services that made some then, the most common first, and wide ids. */
export function rangesOf(dates: Span, dialect: Dialect, own?: LayoutChoice) {
  const [first, last] = [dates.from, dates.to - 1n].map(msOf);
  const texts = (least: string, most: string, where = between) => ({
    least,
    most,
    where: `where ${where(least, most)}`,
  });
  const keys = ({ least, most }: ReturnType<typeof idRangeOf>) =>
    texts(formatId(least, 'sortable32'), formatId(most, 'sortable32')); // nobody writes them in decimal
  const services = SERVICES.filter(({ since, until = last }) => last >= since && first <= until)
    .sort((a, b) => b.prior - a.prior)
    .map(({ name, title, layout }) => ({
      title,
      range: () => (name === 'atproto' ? keys(idRangeOf(layout, dates)) : idRangeOf(layout, dates)),
    }));
  return [
    ...(own && !isPreset(own.spec) ? [{ title: 'my own layout', range: () => idRangeOf(layoutOf(own), dates) }] : []),
    ...services,
    { title: 'UUIDv7', range: () => texts(minUuidAt(first), maxUuidAt(last), UUIDS[dialect]) },
    { title: 'ULID', range: () => texts(minUlidAt(first), maxUlidAt(last)) },
    { title: 'ObjectId', range: () => texts(minObjectIdAt(first), maxObjectIdAt(last)) },
  ].flatMap(({ title, range }) => {
    try {
      return [{ title, ...range() }];
    } catch {
      return []; // it has no such time
    }
  });
}
