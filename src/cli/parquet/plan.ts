import { countPairs, placeOf } from '../../engines/parquet/places.js';
import { checkRows } from '../../engines/parquet/source.js';
import { leastMoved, type Placement } from '../../map/index.js';
import { PairCounts } from '../../routing/pair-counts.js';
import { labelAt, labelNumbers } from '../../routing/placement.js';
import { abilitiesOf } from '../../routing/routing.js';
import type { PlanReport } from '../io/flows.js';
import { runJob } from '../io/output.js';
import type { MissingKeyOptions } from '../options/input.js';
import { placementsFor, type SidesOptions } from '../options/placement.js';
import { checkMissing, columnOfKey, missingIn, type TableOptions, tableKey, withTable } from './table.js';

interface PlanTableOptions extends TableOptions, MissingKeyOptions, SidesOptions {}

/** `plan` of Parquet files. */
export async function planParquet(
  patterns: readonly string[],
  options: PlanTableOptions,
  report: PlanReport,
): Promise<void> {
  const { key, keys, as, out } = options;
  await withTable(patterns, options, async (table) => {
    const { session, source, files } = table;
    const column = await columnOfKey(table, key);
    const missing = missingIn(options);
    const now = tableKey(column, as, keys, missing !== undefined);
    const placements = await placementsFor({ ...options, keys: now.keys }, files);
    const { from, to } = placements;
    checkMissing(missing, Math.min(from.routing.shards, to.routing.shards));
    await checkRows(session, source, now.requirements);
    const ofRouter = tableKey(column, undefined, keys && (keys === 'text' || keys === 'uuid' ? 'text' : 'u64'));
    await runJob(files, { out, rowsToStdout: false }, async ({ print, progress }) => {
      const onRows = table.rowsTo(progress);
      const labels = labelNumbers(from, to);
      const pairs = new PairCounts(...labels.counts);
      const place = ({ routing }: Placement<any>, ofShard?: Uint32Array, onRows?: (rows: number) => void) => {
        const key = abilitiesOf(routing).routeText ? now : ofRouter;
        return placeOf(session, { key, router: routing, ofShard, missing, onRows });
      };
      await countPairs(session, source, place(from, labels.before, onRows), place(to, labels.after), pairs);
      progress.stop();
      const labelOf = (number: number) => String(labelAt(labels, number));
      const flows = Array.from(pairs, ({ from, to, count }) => ({ from: labelOf(from), to: labelOf(to), count }));
      const { rows: total } = source;
      await report({ total, moved: pairs.moved, least: total * leastMoved(from, to), flows }, placements, print);
    });
  });
}
