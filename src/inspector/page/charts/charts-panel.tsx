import { Component, type ComponentChildren, Fragment, type TargetedPointerEvent } from 'preact';
import { namesIn } from '../../../arguments.js';
import type { LayoutTime } from '../../../index.js';
import { isoAt, isoText } from '../../decode/dates.js';
import { quoted } from '../../decode/export.js';
import { quotedIn, withoutColumn } from '../../decode/filter.js';
import { countable, memo, type View } from '../../decode/inspection.js';
import { durationText, spanText } from '../../decode/readings.js';
import { BARS } from '../../decode/settings.js';
import { gapsIn, type Histogram, hotIn, isAboveBase } from '../../decode/statistics.js';
import { Choice, CopyButton, colourOf, count, joined, Panel, type PanelProps, plural, steppedBy } from '../controls.js';
import { change, page } from '../state.js';
import { EMPTY, frameOf, type Lane, picture } from './plot.js';

export interface CountedValues {
  /** Their name, as in the table and in filters. */
  readonly column: string;
  /** The last bar may reach beyond it. */
  readonly most: bigint;
  /** Set for dates: the bars are of Unix milliseconds then. */
  readonly time?: LayoutTime | undefined;
  readonly zone: string;
  /** Set where values stand for texts, from 1. */
  readonly names?: readonly string[] | undefined;
  /** Set for the ids of one text, or of others than those that have lanes. */
  readonly lane?: LaneOf | undefined;
}

interface LaneOf {
  readonly column: string;
  readonly name: string;
  readonly condition: string;
  /** How many ids are in all lanes. */
  readonly of: number;
  readonly at: number;
  readonly place: Lane;
}

function idsIn({ counts }: Histogram, first: number, last: number): number {
  return counts.subarray(first, last + 1).reduce((sum, ids) => sum + ids, 0);
}

/** `28 Jun 2022, 16:00 to 17:00 UTC: 1,204 ids`, `shard 17: 52 ids`. */
export function barsText(histogram: Histogram, first: number, last: number, counted: CountedValues): string {
  const { time, column, zone, names, lane } = counted;
  const [from, to] = valuesOf(histogram, first, last, counted);
  const values = names ? names[first] || EMPTY : `${from}${to === from ? '' : ` to ${to}`}`;
  const range = time ? spanText(time, from, to + 1n, zone) : `${column} ${values}`;
  return `${range}${lane ? `, ${lane.name}` : ''}: ${plural(idsIn(histogram, first, last), 'id')}`;
}

/** What a filter says of bars: `shard=17`, `date>=2022-06-28T16:00:00.000Z date<=2022-06-28T16:59:59.999Z`. */
export function conditionOf(histogram: Histogram, first: number, last: number, counted: CountedValues): string {
  const { time, column: key, zone, names, lane } = counted;
  const column = quotedIn(key);
  if (names) return `${column}=${quotedIn(names[first])}`;
  const [from, to] = valuesOf(histogram, first, last, counted).map((value) =>
    time ? isoText(time, value, zone) : value,
  );
  const range = from === to ? `${column}=${from}` : `${column}>=${from} ${column}<=${to}`;
  return joined([range, lane?.condition], ' ');
}

/** A chart in words, for those who do not see it. */
export function describe(histogram: Histogram, counted: CountedValues): string {
  const { counts } = histogram;
  const bars = (ids: number) => {
    const at = counts.indexOf(ids);
    return barsText(histogram, at, at, counted);
  };
  return `${plural(counts.length, 'bar')}. Most: ${bars(Math.max(...counts))}. Fewest: ${bars(Math.min(...counts))}.`;
}

/** The first value of some bars and the last; dates are in Unix microseconds. */
function valuesOf({ base = 0n, from, width, edges }: Histogram, first: number, last: number, { most }: CountedValues) {
  const edge = (bar: number) => (edges ? BigInt(edges[bar]) : base + BigInt(from + bar * width));
  const end = edge(last + 1) - 1n;
  return [edge(first), !edges && end > most ? most : end];
}

