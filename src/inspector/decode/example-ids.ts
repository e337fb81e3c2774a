import { type LayoutTime, layouts } from '../../index.js';

/** Ids to try, as their makers published them. */
export const EXAMPLES: readonly { readonly label: string; readonly text: string; readonly layout?: string }[] = [
  { label: 'A tweet', text: '1541815603606036480' },
  { label: 'A Discord message', text: '175928847299117063', layout: 'discord' },
  { label: 'An Instagram photo', text: '2384288897814875714' },
  { label: 'A Pinterest pin', text: '241294492511762325', layout: 'pinterest' },
  { label: 'In base62', text: '0L9sW9ga0Ez' },
  {
    label: 'A CSV with a bad row',
    text: [
      'user,order_id,total',
      'ada,154173452582932603,12.50',
      'brian,286435872092454913,7.00',
      'grace,28643587209245491E,3.20',
      'linus,312873611796054016,41.00',
      'margaret,319463820288372736,9.90',
    ].join('\n'),
  },
];

const MILLION = 1_000_000;
const WEEK_MS = 7 * 86_400_000;

/**
 * A million snowflakes of the week before an instant, a line each: busier by day than by night, from 64 shards of
 * which the first are the busiest.
 */
export function millionIds(before: number): string {
  const { places, time } = layouts.snowflake;
  const [timeShift, shardShift] = places.map(({ shift }) => BigInt(shift)) as [bigint, bigint];
  const { epoch } = time as LayoutTime;
  const ids = new BigUint64Array(MILLION);
  let state = 42; // the same ids each time, relative to the instant
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const start = before - WEEK_MS;
  for (let row = 0; row < MILLION; row++) {
    const ms = Math.floor(start + timeOfShare(row / MILLION) * WEEK_MS);
    const shard = Math.floor(random() ** 1.5 * 64);
    const sequence = random() < 0.9 ? 0 : Math.floor(random() * 4);
    ids[row] = (BigInt(ms - epoch) << timeShift) | (BigInt(shard) << shardShift) | BigInt(sequence);
  }
  return ids.join('\n');
}

const DAYS = 2 * Math.PI * 7;
const SWING = 0.6;

/** When, from 0 to 1, a share of the ids has been made, if the rate is 1 - SWING * cos(DAYS * t): Newton's method. */
function timeOfShare(share: number): number {
  let t = share;
  for (let i = 0; i < 4; i++) {
    const made = t - (SWING * Math.sin(DAYS * t)) / DAYS;
    t -= (made - share) / (1 - SWING * Math.cos(DAYS * t));
  }
  return t;
}
