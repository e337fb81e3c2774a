import { SERVICES, type Service } from './services.js';

// Ids that were numbers of a program that keeps fewer digits: their last ones are zeros now.

export const ROUNDING = {
  double: 'JSON.parse and other programs with 64-bit floats keep 16 or 17 digits',
  spreadsheet: 'spreadsheets keep 15 digits',
} as const;

type Rounding = keyof typeof ROUNDING;

const SPREADSHEET_DIGITS = 15;

/** What an id may have been rounded by, as it ends in two zeros or more; undefined if it was not. */
export function roundingOf(id: bigint): Rounding | undefined {
  if (id <= Number.MAX_SAFE_INTEGER || id % 100n !== 0n) return undefined;
  return (['spreadsheet', 'double'] as const).find((by) => LEFT[by].fits(id));
}

/** Doubles are written with as many digits as tell them apart, at most 17, and with zeros after these. */
const isDouble = (id: bigint): boolean => (id < 10n ** 17n || id % 10n === 0n) && String(Number(id)) === String(id);

/** The distance between doubles of the size of a number, as a log2. */
const spacing = (id: bigint): number => id.toString(2).length - 53;

/** How each program leaves ids: from which one on it rounds, and the chance that an exact id looks so. */
const LEFT: {
  readonly [by in Rounding]: { from: bigint; fits(id: bigint): boolean; chance(id: bigint): number };
} = {
  spreadsheet: {
    from: 10n ** BigInt(SPREADSHEET_DIGITS),
    fits: (id) => id % 10n === 0n && id % lost(id, SPREADSHEET_DIGITS) === 0n,
    chance: (id) => 1 / Number(lost(id, SPREADSHEET_DIGITS)),
  },
  double: { from: 2n ** 53n, fits: isDouble, chance: (id) => 2 ** -spacing(id) },
};

/** The unit of the last of so many digits that are kept. */
const lost = (id: bigint, digits: number): bigint => 10n ** BigInt(String(id).length - digits);

/**
 * Whether the end of an id tells that it was rounded. Sequences that are 0 make zeros in decimal, too, and few rounded
 * numbers have eight zero bits at the end. Amounts have few digits, and few rounded numbers have 13.
 */
const tells = (id: bigint): boolean => (id & 0xffn) !== 0n && id % lost(id, Math.min(13, String(id).length)) !== 0n;

/** Ids are rounded if exact ones would all look so by a smaller chance. */
const CHANCE = 0.0001;

/** Whether all ids that a program would have rounded look so, and how many they are. */
function allRounded(ids: BigUint64Array, by: Rounding) {
  const { from, fits, chance } = LEFT[by];
  const different = new Set<bigint>();
  let [rows, byChance] = [0, 1];
  for (const id of ids) {
    if (id < from) continue;
    if (!fits(id)) return undefined;
    rows++;
    if (byChance < CHANCE || different.has(id) || !tells(id)) continue;
    different.add(id);
    byChance *= chance(id);
  }
  return byChance < CHANCE ? { rows, by } : undefined;
}

/** A share of ids that end in three zeros by chance. */
const THREE_ZEROS = 0.001;

/** How many ids look rounded, and what most of them were rounded by; undefined if no more do than some do by chance. */
export const roundedIn = (ids: BigUint64Array): { readonly rows: number; readonly by: Rounding } | undefined =>
  allRounded(ids, 'spreadsheet') ?? allRounded(ids, 'double') ?? someRounded(ids);

function someRounded(ids: BigUint64Array) {
  const found = { double: 0, spreadsheet: 0 };
  let [large, clear] = [0, 0];
  for (const id of ids) {
    if (id <= Number.MAX_SAFE_INTEGER) continue;
    if ((id & 0xffn) !== 0n) large++;
    const by = roundingOf(id);
    if (by === undefined) continue;
    found[by]++;
    if (id % 1000n === 0n && tells(id)) clear++;
  }
  const chance = large * THREE_ZEROS;
  const least = large > 2 ? 2 + chance + 4 * Math.sqrt(chance) : Math.max(1, large);
  if (clear < least) return undefined;
  const by = found.spreadsheet > found.double ? 'spreadsheet' : 'double';
  return { rows: found.double + found.spreadsheet, by } as const;
}

