// biome-ignore-all lint/a11y/useSemanticElements: only the rows in view are in the page, and a table element cannot place them among a million
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays on the grid, which names its active row, because rows come and go
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid handles the keys
import { Component } from 'preact';
import { isoText } from '../../decode/dates.js';
import { EXPORTS } from '../../decode/export.js';
import { example, parseFilter, quotedIn, toggled } from '../../decode/filter.js';
import type { StatisticsView, View } from '../../decode/inspection.js';
import { durationText } from '../../decode/readings.js';
import type { ColumnHead, TableRow } from '../../decode/table.js';
import { EMPTY } from '../charts/plot.js';
import {
  Alert,
  Button,
  Choice,
  colourOf,
  count,
  type Fact,
  Facts,
  matches,
  Panel,
  type PanelProps,
  type Pickable,
  plural,
  TextBox,
} from '../controls.js';
import { change, copyExport, page, type RowCache, selectRow, startExport, update } from '../state.js';

// A million rows of 32 px are higher than an element may be (17.8 million px in Firefox, 33 million in Chromium).
// So the scrolled element is at most MAX_HEIGHT high, and what is seen is at a position of its own: it moves pixel by
// pixel with small steps, as of a wheel, and proportionally where the scrollbar is dragged.

export const MAX_HEIGHT = 8_000_000;

/** The height of all rows, and of what is seen, in pixels. */
export type Extent = { readonly total: number; readonly viewport: number };

/** Where the element is scrolled to, and which pixel of all rows is at the top of what is seen. */
type ScrollPosition = { readonly scrollTop: number; readonly top: number };

export function scrolledHeight({ total }: Extent): number {
  return Math.min(total, MAX_HEIGHT);
}

/** The position after the element has been scrolled. If `scrollTop` of the result differs, it is to be set. */
export function afterScroll(before: ScrollPosition, scrollTop: number, extent: Extent): ScrollPosition {
  const most = mostOf(extent);
  if (most.top <= most.scroll) return { scrollTop, top: clamp(scrollTop, most.top) };
  const step = scrollTop - before.scrollTop;
  // A wheel moves by less than this, a dragged scrollbar soon by more: over 4 rows of pixels each.
  const isSmall = Math.abs(step) <= extent.viewport * 1.5;
  const top = clamp(isSmall ? before.top + step : (scrollTop / most.scroll) * most.top, most.top);
  if (!isSmall) return { scrollTop, top };
  // Near an end of the element the two must meet: neither may end before the other.
  const nearEnd = scrollTop < extent.viewport * 4 || scrollTop > most.scroll - extent.viewport * 4;
  return nearEnd ? atTop(top, extent) : { scrollTop, top };
}

/** The position in which what is seen begins at `wanted`, or as near to it as there are rows. */
export function atTop(wanted: number, extent: Extent): ScrollPosition {
  const most = mostOf(extent);
  const top = clamp(wanted, most.top);
  if (most.top <= most.scroll || top === 0) return { scrollTop: top, top };
  if (top === most.top) return { scrollTop: most.scroll, top };
  // Whole pixels, as browsers have them; 0 and the end only where `top` is there, too.
  const scroll = Math.round((top / most.top) * most.scroll);
  return { scrollTop: Math.min(most.scroll - 1, Math.max(1, scroll)), top };
}

/** The last position: that of all rows, and of the element. */
function mostOf(extent: Extent) {
  const below = (height: number) => Math.max(0, height - extent.viewport);
  return { top: below(extent.total), scroll: below(scrolledHeight(extent)) };
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(0, value));
}

/** In pixels; rows are pressed, and fingers are not mice. */
const heights = () => (matches('touch') ? { row: 44, header: 44 } : { row: 30, header: 34 });
const SPARE_ROWS = 8; // drawn above and below what is seen, as scrolling is ahead of drawing

/** A filter of wide ids, and of services, takes any text. */
const ANY = () => ({ min: 0n, max: 0n });

