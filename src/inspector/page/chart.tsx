import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Histogram } from '../decode/histogram.js';
import { isoIn } from '../decode/zones.js';

const HEIGHT = 150;

/** A histogram, of which a part can be dragged over to see more of it. */
export function Chart({
  histogram,
  isTime,
  zone,
  colour,
  label,
  onRange,
}: {
  histogram: Histogram;
  isTime: boolean;
  zone: string;
  /** A custom property of the style sheet. */
  colour: string;
  label: string;
  onRange: (from: number, to: number) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(onRange);
  latest.current = onRange;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let plot: uPlot | undefined;
    const draw = () => {
      plot?.destroy();
      plot = drawChart(element, histogram, isTime, zone, colour, (from, to) => latest.current(from, to));
    };
    draw();
    const schemes = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query));
    for (const scheme of schemes) scheme.addEventListener('change', draw);
    window.addEventListener('themechange', draw);
    const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      for (const scheme of schemes) scheme.removeEventListener('change', draw);
      window.removeEventListener('themechange', draw);
      resized.disconnect();
      plot?.destroy();
    };
  }, [histogram, isTime, zone, colour]);
  return <div class="chart" ref={box} role="img" aria-label={label} />;
}

function drawChart(
  element: HTMLDivElement,
  { from, width, counts }: Histogram,
  isTime: boolean,
  zone: string,
  colour: string,
  onRange: (from: number, to: number) => void,
): uPlot {
  const style = getComputedStyle(element);
  const resolve = (property: string) => resolved(element, property);
  // uPlot counts time in seconds, and marks milliseconds at most: below, it has microseconds from the first bar on.
  const isFine = isTime && width < 1;
  const [origin, unit] = isFine ? [from, 0.001] : [0, isTime ? 1000 : 1];
  const x = Float64Array.from(counts, (_, i) => (from - origin + (i + 0.5) * width) / unit);
  const axis = {
    stroke: resolve('--muted'),
    grid: { stroke: resolve('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${style.fontFamily}`,
  };
  const half = width / 2 / unit;
  const bars = uPlot.paths.bars?.({ size: [0.86, 64], align: 0 });
  return new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      padding: [null, isFine ? 56 : isTime ? 40 : 28, null, isFine ? 8 : null], // for half of the first and the last mark
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      scales: {
        x: {
          time: isTime && !isFine,
          range: () => [(x[0] as number) - half, (x[x.length - 1] as number) + half],
        },
        y: { range: (_plot, _min, max) => [0, Math.max(1, max) * 1.08] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: isTime ? 40 : 28,
          space: isFine ? 120 : isTime ? 84 : 50,
          values: isFine ? microseconds(origin, zone) : isTime ? dates(zone) : wholeNumbers,
        },
        { ...axis, size: 46, values: compactNumbers },
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
      hooks: {
        setSelect: [
          (plot) => {
            const { left, width: pixels } = plot.select;
            if (pixels < 4) return;
            const at = (pixel: number) => origin + plot.posToVal(pixel, 'x') * unit;
            onRange(at(left), at(left + pixels));
          },
        ],
      },
    },
    [x, Float64Array.from(counts)],
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

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

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

function compactNumbers(_plot: uPlot, values: number[]): string[] {
  return values.map((value) => (Number.isInteger(value) ? COMPACT.format(value) : ''));
}

function wholeNumbers(_plot: uPlot, values: number[]): string[] {
  return values.map((value) => (Number.isInteger(value) ? COMPACT.format(value) : ''));
}