/** Digits that a double has whatever it is; programs write more of them to tell doubles apart. */
const ALWAYS_KEPT = 15;
const MAX_DIGITS = 20;
const MAX_U64 = 2n ** 64n - 1n;

/**
 * The smallest and the largest integer that a program writes so: half a unit of the last digit away, or as far as a double
 * goes if more digits are written than every double has.
 * @param text a whole number with an exponent or a decimal point, such as `1,23457E+18` or `1541815603606036500.0`
 * @returns undefined for other texts, and for numbers above 64 bits
 */
export function roundedRange(text: string): { from: bigint; to: bigint } | undefined {
  const [, whole, fraction = '', power] =
    /^\+?(\d{1,20})(?:[.,](\d{1,20}))?(?:e\+?(\d{1,3}))?$/i.exec(text.trim()) ?? [];
  if (whole === undefined || (power === undefined && !/^0+$/.test(fraction))) return undefined;
  const digits = `${whole}${power === undefined ? '' : fraction}`.replace(/^0+(?=.)/, '');
  const zeros = power === undefined ? 0 : Number(power) - fraction.length;
  if (digits === '0' || zeros < 0 || zeros + digits.length > MAX_DIGITS) return undefined;
  const value = BigInt(digits) * 10n ** BigInt(zeros);
  const half = 10n ** BigInt(zeros) / 2n;
  let [from, to] = [value - half, value + half];
  if (digits.length > ALWAYS_KEPT && value > Number.MAX_SAFE_INTEGER) {
    const double = Number(value);
    const reach = 2n ** BigInt(spacing(value) - 1);
    [from, to] = [BigInt(double) - reach, BigInt(double) + reach];
    while (Number(from) !== double) from++;
    while (Number(to) !== double) to--;
  }
  return to > MAX_U64 ? undefined : { from, to };
}

/**
 * What is still known of an id that is written as {@link roundedRange} takes it: from where to where it may be, and when the
 * two commonest services whose dates fit would have made it. Undefined for other texts, and for numbers that no program rounds.
 */
export function roundedWords(text: string, now?: number): string | undefined {
  const range = roundedRange(text);
  const dates = roundedDates(text, now)?.map(([what, span]) => `; if it is ${what}, it is of ${span}`);
  if (!range || !dates) return undefined;
  return `a program rounded the id, which was from ${range.from} to ${range.to}${dates.join('')}. Get the ids as text to have all digits`;
}

/** The dates alone: `a tweet`, and `2022-06-28 16:05 to 16:45 UTC`. */
export function roundedDates(text: string, now = Date.now()) {
  const range = roundedRange(text);
  if (!range || range.to <= Number.MAX_SAFE_INTEGER) return undefined;
  const { from, to } = range;
  const dated = SERVICES.flatMap((service) => {
    const [first, last] = [from, to].map((id) => msOf(service, id));
    const isFitting = !service.isOfColumns && first >= service.since && last <= (service.until ?? now);
    return isFitting ? { service, span: spanOf(first, last) } : [];
  });
  const common = dated.sort((a, b) => b.service.prior - a.service.prior).slice(0, 2);
  return common.map(({ service, span }) => [service.what, span] as const);
}

/** The Unix milliseconds of an id of a service; NaN if the layout has no time, or fewer bits. */
const msOf = ({ layout }: Service, id: bigint): number =>
  !layout.time || id > layout.mask ? Number.NaN : layout.dateOf(id).getTime();

/** `2022-06-28 16:05 to 16:45 UTC` */
function spanOf(first: number, last: number): string {
  const [from, to] = [first, last].map((ms) => new Date(ms).toISOString().slice(0, 16).replace('T', ' '));
  const end = from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to;
  return from === to ? `${from} UTC` : `${from} to ${end} UTC`;
}