export function TablePanel(props: PanelProps) {
  const { view } = props;
  const { rows, settings } = page;
  const { filter, show, sort, zone } = settings;
  const hasDate = view.columns.some(({ kind }) => kind === 'date');
  const isText = (kind: string) =>
    kind === 'kind' || kind === 'source' || (kind === 'id' && (view.wide || view.isMixed));
  const filterColumns = view.columns.map((column) => ({ ...column, ...(isText(column.kind) && { rangeOf: ANY }) }));
  const bad = view.bad + view.misfits;
  const all = plural(view.rows, 'row');
  const of = `${view.rows} ${view.shown} ${sort?.column} ${sort?.descending} ${filter} ${show}`;
  return (
    <Panel
      class="table"
      title={view.shown === view.rows ? all : `${count(view.shown)} of ${all}`}
      beside={
        <>
          <TextBox
            label="Filter"
            isHidden
            grows
            type="search"
            value={filter}
            placeholder={`Filter: ${example(view.columns)}, Enter`}
            title={`Such as ${example(view.columns)}${hasDate ? ' date>=2024-03' : ''}, or duplicate`}
            problem={view.filterError}
            onType={(text) => text === '' && change({ filter: '' })}
            accept={(text) => {
              parseFilter(text, filterColumns, zone); // if it is wrong, the rows of the filter before stay
              change({ filter: text });
            }}
          />
          <Choice
            label="Which rows"
            isHidden
            value={show}
            options={[
              ['all', 'all rows'],
              ['good', 'readable rows'],
              ['bad', `unreadable rows: ${count(bad)}`],
            ]}
            onChange={(which) => change({ show: which })}
          />
          <ExportButtons isRefused={view.filterError !== undefined} />
        </>
      }
    >
      {view.reasons.length > 0 && (
        <p class="reasons">{view.reasons.map((each) => `${plural(each.count, 'row')}: ${each.reason}`).join(' · ')}</p>
      )}
      {rows && <Grid {...props} rows={rows} of={of} />}
    </Panel>
  );
}

/**
 * Exports or copies the rows that are shown, and says how far it is. Where it cannot be pressed it is still there for the focus:
 * a disabled button would lose it.
 */
function ExportButtons({ isRefused }: { isRefused: boolean }) {
  const { export: exported, exportAs, copied } = page;
  const name = EXPORTS.find(([format]) => format === exportAs)?.[1];
  const percent = typeof exported === 'number' ? Math.floor(exported * 100) : undefined;
  const waits = percent !== undefined || isRefused;
  return (
    <>
      <Choice
        label="Export as"
        isHidden
        value={exportAs}
        options={EXPORTS}
        onChange={(format) => update({ exportAs: format })}
      />
      <Button
        aria-disabled={waits}
        aria-label={`Export ${name}`}
        title={exportAs === 'excel' ? 'Writes long numbers as text, because Excel rounds them' : undefined}
        onClick={() => !waits && startExport({ kind: 'export', format: exportAs })}
      >
        Export
      </Button>
      <Button aria-label="Copy rows" aria-disabled={waits} onClick={() => !waits && copyExport(exportAs)}>
        <span aria-live="polite">{copied === 'rows' ? 'Copied' : 'Copy'}</span>
      </Button>
      {percent !== undefined && (
        <span class="summary" role="progressbar" aria-label="Export" aria-valuenow={percent}>
          {`Exporting ${percent}%`}
        </span>
      )}
      {typeof exported === 'string' && <Alert>{exported}</Alert>}
    </>
  );
}

interface GridProps extends PanelProps {
  readonly rows: RowCache;
  /** What the rows are: others begin at their top. */
  readonly of: string;
}

/** What is made of ids, besides their kinds: a row that is not one has its problem there. */
const isMade = ({ kind }: ColumnHead) => /date|apart|field/.test(kind);

/** All columns that say something; on a phone the date is first, because only two fit, and the line is left out. */
function columnsShown({ columns: all, unreadable }: View): readonly ColumnHead[] {
  const columns = unreadable ? all.filter((column) => !isMade(column)) : all;
  if (!matches('narrow')) return columns;
  const isDate = ({ kind }: ColumnHead) => kind === 'date';
  return [...columns.filter(isDate), ...columns.filter((column) => column.kind !== 'line' && !isDate(column))];
}

const TOP = { position: { scrollTop: 0, top: 0 }, active: 0 };

