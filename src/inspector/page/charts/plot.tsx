import { isoAt, timesIn } from '../../decode/dates.js';
import { gapsIn, type Histogram, hotIn, isAboveBase, STEPS, timeWidth } from '../../decode/statistics.js';

/** Of one chart, and of the bars of each of several lanes. */
const HEIGHT = 200;
const LANE = 40;
const TOP = 10;
const LEFT = 46; // for the marks of counts
const COUNT_SPACE = 30;
/** Pixels of the widest bar; from so many on, bars are apart. */
const MAX_BAR = 64;
const MIN_APART = 10;

/** One of several charts with the same axis, which is below the last one. */
export type Lane = 'lane' | 'last' | undefined;

/** How far bars are from the edges of their chart, and how high it is. There is room for half of the first and the last mark. */
export function frameOf(histogram: Histogram, names?: readonly string[], lane?: Lane) {
  const half = spaceOf(histogram, names) / 2;
  const bottom = lane === 'lane' ? 2 : histogram.edges ? 40 : 28;
  const height = lane === undefined ? HEIGHT : TOP + LANE + bottom;
  return { height, space: height - TOP - bottom, inset: `${TOP}px ${half}px ${bottom}px ${Math.max(LEFT, half)}px` };
}

const NAME_SPACE = 84;

/** Pixels from one mark below the bars to the next. */
function spaceOf(histogram: Histogram, names?: readonly string[]): number {
  const { from, width, counts, edges, base = 0n } = histogram;
  if (names) return NAME_SPACE;
  if (edges) return width < 1 ? 112 : 84;
  const [start, span] = [from + (isAboveBase(histogram) ? 0 : Number(base)), width * counts.length];
  const longest = Math.max(...numbers([start, start + span], span / 20).map(({ length }) => length));
  return Math.max(50, 14 + 7 * longest);
}

const percent = (share: number) => `${100 * share}%`;

export function picture(
  histogram: Histogram,
  zone: string,
  isLog: boolean,
  width: number,
  names?: readonly string[],
  lane?: Lane,
) {
  const { counts, edges } = histogram;
  const { space } = frameOf(histogram, names, lane);
  const below = names ? namesBelow(names, width) : marksBelow(histogram, zone, width);
  const most = Math.max(1, ...counts);
  // A logarithm of none is nowhere.
  const [low, high] = isLog ? [0.5, most * 1.2] : [0, most * 1.08];
  const heightOf = (ids: number) => (isLog ? Math.log(ids / low) / Math.log(high / low) : ids / high);
  const step = STEPS.find((each) => (each / high) * space >= (lane ? COUNT_SPACE / 2 : COUNT_SPACE)) ?? most;
  const marks = isLog
    ? STEPS.filter((each, i) => each <= most && (most < 200 || i % 3 === 0))
    : multiples(step, 0, high);
  const texts = numbers(marks, isLog ? 1 : step);
  const pixels = width / counts.length;
  const wide = pixels < MIN_APART ? 1 : Math.min(0.86, MAX_BAR / pixels);
  const hot = new Set(edges ? [] : hotIn(histogram));
  const barsOf = (isHot: boolean) =>
    Array.from(counts, (ids, bar) =>
      ids > 0 && hot.has(bar) === isHot ? `M${bar + (1 - wide) / 2} 1v${-heightOf(ids)}h${wide}V1z` : '',
    ).join('');
  const gaps = edges ? gapsIn(histogram) : [];
  return (
    <>
      {marks.map((mark, i) => (
        <i key={`${mark} ids`} style={{ bottom: percent(heightOf(mark)) }}>
          <b>{texts[i]}</b>
        </i>
      ))}
      <svg viewBox={`0 0 ${counts.length} 1`} preserveAspectRatio="none" aria-hidden="true">
        <path class="gap" d={gaps.map(([first, last]) => `M${first} 0H${last + 1}V1H${first}z`).join('')} />
        <path d={barsOf(false)} />
        <path class="hot" d={barsOf(true)} />
      </svg>
      {lane !== 'lane' &&
        below.map(([at, text, most]) => (
          <b key={at} style={{ left: percent(at), maxWidth: most }}>
            {text}
          </b>
        ))}
    </>
  );
}

type Mark = [at: number, text: string, most?: string];

/** The texts of as many bars as there is room for, each at most so wide. */
function namesBelow(names: readonly string[], pixels: number): Mark[] {
  const wide = pixels / names.length;
  const step = Math.ceil(NAME_SPACE / 2 / wide);
  return names.flatMap((name, bar): Mark[] =>
    bar % step === 0 ? [[(bar + 0.5) / names.length, name || EMPTY, `${step * wide - 6}px`]] : [],
  );
}

export const EMPTY = '(empty)';

/** The marks below the bars: where each is as a share of the width, and its text. */
function marksBelow(histogram: Histogram, zone: string, pixels: number): Mark[] {
  const { base = 0n, from, width, counts, edges } = histogram;
  const isAbove = isAboveBase(histogram);
  // The mark of a bar of one value is below its middle.
  const start = edges?.[0] ?? from + (isAbove ? 0 : Number(base)) - (width > 1 ? 0 : width / 2);
  const span = edges ? edges[counts.length] - start : width * counts.length;
  const least = (span * spaceOf(histogram)) / pixels;
  const step = STEPS.find((each) => each >= least) ?? span;
  const at = (mark: number) => (mark - start) / span;
  if (edges) return timeMarks(zone, start, start + span, least).map(([mark, text]) => [at(mark), text]);
  const marks = multiples(step, start, start + span);
  const texts = numbers(marks, step);
  return marks.map((mark, i) => [at(mark), isAbove ? `+${texts[i]}` : texts[i]]);
}

function multiples(step: number, from: number, to: number): number[] {
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step);
}

/** `1.25M`, with as many digits as tell two marks apart. */
function numbers(values: readonly number[], step: number): string[] {
  const most = Math.max(...values.map(Math.abs));
  const format = new Intl.NumberFormat('en', {
    notation: most < 1e15 ? 'compact' : 'scientific',
    maximumSignificantDigits: Math.min(21, Math.ceil(Math.log10(Math.max(1, most / step))) + 1),
  });
  return values.map((value) => format.format(value));
}

const [SECOND, MINUTE, DAY, MONTH] = [1e6, 6e7, 8.64e10, 2.629746e12]; // microseconds

/**
 * Round times, at least so far from each other, with their texts: as ISO 8601 has them in a zone, and no more of it than
 * tells two apart. All are in Unix microseconds.
 */
export function timeMarks(zone: string, from: number, to: number, least: number): [micros: number, text: string][] {
  const step = timeWidth(least / 1000, 1, 0) * 1000;
  const marks = timesIn(zone, from, to, step).filter((micros) => micros >= from && micros <= to);
  let before = '';
  return marks.map((micros) => {
    const [day = '', time = ''] = isoAt(micros, zone).split('T');
    if (step >= DAY) return [micros, day.slice(0, step >= 12 * MONTH ? 4 : step >= MONTH ? 7 : 10)];
    const clock = time.slice(0, step >= MINUTE ? 5 : step >= SECOND ? 8 : step >= 1000 ? 12 : 15);
    const isNewDay = day !== before;
    before = day;
    return [micros, isNewDay ? `${clock}\n${day}` : clock];
  });
}
