import { getBackend, setBackend } from 'shardbits';
import type { Outcome } from '../../test/everywhere/program/checks.js';
import type { Results } from '../area.js';
import { type Summary, summarize } from '../summary.js';
import { checksum, spoil } from './checksum.js';
import type { Figure } from './figures.js';

/** A figure, measured in one engine. */
export interface Measured extends Pick<Figure, 'name' | 'title' | 'kind' | 'rows'> {
  readonly checksum: string;
  readonly shardbits: Summary;
  /** The `bigint` backend or BigInt by hand, as the figure's kind says. */
  readonly bigint: Summary;
}

/** An engine's report about itself. */
export interface Timed extends Outcome {
  readonly figures: readonly Measured[];
}

// Clocks of browsers tick once a millisecond.
const SAMPLE_MS = 20;
const WARM_UP = 3;
const ROUNDS = 5;

type Way = () => Results;

/**
 * Compares the results of every figure on both backends and by hand, then times it in rounds in which each of the two ways
 * takes a turn. Figures with different results are named and not timed.
 * @param now returns milliseconds
 * @param rest lets a page do other work
 */
export async function measure(
  figures: Iterable<Figure>,
  version: string,
  now: () => number,
  rest: () => Promise<void>,
): Promise<Timed> {
  const backend = getBackend();
  const failures: string[] = [];
  const measured: Measured[] = [];
  let checks = 0;
  for (const figure of figures) {
    const { name, title, kind, rows } = figure;
    const sums = waysOf(figure).map(([what, way]) => [what, checksumOf(way)] as const);
    const [[, first]] = sums as [(typeof sums)[number]];
    const others = sums.filter(([, sum]) => sum !== first).map(([what]) => what);
    checks += sums.length - 1;
    if (others.length > 0) failures.push(`${title}: the results of ${others.join(' and ')} differ from those of wasm`);
    else measured.push({ name, title, kind, rows, checksum: first, ...time(figure, now) });
    await rest();
  }
  setBackend('auto');
  return { version, backend, checks, failures, figures: measured };
}

function waysOf(figure: Figure): [string, Way][] {
  const on = (backend: 'wasm' | 'bigint') => () => {
    setBackend(backend);
    return figure.work();
  };
  const ways: [string, Way][] = [
    ['wasm', on('wasm')],
    ['bigint', on('bigint')],
  ];
  const { byHand } = figure;
  if (byHand) ways.push(['BigInt by hand', () => byHand()]);
  return ways;
}

function checksumOf(way: Way): string {
  const results = way();
  const sum = checksum(results);
  spoil(results);
  return sum;
}

function time(figure: Figure, now: () => number): Pick<Measured, 'shardbits' | 'bigint'> {
  const ways = waysOf(figure).map(([, way]) => way);
  const [ours, other] = [ways[0], ways.at(-1)] as [Way, Way];
  const times: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const turn of [0, 1]) {
      const which = (turn + Math.abs(round)) % 2; // each round starts with the other one
      const ns = nsARow(which === 0 ? ours : other, figure.rows, now);
      if (round >= 0) times[which]?.push(ns);
    }
  }
  return { shardbits: summarize(times[0], times[0]), bigint: summarize(times[1], times[0]) };
}

function nsARow(way: Way, rows: number, now: () => number): number {
  const from = now();
  let [runs, ms] = [0, 0];
  do {
    way();
    runs++;
    ms = now() - from;
  } while (ms < SAMPLE_MS);
  return (ms * 1e6) / (runs * rows);
}
