import { createHash } from 'node:crypto';

export const ORDERS = ['random', 'ascending'] as const;
export type Order = (typeof ORDERS)[number];

/**
 * Different strings of 70 characters. In random order each belongs to another place of an index, like real strings; in
 * ascending order each belongs at its end, which favours a B-tree.
 */
export function keysOf(order: Order, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const name = order === 'random' ? hashed(from + i) : String(from + i).padStart(24, '0');
    return `at://did:plc:${name}/app.bsky.feed.post/3k${name}`.slice(0, 70);
  });
}

function hashed(row: number): string {
  return createHash('md5').update(String(row)).digest('hex').slice(0, 24);
}
