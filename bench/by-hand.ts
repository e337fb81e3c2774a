// Code that people write with BigInts instead of calling shardbits.
import { layouts } from 'shardbits';

const EPOCH = layouts.snowflake.time?.epoch ?? 0;

/** The fields of a snowflake id. */
export interface Fields {
  readonly timestamp: number;
  readonly shard: number;
  readonly sequence: number;
}

export function unpackByHand(id: bigint): Fields {
  return { timestamp: Number(id >> 22n) + EPOCH, shard: Number((id >> 12n) & 1023n), sequence: Number(id & 4095n) };
}

export function dateByHand(id: bigint): Date {
  return new Date(Number(id >> 22n) + EPOCH);
}

export function packByHand({ timestamp, shard, sequence }: Fields): bigint {
  return (BigInt(timestamp - EPOCH) << 22n) | (BigInt(shard) << 12n) | BigInt(sequence);
}

/** Mints for one shard, without a limit of ids for each millisecond. */
export function mintByHand(shard: number, clock: () => number): () => bigint {
  const shifted = BigInt(shard) << 12n;
  let [last, sequence] = [0, 0n];
  return () => {
    const now = clock();
    sequence = now === last ? sequence + 1n : 0n;
    last = now;
    return (BigInt(now - EPOCH) << 22n) | shifted | sequence;
  };
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function toBase62(id: bigint): string {
  let text = '';
  for (let left = id; left > 0n; left /= 62n) text = BASE62.charAt(Number(left % 62n)) + text;
  return text.padStart(11, '0');
}

export function fromBase62(text: string): bigint {
  let id = 0n;
  for (const digit of text) id = id * 62n + BigInt(BASE62.indexOf(digit));
  return id;
}
