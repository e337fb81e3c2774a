import uPlot from 'uplot';
import type { Histogram } from '../decode/histogram.js';
import { isoIn } from '../decode/zones.js';

const HEIGHT = 150;
const LEFT = 46; // for the marks of counts

interface Drawing {
  readonly histogram: Histogram;
  readonly isTime: boolean;
  readonly zone: string;
  readonly isLog: boolean;
  /** A custom property of the style sheet. */
  readonly colour: string;
}

/**
 * Draws bars, again in other colours and sizes, until what it returns is called.
 * @param onPlace is told where the bars are, which is beside the marks
 */
export function keepDrawn(element: HTMLElement, drawing: Drawing, onPlace: (style: string) => void): () => void {
  let plot = draw(element, drawing, onPlace);
  const redraw = () => {
    plot.destroy();
    plot = draw(element, drawing, onPlace);
  };
  const schemes = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query));
  for (const scheme of schemes) scheme.addEventListener('change', redraw);
  window.addEventListener('themechange', redraw);
  const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  resized.observe(element);
  return () => {
    for (const scheme of schemes) scheme.removeEventListener('change', redraw);
    window.removeEventListener('themechange', redraw);
    resized.disconnect();
    plot.destroy();
  };
}

function draw(
  element: HTMLElement,
  { histogram: { from, width, counts }, isTime, zone, isLog, colour }: Drawing,
  onPlace: (style: string) => void,
): uPlot {
  const style = getComputedStyle(element);
  const resolve = (property: string) => resolved(element, property);
  // uPlot counts time in seconds, and marks milliseconds at most: below, it has microseconds from the first bar on.
  const isFine = isTime && width < 1;
  const [origin, unit] = isFine ? [from, 0.001] : [0, isTime ? 1000 : 1];
  const half = width / 2 / unit;
  const start = (from - origin) / unit - (isTime || width > 1 ? 0 : half); // the mark of a bar of one value is below its middle
  const span = 2 * half * counts.length;
  const most = Math.max(1, ...counts);
  const longest = Math.max(...numbers([start, start + span], span / 20).map(({ length }) => length));
  const space = isFine ? 112 : isTime ? 84 : Math.max(50, 14 + 7 * longest); // pixels from one mark to the next
  const axis = {
    stroke: resolve('--muted'),
    grid: { stroke: resolve('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${style.fontFamily}`,
  };
  const bars = uPlot.paths.bars?.({ size: [0.86, 64], align: 0 });
  return new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      padding: [null, space / 2, null, Math.max(0, space / 2 - LEFT)], // for half of the first and the last mark
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
      cursor: { show: false },
      scales: {
        x: { time: isTime && !isFine, range: () => [start, start + span] },
        y: isLog ? { distr: 3, range: () => [0.5, most * 1.2] } : { range: () => [0, most * 1.08] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: isTime ? 40 : 28,
          space,
          ...(!isTime && { incrs: STEPS }),
          values: isFine
            ? microseconds(origin, zone)
            : isTime
              ? dates(zone)
              : (_plot, marks, _axis, _space, step) => numbers(marks, step),
        },
        {
          ...axis,
          size: LEFT,
          incrs: STEPS,
          ...(isLog && {
            splits: () => STEPS.filter((step, i) => step <= most && (most < 200 || i % 3 === 0)),
            filter: (_plot, splits) => splits,
          }),
          values: (_plot, marks, _axis, _space, step) => numbers(marks, isLog ? 1 : step),
        },
      ],
      series: [
        {},
        {
          fill: resolve(colour),
          stroke: resolve(colour),
          width: 0,
          points: { show: false },
          ...(bars && { paths: bars }),
        },
      ],
      hooks: { setSize: [({ over }) => onPlace(over.style.cssText)] },
    },
    // A logarithm of none is nowhere.
    [
      Array.from(counts, (_, bar) => start + (2 * bar + 1) * half),
      Array.from(counts, (ids) => (isLog && ids === 0 ? null : ids)),
    ],
    element,
  );
}

/** A canvas knows nothing of custom properties, nor of light-dark(). */
function resolved(element: HTMLElement, property: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${property})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** As ISO 8601 has it in a zone, and no more of it than tells two marks apart. */
function dates(zone: string) {
  return (_plot: uPlot, splits: number[], _axis: number, _space: number, step: number): string[] => {
    let before = '';
    return splits.map((seconds) => {
      const [day = '', time = ''] = isoIn(zone, new Date(seconds * 1000)).split('T');
      const isNewDay = day !== before;
      before = day;
      if (step >= 86_400 * 365) return day.slice(0, 4);
      if (step >= 86_400 * 28) return day.slice(0, 7);
      if (step >= 86_400) return day;
      const clock = time.slice(0, step >= 60 ? 5 : step >= 1 ? 8 : 12);
      return isNewDay ? `${clock}\n${day}` : clock;
    });
  };
}

/** Times of day to the microsecond, with the day below the first. */
function microseconds(origin: number, zone: string): (plot: uPlot, splits: number[]) => string[] {
  return (_plot, splits) =>
    splits.map((offset, i) => {
      const micros = Math.round(origin * 1000) + Math.round(offset);
      const rest = String(((micros % 1000) + 1000) % 1000).padStart(3, '0');
      const [day = '', time = ''] = isoIn(zone, new Date(Math.floor(micros / 1000)), rest).split('T');
      const clock = time.slice(0, 15);
      return i === 0 ? `${clock}\n${day}` : clock;
    });
}

/** Steps between marks: counts and values are whole. */
const STEPS = Array.from({ length: 60 }, (_, i) => ([1, 2, 5][i % 3] as number) * 10 ** Math.floor(i / 3));

/** `1.25M`, with as many digits as tell two marks apart. */
function numbers(values: readonly number[], step: number): string[] {
  const most = Math.max(...values.map(Math.abs));
  const format = new Intl.NumberFormat('en', {
    notation: most < 1e15 ? 'compact' : 'scientific',
    maximumSignificantDigits: Math.min(21, Math.ceil(Math.log10(Math.max(1, most / step))) + 1),
  });
  return values.map((value) => format.format(value));
}
