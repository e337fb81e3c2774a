import { quoted } from '../export.js';
import type { KeyList } from './list.js';
import type { Side } from './sides.js';

/** The keys that move, and where. */
export interface MovesTable {
  readonly keys: KeyList;
  /** The keys that move. */
  readonly rows: Uint32Array;
  /** The shard of each key. */
  readonly before: Uint32Array;
  readonly after: Uint32Array;
  /** The names of nodes; undefined: shards have none. */
  readonly names: readonly string[] | undefined;
  readonly from: Side;
  readonly to: Side | undefined;
}

const ROWS_A_PIECE = 10_000;

/** How many pieces the CSV has. */
export const piecesOf = ({ rows }: MovesTable): number => 1 + Math.ceil(rows.length / ROWS_A_PIECE);

/** The moves in CSV (RFC 4180), in pieces of text; texts that spreadsheets would run as formulas are made safe. */
export function* movesCsv({ keys, rows, before, after, names, from, to }: MovesTable): Generator<string> {
  yield `key,from,to${names ? ',from_node,to_node' : ''}\r\n`;
  const nodeOf = (side: Side | undefined, shard: number) => quoted(names?.[side?.ofShard?.[shard] ?? 0] ?? '');
  for (let at = 0; at < rows.length; at += ROWS_A_PIECE) {
    let piece = '';
    for (const row of rows.subarray(at, at + ROWS_A_PIECE)) {
      const [left, joined] = [before[row], after[row]];
      piece += `${quoted(keys.text(row))},${left},${joined}`;
      if (names) piece += `,${nodeOf(from, left)},${nodeOf(to, joined)}`;
      piece += '\r\n';
    }
    yield piece;
  }
}
