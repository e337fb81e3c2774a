import type { TimeUnit } from '../../index.js';
import { timesOf, type WideIdKind, wideIdKindOf } from '../../wide-ids/index.js';
import type { Cells } from './cells.js';
import { hasTime, Problem, versionOf, wideTextAt, withoutUrn } from './problems.js';

/** Ids of more than 64 bits: their times take the place of ids, in a layout that has nothing else. */
export interface WideIds {
  readonly kind: WideIdKind;
  /** A layout whose ids are the times. */
  readonly layout: { readonly spec: string; readonly epoch: number; readonly unit: TimeUnit };
  /** Of UUIDs, in ascending order. */
  readonly versions: readonly number[];
  /** How many have no time. */
  readonly timeless: number;
  /** The most characters. */
  readonly width: number;
}

/** What wide ids have in common with a column of ids of 64 bits. */
interface WideColumn {
  readonly ids: BigUint64Array;
  readonly problems: Uint8Array;
  readonly bad: number;
  readonly wide: WideIds;
}

/** 1582-10-15, from which UUIDs count time. */
const GREGORIAN = -12219292800000;

/** As many bits as the times of a kind can have, so that a column has the width of its dates. */
const BITS = { s: 33, ms: 48, us: 59 };

/** The text of a cell as an id; '' of one that is none. */
export function wideTextOf({ data, starts, ends }: Cells, row: number): string {
  return withoutUrn(wideTextAt(data, starts[row], ends[row]));
}

export function readWideIds(cells: Cells, kind: WideIdKind): WideColumn {
  const problems = cells.problems.slice();
  const versions = new Set<number>();
  const texts: string[] = [];
  const timed: number[] = [];
  let [bad, timeless, width] = [0, 0, 0];
  for (let row = 0; row < problems.length; row++) {
    const text = problems[row] === Problem.none ? wideTextOf(cells, row) : '';
    if (wideIdKindOf(text) !== kind) {
      problems[row] ||= Problem.notInFormat;
      bad++;
      continue;
    }
    width = Math.max(width, cells.ends[row] - cells.starts[row]);
    const version = kind === 'uuid' ? versionOf(text) : undefined;
    if (version !== undefined && !Number.isNaN(version)) versions.add(version);
    if (version === undefined || hasTime(version)) {
      texts.push(text);
      timed.push(row);
    } else {
      problems[row] = Number.isNaN(version) ? Problem.otherVariant : Problem.timeless + version;
      timeless++;
    }
  }
  const times = timesOf(texts, kind);
  const unit = unitOf(kind, versions);
  const epoch = times.some((ms) => ms < 0) ? GREGORIAN : 0;
  const ids = new BigUint64Array(problems.length);
  timed.forEach((row, i) => {
    ids[row] = unitsOf(times[i], unit, epoch);
  });
  const layout = { spec: `timestamp:${BITS[unit]}`, epoch, unit };
  const sorted = [...versions].sort((a, b) => a - b);
  return { ids, problems, bad, wide: { kind, layout, versions: sorted, timeless, width } };
}

/** Microseconds only where ids have them: a date without them is shorter. */
function unitOf(kind: WideIdKind, versions: ReadonlySet<number>): keyof typeof BITS {
  if (kind === 'uuid') return versions.has(1) || versions.has(6) ? 'us' : 'ms';
  return kind === 'ulid' ? 'ms' : 's';
}

function unitsOf(ms: number, unit: keyof typeof BITS, epoch: number): bigint {
  if (unit !== 'us') return BigInt(unit === 's' ? ms / 1000 : ms);
  const whole = Math.floor(ms);
  return BigInt(whole - epoch) * 1000n + BigInt(Math.round((ms - whole) * 1000));
}
