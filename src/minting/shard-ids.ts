import { checkInteger, wrongValue } from '../arguments.js';
import { checkFieldValue } from '../layout/fields.js';
import type { IdLayout } from '../layout/id-layout.js';
import { scaleOf } from '../layout/time.js';

/** What the ids of a layout and a shard are made of, and how their units count time. */
export type ShardIds = Readonly<ReturnType<typeof idsOfShard>>;

/** Works out how to mint with a layout. All fields except the time and the sequence together hold the shard's number. */
export function idsOfShard(layout: IdLayout, shard: number) {
  const { places, time: clock } = layout;
  const time = places.find(({ name }) => name === clock?.name);
  const sequence = places.find(({ name }) => /^(sequence|increment)$/.test(name));
  if (!clock || !time || !sequence || time.shift < sequence.shift) {
    const expected = 'a timestamp field, and below it one named sequence or increment';
    throw wrongValue('layout', expected, layout, undefined, places.map(({ name }) => name).join(', '));
  }
  const others = places.filter((field) => field !== time && field !== sequence).reverse();
  const shards = 2 ** others.reduce((sum, field) => sum + field.bits, 0);
  const step = 1n << BigInt(sequence.shift);
  let rest = BigInt(checkInteger('shard', shard, 0, Math.min(shards - 1, Number.MAX_SAFE_INTEGER)));
  let base = BigInt(sequence.min - 1) * step;
  for (const field of others) {
    base += checkFieldValue(`shard.${field.name}`, field, rest & field.mask) << BigInt(field.shift);
    rest >>= BigInt(field.bits);
  }
  return {
    /** The id before the first one of unit 0. */
    base,
    /** The difference from an id to the next one of its unit, and to the same one of the next unit. */
    step,
    unitStep: 1n << BigInt(time.shift),
    count: Number(sequence.mask) - sequence.min + 1,
    min: time.min,
    max: Math.min(Number(time.mask), Number.MAX_SAFE_INTEGER),
    ...scaleOf(clock.epoch, clock.unit),
    shards,
  };
}