/** Only the rows that are seen are in the page; keys and the scrollbar move over all of them. */
class Grid extends Component<GridProps, { position: ScrollPosition; active: number; height: number }> {
  override state = { ...TOP, height: 480 };
  #element!: HTMLElement;
  readonly #resized = new ResizeObserver(() => this.setState({ height: this.#element.clientHeight }));
  readonly #observe = (element: HTMLElement | null) => {
    if (element === null) return this.#resized.disconnect();
    this.#element = element;
    this.#resized.observe(element);
  };

  get #extent(): Extent {
    const { row, header } = heights();
    return { total: this.props.rows.count * row, viewport: Math.max(row, this.state.height - header) };
  }

  override componentDidUpdate(before: GridProps): void {
    if (before.of === this.props.of) return;
    this.#moveTo(TOP.position);
    this.setState(TOP);
  }

  #moveTo(position: ScrollPosition): void {
    if (this.#element.scrollTop !== position.scrollTop) this.#element.scrollTop = position.scrollTop;
    this.setState({ position });
  }

  #activate(index: number): void {
    const { rows } = this.props;
    const { top } = this.state.position;
    const active = clamp(index, rows.count - 1);
    this.setState({ active });
    const [row] = rows.slice(active, active + 1);
    if (row) selectRow(row);
    const { row: height } = heights();
    const start = active * height;
    const end = start + height - this.#extent.viewport;
    if (start < top) this.#moveTo(atTop(start, this.#extent));
    else if (end > top) this.#moveTo(atTop(end, this.#extent));
  }

  readonly #onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof Element && event.target.closest('button') !== null) return;
    const { active } = this.state;
    const page = Math.max(1, Math.floor(this.#extent.viewport / heights().row) - 1);
    const targets: { [key: string]: number } = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: this.props.rows.count - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.#activate(target);
  };

  override render({ view, layout, rows }: GridProps) {
    const { position, active } = this.state;
    const { row: height, header } = heights();
    const extent = this.#extent;
    const columns = columnsShown(view);
    const from = Math.max(0, Math.floor(position.top / height) - SPARE_ROWS);
    const to = Math.min(rows.count, Math.ceil((position.top + extent.viewport) / height) + SPARE_ROWS);
    const widthOf = ({ width, label, kind }: ColumnHead) =>
      Math.min(Math.max(width, label.length + 2), kind !== 'source' ? Infinity : matches('narrow') ? 20 : 40);
    const template = columns.map((column) => `calc(${widthOf(column)}ch + 2 * var(--pad) + 2px)`).join(' ');
    return (
      <div
        class="grid"
        ref={this.#observe}
        role="grid"
        tabIndex={0}
        aria-label="Rows"
        aria-rowcount={rows.count + 1}
        aria-colcount={columns.length}
        aria-activedescendant={active >= from && active < to ? `row-${active}` : undefined}
        onScroll={(event) => this.#moveTo(afterScroll(position, event.currentTarget.scrollTop, extent))}
        onKeyDown={this.#onKeyDown}
        style={{
          '--columns': template,
          '--row': `${height}px`,
          '--header': `${header}px`,
          '--most': `${view.rows * height + header + 16}px`,
        }}
      >
        <div class="sized" style={{ height: `${scrolledHeight(extent) + header}px` }}>
          <div role="rowgroup" class="head">
            <div role="row" aria-rowindex={1} class="row">
              {columns.map((column) => {
                // The date has the colour of the field that it is made from.
                const field = column.place?.name ?? column.time?.name;
                return <HeadCell key={column.key} column={column} colour={field ? colourOf(layout, field) : ''} />;
              })}
            </div>
          </div>
          <div role="rowgroup" class="body" style={{ transform: `translateY(${from * height - position.top}px)` }}>
            {rows.slice(from, to).map((row, i) => this.#row(row, from + i))}
          </div>
        </div>
      </div>
    );
  }

  #row(row: TableRow | undefined, index: number) {
    const { view } = this.props;
    const problem = row?.problem;
    const shown = columnsShown(view);
    const columns = problem ? shown.filter((column) => !isMade(column)) : shown;
    const made = shown.length - columns.length;
    const source = made && columns.findIndex(({ kind }) => kind === 'source');
    return (
      <div
        role="row"
        key={index}
        id={`row-${index}`}
        class={`row ${problem ? 'bad' : ''} ${index === this.state.active ? 'active' : ''}`}
        aria-rowindex={index + 2}
        aria-selected={row !== undefined && row.row === page.selected?.row}
        onClick={() => this.#activate(index)}
      >
        {columns.map((column) => {
          const text = row?.cells[view.columns.indexOf(column)];
          return (
            <div
              role="gridcell"
              key={column.key}
              class={`cell ${classOf(column)}`}
              title={column.kind === 'source' ? text : undefined}
            >
              {text}
            </div>
          );
        })}
        {problem && (
          <div
            role="gridcell"
            class="cell problem"
            title={problem}
            style={{ gridColumn: source > 0 ? `${source + 1} / span ${made}` : `${columns.length + 1} / -1` }}
            aria-colspan={made || 1}
          >
            {problem}
          </div>
        )}
      </div>
    );
  }
}

function HeadCell({ column: { key, label, ...column }, colour }: { column: ColumnHead; colour: string }) {
  const { sort } = page.settings;
  const isSorted = sort?.column === key;
  const isDescending = isSorted && sort.descending;
  // Each click takes the next of three orders: up, down, and as the rows came. What is farthest is first at once.
  const isFirst = column.kind === 'apart';
  const isLast = isSorted && isDescending !== isFirst;
  const onClick = () => change({ sort: isLast ? undefined : { column: key, descending: isSorted !== isFirst } });
  return (
    <div
      role="columnheader"
      aria-sort={isDescending ? 'descending' : isSorted ? 'ascending' : 'none'}
      class={`cell ${classOf(column)} ${colour}`}
    >
      <Button onClick={onClick} title={column.kind === 'source' ? label : undefined}>
        {label}
        <span aria-hidden="true" class="arrow">
          {isDescending ? '↓' : isSorted ? '↑' : ''}
        </span>
      </Button>
    </div>
  );
}

/** Times are of one length, as ids are, and stand from the left; other numbers from the right. */
function classOf({ kind, time }: Pick<ColumnHead, 'kind' | 'time'>): string {
  return time ? 'time' : kind;
}

/** What operators ask of many ids: what is there twice, when nothing came, and which shards have most. */
export function StatisticsPanel() {
  const { statistics, isCounting } = page;
  return (
    <Panel title="Statistics" beside={<p class="summary">A click on one filters the rows.</p>} aria-busy={isCounting}>
      {statistics ? <Facts of={factsOf(statistics)} /> : <p class="note">Counting…</p>}
    </Panel>
  );
}

/** The ids a second, or the time from one to the next, with three digits. */
export function paceText(rate: number): string {
  const rounded = (value: number) => Number(value.toPrecision(3));
  if (rate >= 1) return `${count(rounded(rate))} a second`;
  return `one every ${durationText(BigInt(rounded(1e6 / rate)))}`;
}

function factsOf(statistics: StatisticsView): (Fact | false)[] {
  const { repeated, spare, rate, farthest, peak, gaps, top, values, maxToMean, time, per } = statistics;
  const { filter, zone } = page.settings;
  /** @param column '' if the condition is of none */
  const pick = (text: string, column: string, condition: string): Pickable => ({
    text,
    isChosen: ` ${filter} `.includes(` ${condition} `),
    onChoose: () => change({ filter: toggled(filter, column, condition) }),
  });
  const iso = (micros: bigint) => (time && isoText(time, micros, zone)) ?? '';
  const pickTime = (words: string, from: bigint, to: bigint, until: '<' | '<=') =>
    pick(`${words}${durationText(to - from)} from ${iso(from)}`, 'date', `date>=${iso(from)} date${until}${iso(to)}`);
  const duplicates = `${plural(repeated, 'id')} repeated, in ${plural(spare, 'extra row')}`;
  return [
    ['Duplicates', repeated === 0 ? 'none' : [pick(duplicates, '', 'duplicate')]],
    rate !== undefined && ['Rate', `${paceText(rate)} on average`],
    farthest.length > 0 && [
      'Farthest from its own time',
      farthest.map(({ line, seconds }) => {
        const apart = durationText(BigInt(Math.round(seconds * 1e6)));
        return pick(`line ${line}: ${apart} ${seconds < 0 ? 'before' : 'after'} it`, 'line', `line=${line}`);
      }),
    ],
    peak !== undefined &&
      peak.count > 1 && ['Peak', [pickTime(`${plural(peak.count, 'id')} in `, peak.from, peak.to, '<')]],
    gaps.length > 0 && ['Longest gaps', gaps.map(({ from, to }) => pickTime('', from, to, '<='))],
    per !== undefined &&
      values > 0 && [
        `Most ids by ${per}`,
        top.map(({ value, count: ids }) =>
          pick(
            `${value === '' ? EMPTY : value}: ${plural(ids, 'id')}`,
            per,
            `${quotedIn(per)}=${quotedIn(`${value}`)}`,
          ),
        ),
      ],
    values > 0 && ['Fullest ÷ average', `${maxToMean.toFixed(2)} (${plural(values, 'value')})`],
  ];
}
