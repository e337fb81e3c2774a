import { checkRecord, wrongValue } from '../arguments.js';
import { checkFieldValue, checkNames, idExpected, type PlacedField, shownValue, timeOfDate } from './fields.js';
import type { Clock } from './time.js';
import { msToUnit, unitToMs } from './time.js';

// Single values. An id is handled as two 32-bit words and a field as a number: 2 to 4 times as fast as with BigInts.
// Fields above 53 bits, and times that doubles do not hold exactly, are handled as BigInts.

const id64 = /* @__PURE__ */ new BigUint64Array(1);
const words = /* @__PURE__ */ new Uint32Array(id64.buffer);

type Values = { [name: string]: number | bigint };

/** A field, and how to read it from the two words of an id. A field that is neither high nor low lies in both words. */
interface FieldPart extends PlacedField {
  readonly isHigh: boolean;
  readonly isLow: boolean;
  readonly highMask: number;
  readonly lowMask: number;
  /** The part in the high word is multiplied by this. */
  readonly factor: number;
}

/** Packs and unpacks the ids of a layout one by one. */
export class SingleValues {
  readonly #parts: readonly FieldPart[];
  readonly #time: FieldPart | undefined;
  /** An object to copy: objects with one shape are made and read several times as fast as objects that grow. */
  readonly #blank: Values;

  constructor(fields: readonly PlacedField[]) {
    this.#parts = fields.map(partOf);
    this.#time = this.#parts.find(({ clock }) => clock);
    this.#blank = Object.fromEntries(fields.map(({ name }) => [name, 0]));
  }

  /** @throws TypeError or RangeError as {@link Layout.pack} */
  pack(values: { readonly [name: string]: number | bigint | Date }): bigint {
    checkRecord('values', values);
    let [low, high, i] = [0, 0, 0];
    // In a `for in`, V8 reads the values without looking up their names.
    for (const name in values) {
      const part = this.#parts[i++];
      if (part?.name !== name) return this.#packAny(values);
      const { shift, min, most, clock, isHigh, isLow, factor } = part;
      const value = numberOf(values[name], clock);
      if (!(value >= min && value <= most) || Math.floor(value) !== value) return this.#packAny(values);
      if (isHigh) high |= value << (shift - 32);
      else {
        low |= value << shift;
        if (!isLow) high |= value / factor;
      }
    }
    if (i !== this.#parts.length) return this.#packAny(values);
    words[0] = low;
    words[1] = high;
    return id64[0];
  }

  /** Packs values in any order and of any kind, and refuses those that do not fit. */
  #packAny(values: { readonly [name: string]: number | bigint | Date }): bigint {
    checkNames('values', values, this.#parts);
    return this.#parts.reduce((id, part) => {
      const value = checkFieldValue(`values.${part.name}`, part, values[part.name] as number);
      return id | (value << BigInt(part.shift));
    }, 0n);
  }

  /**
   * @param id within the layout's mask
   * @param given the id as the caller gave it
   */
  unpack(id: bigint, given: unknown): Values {
    id64[0] = id;
    const [low, high] = [words[0], words[1]];
    const values = { ...this.#blank };
    for (const part of this.#parts) {
      const { name, min, most, clock } = part;
      if (most < 0) values[name] = shownValue(part, (id >> BigInt(part.shift)) & part.mask, 'id', given);
      else {
        const value = numberIn(part, low, high);
        if (value < min) throw wrongValue('id', idExpected(part), given);
        values[name] = clock === undefined ? value : unitToMs(value, clock.scale);
      }
    }
    return values;
  }

  /** The date of an id of a layout with time, in whole milliseconds; an invalid Date if a Date cannot hold it. */
  dateOf(id: bigint): Date {
    const part = this.#time as FieldPart;
    const clock = part.clock as Clock;
    id64[0] = id;
    const units = part.most < 0 ? Number.NaN : numberIn(part, words[0], words[1]);
    const date = new Date(Math.floor(unitToMs(units, clock.scale)));
    return Number.isNaN(date.getTime()) ? clock.dateOf((id >> BigInt(part.shift)) & part.mask) : date;
  }
}

function partOf(field: PlacedField): FieldPart {
  const { shift, bits } = field;
  const isHigh = shift >= 32;
  const isLow = shift + bits <= 32;
  return {
    ...field,
    isHigh,
    isLow,
    highMask: isHigh ? maskOf(bits) : isLow ? 0 : maskOf(shift + bits - 32),
    lowMask: isLow ? maskOf(bits) : 0,
    factor: 2 ** (32 - shift),
  };
}

/** A mask of the lowest 1 to 32 bits. */
const maskOf = (bits: number): number => -1 >>> (32 - bits);

/** A value as a number, in units for a time; NaN if it is not a number or a Date. */
function numberOf(given: unknown, clock: Clock | undefined): number {
  if (clock === undefined) return typeof given === 'number' ? given : Number.NaN;
  const ms = typeof given === 'number' ? given : (timeOfDate(given) ?? Number.NaN);
  return msToUnit(ms, clock.scale);
}

/** The value of a field of at most 53 bits. */
function numberIn({ shift, isHigh, isLow, highMask, lowMask, factor }: FieldPart, low: number, high: number): number {
  if (isHigh) return ((high >>> (shift - 32)) & highMask) >>> 0;
  if (isLow) return ((low >>> shift) & lowMask) >>> 0;
  return ((high & highMask) >>> 0) * factor + (low >>> shift);
}
