import { layouts } from '../../index.js';

/** Ids to try, as their makers published them. */
export const EXAMPLES: readonly { readonly label: string; readonly text: string; readonly layout?: string }[] = [
  { label: 'A tweet', text: '1541815603606036480' },
  { label: 'A Discord message', text: '175928847299117063', layout: 'discord' },
  { label: 'An Instagram photo', text: '2384288897814875714' },
  { label: 'A Pinterest pin', text: '241294492511762325', layout: 'pinterest' },
  { label: 'In base62', text: '0L9sW9ga0Ez' },
  {
    label: 'A CSV with an unreadable row',
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
const DAYS = 2 * Math.PI * 7;

/**
 * A million snowflakes of the week before an instant, a line each: busier by day than by night, from 64 shards of
 * which the first are the busiest.
 */
export function millionIds(before: number): string {
  const start = before - WEEK_MS;
  const random = (most: number) => Math.floor(Math.random() ** 1.5 * most);
  const timestamp = Float64Array.from({ length: MILLION }, (_, row) => {
    const day = (DAYS * row) / MILLION;
    return Math.floor(start + ((day + 0.6 * Math.sin(day)) / DAYS) * WEEK_MS);
  });
  const shard = Uint8Array.from(timestamp, () => random(64));
  const sequence = Uint8Array.from(timestamp, () => (Math.random() < 0.9 ? 0 : random(4)));
  return layouts.snowflake.packMany({ timestamp, shard, sequence }).join('\n');
}
