import { checkInteger, checkRecord, outOfRange } from '../arguments.js';
import { type PlacedField, placeFields, type TimeUnit, UNIT_MS } from '../layout/fields.js';
import type { Layout } from '../layout/layout.js';

/** Where in an id the time and the sequence lie, and all its other bits. */
export interface Shape {
  readonly base: bigint;
  readonly time: { readonly shift: bigint; readonly min: number; readonly max: number };
  readonly sequence: { readonly shift: bigint; readonly min: number; readonly max: number };
  /** The instant of time 0, and how long a unit takes, in milliseconds. */
  readonly epoch: number;
  readonly unitMs: number;
}

const SEQUENCES = ['sequence', 'increment'];

/** What a layout means for minting; the fields that are neither time nor sequence have the shard's number. */
export function shapeOf(layout: Layout, shard: number): Shape {
  checkRecord('layout', layout);
  const fields = placeFields(layout.fields);
  const names = fields.map(({ name }) => name).join(', ');
  const time = fields.find(({ epoch }) => epoch !== undefined);
  const sequence = fields.find(({ name }) => SEQUENCES.includes(name));
  if (time === undefined || sequence === undefined || time.shift < sequence.shift) {
    throw outOfRange('layout', 'a timestamp field, and below it one named sequence or increment', names);
  }
  return {
    base: shardBits(
      fields.filter((field) => field !== time && field !== sequence),
      shard,
    ),
    time: rangeOf(time),
    sequence: rangeOf(sequence),
    epoch: time.epoch as number,
    unitMs: UNIT_MS[time.unit as TimeUnit],
  };
}

function rangeOf({ shift, min, mask }: PlacedField): Shape['time'] {
  return { shift: BigInt(shift), min, max: Math.min(Number(mask), Number.MAX_SAFE_INTEGER) };
}

/** A shard's number spread over fields, the least significant bits into the last one. */
function shardBits(fields: readonly PlacedField[], shard: number): bigint {
  const bits = fields.reduce((sum, field) => sum + field.bits, 0);
  let rest = BigInt(checkInteger('shard', shard, 0, Math.min(2 ** bits - 1, Number.MAX_SAFE_INTEGER)));
  let id = 0n;
  for (const { name, bits, shift, mask, min } of [...fields].reverse()) {
    const value = rest & mask;
    if (value < BigInt(min)) throw outOfRange('shard', `${name} to be at least ${min}`, `${value} in ${shard}`);
    id |= value << BigInt(shift);
    rest >>= BigInt(bits);
  }
  return id;
}
