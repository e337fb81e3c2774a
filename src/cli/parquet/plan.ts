import { movesBetween, placeCounts, placeOf } from '../../engines/parquet/places.js';
import { checkRows } from '../../engines/parquet/source.js';
import type { MoveCounter, PlanTarget } from '../io/flows.js';
import { runJob } from '../io/output.js';
import type { MissingKeyOptions } from '../options/input.js';
import { type Side, type Sides, type SidesOptions, sidesOf } from '../options/sides.js';
import { checkMissing, columnOfKey, missingIn, type TableOptions, tableKey, withTable } from './table.js';

interface PlanTableOptions extends TableOptions, MissingKeyOptions, SidesOptions {}

/** `plan` of Parquet files. */
export async function planParquet(
  patterns: readonly string[],
  options: PlanTableOptions,
  report: (sides: Sides, counter: MoveCounter, target: PlanTarget) => Promise<void>,
): Promise<void> {
  const { key, keys, as, out } = options;
  await withTable(patterns, options, async (table) => {
    const { session, source, files } = table;
    const column = await columnOfKey(table, key);
    const missing = missingIn(options);
    const now = tableKey(column, as, keys, missing !== undefined);
    const sides = await sidesOf({ ...options, keys: now.keys }, files);
    const { from, to } = sides;
    checkMissing(missing, Math.min(from.routing.shards, to.routing.shards));
    await checkRows(session, source, now.requirements);
    const ofRouter = tableKey(column, undefined, keys && (keys === 'text' || keys === 'uuid' ? 'text' : 'u64'));
    await runJob(files, { out, rowsToStdout: false }, async ({ print, progress }) => {
      // Without kinds of keys a side is a system, which reads keys as it does now.
      const onRows = table.rowsTo(progress);
      const sideOf = ({ routing, keys }: Side, ofShard?: Uint32Array, onRows?: (rows: number) => void) => {
        const key = keys === undefined ? now : ofRouter;
        return { routing, place: placeOf(session, { key, router: routing, ofShard, missing, onRows }) };
      };
      await report(
        sides,
        {
          shards: () => placeCounts(session, source, sideOf(from, undefined, onRows).place, from.routing.shards),
          moves: (places) => movesBetween(session, source, sideOf(from, places?.[0], onRows), sideOf(to, places?.[1])),
        },
        { print, progress },
      );
    });
  });
}
