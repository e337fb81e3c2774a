import { Component, createRef } from 'preact';
import uPlot from 'uplot';
import { namesIn } from '../../../arguments.js';
import { isoIn } from '../../decode/dates.js';
import { gapsIn, type Histogram, hotIn, isAboveBase } from '../../decode/statistics.js';

const HEIGHT = 200;
const LEFT = 46; // for the marks of counts

interface Drawing {
  readonly histogram: Histogram;
  readonly isTime: boolean;
  readonly zone: string;
  readonly isLog: boolean;
  /** A class of the style sheet, whose `--solid` it is. */
  readonly colour: string;
  /** What there is of light, dark and forced colours. */
  readonly scheme: string;
}

/** Bars, drawn again in other colours and sizes. What is beside them in the page is laid over them, not over the marks. */
export class Plot extends Component<Drawing> {
  readonly #box = createRef<HTMLDivElement>();
  #plot: uPlot | undefined;
  readonly #resized = new ResizeObserver(() =>
    this.#plot?.setSize({ width: this.#element.clientWidth, height: HEIGHT }),
  );

  get #element(): HTMLElement {
    return this.#box.current as HTMLElement;
  }

  #draw(): void {
    this.#plot?.destroy();
    this.#plot = draw(this.#element, this.props);
  }

  override componentDidMount(): void {
    this.#draw();
    this.#resized.observe(this.#element);
  }

  override shouldComponentUpdate(next: Drawing): boolean {
    return namesIn(next).some((name) => next[name] !== this.props[name]);
  }

  override componentDidUpdate(): void {
    this.#draw();
  }

  override componentWillUnmount(): void {
    this.#resized.disconnect();
    this.#plot?.destroy();
  }

  override render() {
    return <div class="plot" ref={this.#box} />;
  }
}

function draw(element: HTMLElement, { histogram, isTime, zone, isLog, colour }: Drawing) {
  const { base = 0n, from, width, counts } = histogram;
  const isAbove = !isTime && isAboveBase(histogram);
  const style = getComputedStyle(element);
  const beside = element.nextSibling as HTMLElement; // uPlot may tell of it when the chart is gone
  // uPlot counts time in seconds, and marks milliseconds at most: below, it has microseconds from the first bar on.
  const isFine = isTime && width < 1;
  const [origin, unit] = isFine ? [from, 0.001] : [isAbove ? 0 : -Number(base), isTime ? 1000 : 1];
  const half = width / 2 / unit;
  const start = (from - origin) / unit - (isTime || width > 1 ? 0 : half); // the mark of a bar of one value is below its middle
  const span = 2 * half * counts.length;
  const most = Math.max(1, ...counts);
  const longest = Math.max(...numbers([start, start + span], span / 20).map(({ length }) => length));
  const space = isFine ? 112 : isTime ? 84 : Math.max(50, 14 + 7 * longest); // pixels from one mark to the next
  const axis = {
    stroke: resolved(element, '', 'muted'),
    grid: { stroke: resolved(element, '', 'line'), width: 1 },
    ticks: { show: false },
    font: `11px ${style.fontFamily}`,
  };
  const solid = resolved(element, colour, 'solid');
  const [gapColour, hotColour] = ['bad-bg', 'bad'].map((property) => resolved(element, '', property));
  const gaps = isTime ? gapsIn(histogram) : [];
  const hot = new Set(isTime ? [] : hotIn(histogram));
  const bars = (fill: string) => ({
    fill,
    stroke: fill,
    width: 0,
    points: { show: false },
    paths: uPlot.paths.bars?.({ size: [0.86, 64] }) as uPlot.Series.PathBuilder,
  });
  // A logarithm of none is nowhere.
  const heights = Array.from(counts, (ids) => (isLog && ids === 0 ? null : ids));
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
          values: isTime
            ? dates(zone, origin, unit * 1000)
            : (_plot, marks, _axis, _space, step) => numbers(marks, step).map((mark) => (isAbove ? `+${mark}` : mark)),
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
      series: [{}, bars(solid), bars(hotColour)],
      hooks: {
        setSize: [({ over }) => (beside.style.cssText = over.style.cssText)],
        drawClear: [
          (plot) => {
            const { ctx, bbox } = plot;
            ctx.fillStyle = gapColour;
            for (const [first, last] of gaps) {
              const [left, right] = [first, last + 1].map((bar) => plot.valToPos(start + 2 * bar * half, 'x', true));
              ctx.fillRect(left, bbox.top, right - left, bbox.height);
            }
          },
        ],
      },
    },
    [
      Array.from(counts, (_, bar) => start + (2 * bar + 1) * half),
      heights.map((height, bar) => (hot.has(bar) ? null : height)),
      heights.map((height, bar) => (hot.has(bar) ? height : null)),
    ],
    element,
  );
}

/** A canvas knows nothing of custom properties, nor of light-dark(). */
function resolved(element: HTMLElement, colour: string, property: string): string {
  const probe = document.createElement('i');
  probe.className = colour;
  probe.style.color = `var(--${property})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/**
 * As ISO 8601 has it in a zone, and no more of it than tells two marks apart.
 * @param unit what marks are multiples of, in microseconds
 */
function dates(zone: string, origin: number, unit: number) {
  return (_plot: uPlot, splits: number[], _axis: number, _space: number, step: number): string[] => {
    const apart = (step * unit) / 1e6; // seconds
    let before = '';
    return splits.map((split) => {
      const micros = Math.round(origin * 1000) + Math.round(split * unit);
      const ms = Math.floor(micros / 1000);
      const rest = String(micros - ms * 1000).padStart(3, '0');
      const [day = '', time = ''] = isoIn(zone, new Date(ms), rest).split('T');
      const isNewDay = day !== before;
      before = day;
      if (apart >= 86_400) return day.slice(0, apart >= 86_400 * 365 ? 4 : apart >= 86_400 * 28 ? 7 : 10);
      const clock = time.slice(0, apart >= 60 ? 5 : apart >= 1 ? 8 : apart >= 0.001 ? 12 : 15);
      return isNewDay ? `${clock}\n${day}` : clock;
    });
  };
}

/** Steps between marks: counts and values are whole. */
const STEPS = Array.from({ length: 60 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));

/** `1.25M`, with as many digits as tell two marks apart. */
function numbers(values: readonly number[], step: number): string[] {
  const most = Math.max(...values.map(Math.abs));
  const format = new Intl.NumberFormat('en', {
    notation: most < 1e15 ? 'compact' : 'scientific',
    maximumSignificantDigits: Math.min(21, Math.ceil(Math.log10(Math.max(1, most / step))) + 1),
  });
  return values.map((value) => format.format(value));
}
