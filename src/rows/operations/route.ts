import { detailsOf } from '../../errors.js';
import { type Kernels, PIECE_ROWS } from '../../kernels/types.js';
import type { ShardNames } from '../../routing/placement.js';
import { type Abilities, abilitiesOf, isTransferable, type Routing, shardsOf } from '../../routing/routing.js';
import { type Batch, bytesColumnOf } from '../batch.js';
import { Refused, refuse } from '../invalid.js';
import type { LineKeys } from '../keys.js';
import { type OutputFormat, rowWriter } from '../sinks/rows.js';
import { rowHasher } from './hash.js';
import { byteOperation, WrittenRows } from './operation.js';

/** How rows are placed; plain data, apart from the routing. */
export interface PlaceOptions {
  readonly routing: Routing<any>;
  readonly keys: LineKeys;
  /** What shards are called; undefined: their numbers. */
  readonly named?: ShardNames | undefined;
  /** The shard of records without a key, if they are kept. */
  readonly missing?: number | undefined;
}

/**
 * Routes the keys of rows. For a Router, the hashes never leave the kernels' memory.
 * @param argument the caller's name for the routing
 * @returns a function that gives rows with their shards and labels, valid until its next call
 */
export function rowRouter(
  kernels: Kernels,
  { routing, keys, named, missing = 0 }: PlaceOptions,
  argument = 'router',
): (rows: Batch) => Batch | Refused {
  const { hashing, routeText } = abilitiesOf(routing);
  const { hash, seed } = hashing ?? { hash: 'none', seed: 0n };
  const isHashed = hashing !== undefined || (keys === 'u64' && !routeText);
  const hashed = isHashed ? rowHasher(kernels, { keys, hash, seed }) : undefined;
  const ofKeys = hashing?.ofHashes() ?? routing;
  const shards = kernels.column('u32', PIECE_ROWS);
  const labels = named && kernels.column('u32', PIECE_ROWS);

  /** @returns what is refused */
  const route = (rows: Batch): Refused | undefined => {
    if (rows.areKeysMissing) rows.shards.fill(missing);
    else if (routeText) return routeTexts(routeText, rows);
    else if (isTransferable(ofKeys)) ofKeys.routeMany(rows.hashes, { out: rows.shards });
    else {
      // A copy, because the user's code may make the kernels' memory grow.
      const keys = hashed ? rows.hashes.slice() : bytesColumnOf(rows.keys);
      const routed = shardsOf(ofKeys, keys, undefined, argument);
      rows.shards.set(routed);
    }
    return undefined;
  };

  return (batch) => {
    const rows = batch.areKeysMissing ? batch : (hashed?.(batch) ?? batch);
    if (rows instanceof Refused) return rows;
    const routed = rows.with({ shards, labels });
    const refused = route(routed);
    if (refused !== undefined) return refused;
    if (named !== undefined) setLabels(routed, named);
    return routed;
  };
}

function setLabels({ shards, labels }: Batch, { ofShard }: ShardNames): void {
  for (let row = 0; row < shards.length; row++) labels[row] = ofShard[shards[row]];
}

function routeTexts(routeText: NonNullable<Abilities['routeText']>, rows: Batch): Refused | undefined {
  try {
    routeText(rows.keys, rows.shards);
    return undefined;
  } catch (error) {
    const { row, expected } = detailsOf(error);
    if (row === undefined || expected === undefined) throw error;
    return refuse(rows, row, expected);
  }
}

export interface RouteOptions extends PlaceOptions {
  readonly format: OutputFormat;
}

/** Writes lines or records with their shards, or with the labels of these. */
export const ROUTE = byteOperation<RouteOptions>('route', (kernels, { format, ...how }, records) => {
  const routed = rowRouter(kernels, how);
  const { header, write } = rowWriter(kernels, format, records, how.named);
  return {
    header: (first) => ({ bytes: header(first) }),
    run(batch) {
      const rows = routed(batch);
      return rows instanceof Refused ? rows : new WrittenRows(write, rows);
    },
  };
});