/** The counts of bars as a table for a spreadsheet: a line for each bar, and a column for each lane. */
export function countsText(histogram: Histogram, lanes: View['lanes'], zone: string): string {
  const { edges = [], width, counts } = histogram;
  const columns = lanes ?? [{ name: 'ids', counts }];
  const names = columns.map(({ name = 'others' }) => quoted((name || EMPTY).replace(/\s+/g, ' ')));
  const length = width < 1000 ? 99 : width < BARS.day ? 19 : 10;
  const lines = Array.from(counts, (_, bar) => {
    const date = isoAt(edges[bar], zone).slice(0, length).replace('T', ' ');
    return [date, ...columns.map((lane) => lane.counts[bar])].join('\t');
  });
  return [[`date (${zone})`, ...names].join('\t'), ...lines].join('\n');
}

const MIN_DRAG = 5; // pixels: fingers and hands are not still

interface CardProps {
  readonly log: 'logTime' | 'logPer';
  readonly title: string;
  readonly histogram: Histogram | undefined;
  /** Why there is no histogram. */
  readonly nothing: string;
  readonly counted: CountedValues;
  readonly colour: string;
  readonly lanes?: readonly { readonly histogram: Histogram; readonly lane: LaneOf }[] | undefined;
  /** How many texts there are, also those that have no bar. */
  readonly more?: number | undefined;
  readonly children?: ComponentChildren;
}

type ChartProps = CardProps & { readonly histogram: Histogram };

interface Choosing {
  /** The bar where a choice began, and the one where it is now; undefined: no bar is looked at. */
  readonly choice?: readonly [number, number] | undefined;
  /** Pixels; 0 until they have been measured. */
  readonly width?: number;
}

/** A histogram whose bars are read, and chosen, by mouse, finger and keys. */
class Chart extends Component<ChartProps, Choosing> {
  #pressed: { readonly x: number; readonly bar: number } | undefined;
  readonly #picture = memo(picture);
  readonly #resized = new ResizeObserver(([entry]) => this.setState({ width: entry?.contentRect.width ?? 0 }));
  readonly #observe = (box: Element | null) => (box ? this.#resized.observe(box) : this.#resized.disconnect());

  /** Keeps the value of the bar that is looked at when other bars come. */
  override componentWillReceiveProps({ histogram }: ChartProps): void {
    const before = this.props.histogram;
    const { choice } = this.state;
    if (!choice || histogram === before) return;
    const apart = Number((before.base ?? 0n) - (histogram.base ?? 0n));
    const value = apart + before.from + (choice[1] + 0.5) * before.width;
    this.#look(Math.floor((value - histogram.from) / histogram.width), undefined, histogram);
  }

  #look(from: number, to = from, { counts } = this.props.histogram): void {
    const within = (bar: number) => Math.max(0, Math.min(counts.length - 1, bar));
    // Texts beside each other have no more in common than their counts.
    this.setState({ choice: [within(this.props.counted.names ? to : from), within(to)] });
  }

  readonly #onPointerMove = (event: TargetedPointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const x = event.clientX;
    const bar = Math.floor(((x - left) / width) * this.props.histogram.counts.length);
    if (event.type === 'pointerdown') this.#pressed = { x, bar };
    const from = this.#pressed;
    const to = from && Math.abs(x - from.x) < MIN_DRAG ? from.bar : bar;
    this.#look(from?.bar ?? bar, to);
  };

  readonly #onPointerDown = (event: TargetedPointerEvent<HTMLElement>) => {
    if (!event.isPrimary || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    this.#onPointerMove(event);
  };

  readonly #onPointerLeave = (event: TargetedPointerEvent<HTMLElement>) => {
    this.#pressed = undefined;
    if (!event.currentTarget.matches(':focus-visible')) this.setState({ choice: undefined });
  };

  override render({ log, title, histogram, counted, colour }: ChartProps, { choice, width = 0 }: Choosing) {
    const { filter, [log]: isLog } = page.settings;
    const { lane, names } = counted;
    const timeless = withoutColumn(filter, counted.column);
    const others = lane ? withoutColumn(timeless, lane.column) : timeless;
    const refilter = (changed: string) => {
      if (changed !== filter) change({ filter: changed });
    };
    const { length } = histogram.counts;
    const [anchor, head] = choice ?? [0, 0];
    const [first, last] = [Math.min(anchor, head), Math.max(anchor, head)];
    const text = barsText(histogram, first, last, counted);
    const choose = () => {
      this.#look(head);
      const ids = idsIn(histogram, first, last);
      if (ids === 0) return;
      // If all ids that are shown are in these bars already, choosing them again takes the filter back.
      const isChosen = ids === (lane?.of ?? idsIn(histogram, 0, length)) && others.length < filter.length;
      refilter(isChosen ? others : `${others} ${conditionOf(histogram, first, last, counted)}`.trim());
    };
    const onPointerUp = () => {
      if (this.#pressed) choose();
      this.#pressed = undefined;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return; // Alt and an arrow go back in the history
      const target = steppedBy(event.key, head, Math.ceil(length / 10), 0, length - 1);
      if (target !== undefined) this.#look(event.shiftKey ? anchor : target, target);
      else if (event.key === 'Enter') choose();
      else if (event.key === 'Escape') {
        this.#pressed = undefined;
        this.#look(head);
        if (anchor === head) refilter(others);
      } else return;
      event.preventDefault();
    };

    const share = (bars: number) => `${(100 * bars) / length}%`;
    const at = share((first + last + 1) / 2);
    const id = `${log}-bars${lane?.at ?? ''}`;
    const { height, inset } = frameOf(histogram, names, lane?.place);
    return (
      <div class="chart" style={{ height: `${height}px` }}>
        <div class={`framed ${colour}`} style={{ inset }}>
          <div class="plot" ref={this.#observe} aria-hidden="true">
            {width > 0 && this.#picture(histogram, counted.zone, isLog, width, names, lane?.place)}
          </div>
          <div
            class="pointed"
            role="slider"
            tabIndex={0}
            aria-label={`Ids ${title.toLowerCase()}${log === 'logPer' ? ` ${counted.column}` : lane ? `, ${lane.name}` : ''}`}
            aria-describedby={id}
            aria-valuemin={1}
            aria-valuemax={length}
            aria-valuenow={head + 1}
            aria-valuetext={text}
            onPointerMove={this.#onPointerMove}
            onPointerDown={this.#onPointerDown}
            onPointerUp={onPointerUp}
            onPointerCancel={this.#onPointerLeave}
            onPointerLeave={this.#onPointerLeave}
            onKeyDown={onKeyDown}
            onFocus={() => this.setState((old) => ({ choice: old.choice ?? [0, 0] }))}
            onBlur={() => this.setState({ choice: undefined })}
          >
            {choice && <i style={{ left: share(first), width: share(last + 1 - first) }} />}
          </div>
        </div>
        {choice && (
          <p class="tip" aria-hidden="true" style={{ left: at, transform: `translateX(-${at})` }}>
            {text}
          </p>
        )}
        <p class="hidden" id={id}>
          {describe(histogram, counted)} Arrow keys move over the bars{names ? '' : ', with Shift they select several'}.
          Enter filters by them, Escape takes that back.
        </p>
      </div>
    );
  }
}

/** Fewer rows than this are seen at a glance in the table. */
const FEW = 20;

/** How many ids there are over time, and per shard or per any other field. Bars that are chosen become a filter. */
export function ChartsPanel({ view, layout }: PanelProps) {
  const { overTime, perValue, names, per: column = '' } = view;
  const { zone, show, bars } = page.settings;
  const isWide = view.wide !== undefined;
  if (view.rows < FEW || view.rows === view.bad + (isWide ? view.misfits : 0)) return null;
  const columns = countable(view.columns);
  const per = columns.find(({ key }) => key === view.per);
  const dated = view.columns.find(({ kind }) => kind === 'date')?.time;
  const nothing =
    view.rows === view.bad + view.misfits
      ? 'The layout rejects every id.'
      : show === 'bad'
        ? 'Unreadable rows have no values to count.'
        : 'No rows match.';
  const time = overTime && !overTime.edges ? undefined : dated;
  const of = overTime ? idsIn(overTime, 0, overTime.counts.length) : 0;
  const conditionFor = (name: string, operator = '=') => `${quotedIn(column)}${operator}${quotedIn(name)}`;
  const lanes =
    overTime &&
    view.lanes?.map(({ name, counts }, at, { length }) => ({
      histogram: { ...overTime, counts },
      lane: {
        ...{ column, of, at, place: at === length - 1 ? ('last' as const) : ('lane' as const) },
        name: name === undefined ? `${column}: others` : `${column} ${name || EMPTY}`,
        condition:
          name === undefined
            ? (names ?? [])
                .slice(0, at)
                .map((each) => conditionFor(each, '!='))
                .join(' ')
            : conditionFor(name),
      },
    }));
  return (
    <div class={`pair charts ${lanes ? 'stacked' : ''}`}>
      <ChartCard
        log="logTime"
        nothing={nothing}
        title={time ? 'Over time' : 'By value'}
        histogram={overTime}
        lanes={lanes}
        counted={{ column: time ? 'date' : 'id', most: layout.mask, time, zone }}
        colour="c0"
      >
        {time && (
          <Choice
            label="Width of bars"
            isHidden
            value={bars}
            options={namesIn(BARS).map((each) => [each, each || 'Automatic'])}
            onChange={(each) => change({ bars: each })}
          />
        )}
        {time && overTime && (
          <CopyButton label="Copy counts" text={() => countsText(overTime, view.lanes, zone)}>
            Copy
          </CopyButton>
        )}
      </ChartCard>
      {columns.length > 0 && (
        <ChartCard
          log="logPer"
          nothing={per === undefined ? 'Choose what to count ids by.' : nothing}
          title="Per"
          histogram={perValue}
          counted={{ column, most: per?.place?.mask ?? BigInt(names?.length ?? 0), names, zone }}
          colour={per?.place ? colourOf(layout, per.place.name) : ''}
          more={view.texts}
        >
          <Choice
            label="Count ids per"
            isHidden
            value={column}
            options={[...(per === undefined ? [''] : []), ...columns.map(({ key }) => key)]}
            onChange={(key) => change({ per: key })}
          />
        </ChartCard>
      )}
    </div>
  );
}

function ChartCard(props: CardProps) {
  const { log, title, histogram, nothing, counted, lanes, more, children } = props;
  const isLog = page.settings[log];
  return (
    <Panel
      title={title}
      beside={
        <>
          {children}
          <label>
            <input
              type="checkbox"
              checked={isLog}
              onChange={(event) => change({ [log]: event.currentTarget.checked })}
            />
            Log scale
          </label>
          <p class="summary">{histogram && widthText(histogram, counted, more)}</p>
        </>
      }
    >
      {!histogram && <p class="chart nothing">{nothing}</p>}
      {histogram && !lanes && <Chart {...props} histogram={histogram} />}
      {lanes?.map((each) => (
        <Fragment key={each.lane.name}>
          <p class="lane">
            <span>{each.lane.name}</span> {plural(idsIn(each.histogram, 0, each.histogram.counts.length), 'id')}
          </p>
          <Chart {...props} histogram={each.histogram} counted={{ ...counted, lane: each.lane }} />
        </Fragment>
      ))}
    </Panel>
  );
}

function widthText(histogram: Histogram, { time, zone, names }: CountedValues, texts = 0): string {
  const { base, width } = histogram;
  if (!time) {
    const hot = hotIn(histogram).length;
    return joined([
      names && texts > names.length && `the ${names.length} most frequent of ${plural(texts, 'value')}`,
      isAboveBase(histogram) && `from ${base}`,
      width > 1 && `bars of ${count(width)}`,
      hot > 0 && `${plural(hot, 'bar')} much fuller than most`,
    ]);
  }
  const gaps = gapsIn(histogram).length;
  const duration = width < 1 ? `${Math.round(width * 1000)} µs` : `${width} ms`;
  const { bars } = page.settings;
  const days = width < 1000 ? duration : durationText(BigInt(width) * 1000n);
  const length = width < BARS.month ? days : plural(width / BARS.month, 'month');
  const why = bars && width !== BARS[bars] ? ` (over 1,000 ${bars}s)` : '';
  return joined([`${zone}, bars of ${length}${why}`, gaps > 0 && plural(gaps, 'gap')]);
}
