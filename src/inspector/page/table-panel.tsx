// biome-ignore-all lint/a11y/useSemanticElements: only the rows in view are in the page, and a table element cannot place them among a million
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays on the grid, which names its active row, because rows come and go
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid handles the keys

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Layout } from '../../index.js';
import type { View } from '../decode/inspection.js';
import { type Settings, SHOWN } from '../decode/settings.js';
import type { ColumnHead, TableRow } from '../decode/table.js';
import { colourOf } from './colours.js';
import { ExportButton } from './export-button.jsx';
import type { Inspector } from './inspector.js';
import { count, plural } from './numbers.js';
import type { RowCache } from './row-cache.js';
import { afterScroll, atTop, type Extent, type ScrollPosition, scrolledHeight } from './scroll.js';
import { useTyped } from './use-typed.js';

export const ROW_HEIGHT = 30;
const HEADER_HEIGHT = 34;
const SPARE_ROWS = 8; // drawn above and below what is seen, as scrolling is ahead of drawing

export function TablePanel({ inspector, view, layout }: { inspector: Inspector; view: View; layout: Layout }) {
  const { settings } = inspector;
  const bad = view.bad + view.misfits;
  return (
    <section class="card table" aria-labelledby="rows">
      <div class="controls">
        <h2 id="rows">
          {view.shown === view.rows ? plural(view.rows, 'row') : `${count(view.shown)} of ${plural(view.rows, 'row')}`}
        </h2>
        <FilterBox
          filter={settings.filter}
          error={view.filterError}
          example={view.wide === undefined ? 'shard=5 date>=2024-03' : 'date>=2024-03'}
          onChange={(filter) => inspector.change({ filter })}
        />
        <label>
          <span class="hidden">Which rows</span>
          <select
            value={settings.show}
            onChange={(event) => inspector.change({ show: event.currentTarget.value as Settings['show'] })}
          >
            {SHOWN.map((which) => (
              <option key={which} value={which}>
                {which === 'all'
                  ? 'all rows'
                  : which === 'good'
                    ? 'good rows'
                    : `${count(bad)} bad ${bad === 1 ? 'row' : 'rows'}`}
              </option>
            ))}
          </select>
        </label>
        <ExportButton inspector={inspector} view={view} />
      </div>
      {view.reasons.length > 0 && (
        <p class="reasons">
          {view.reasons.map(({ reason, count: rows }) => `${plural(rows, 'row')}: ${reason}`).join(' · ')}
        </p>
      )}
      {inspector.rows !== undefined && <Grid inspector={inspector} view={view} layout={layout} rows={inspector.rows} />}
    </section>
  );
}

function FilterBox({
  filter,
  error,
  example,
  onChange,
}: {
  filter: string;
  error: string | undefined;
  example: string;
  onChange: (filter: string) => void;
}) {
  const [text, setTyped] = useTyped(filter, filter);
  return (
    <label class="grow">
      <span class="hidden">Filter</span>
      <input
        type="search"
        value={text}
        placeholder={`Filter: ${example} …`}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={error !== undefined}
        aria-describedby="filter-error"
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          if (event.currentTarget.value === '') onChange('');
        }}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <span id="filter-error" class="error" role="alert">
        {error}
      </span>
    </label>
  );
}

/** As many rows as are seen are there at all; keys and the scrollbar move over all of them. */
function Grid({ inspector, view, layout, rows }: { inspector: Inspector; view: View; layout: Layout; rows: RowCache }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [position, setPosition] = useState<ScrollPosition>({ scrollTop: 0, top: 0 });
  const [height, setHeight] = useState(480);
  const [active, setActive] = useState(0);
  const total = rows.count * ROW_HEIGHT;
  const extent: Extent = { total, viewport: Math.max(ROW_HEIGHT, height - HEADER_HEIGHT) };
  const { sort } = inspector.settings;

  const moveTo = (next: ScrollPosition) => {
    const element = scroller.current;
    if (element !== null && element.scrollTop !== next.scrollTop) element.scrollTop = next.scrollTop;
    setPosition(next);
  };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const resized = new ResizeObserver(() => setHeight(element.clientHeight));
    resized.observe(element);
    return () => resized.disconnect();
  }, []);

  // Other rows begin at their top.
  const shownAs = `${view.rows} ${view.shown} ${sort?.column} ${sort?.descending} ${inspector.settings.filter} ${inspector.settings.show}`;
  useEffect(() => {
    moveTo({ scrollTop: 0, top: 0 });
    setActive(0);
  }, [shownAs]);

  const from = Math.max(0, Math.floor(position.top / ROW_HEIGHT) - SPARE_ROWS);
  const to = Math.min(rows.count, Math.ceil((position.top + extent.viewport) / ROW_HEIGHT) + SPARE_ROWS);
  const slice = rows.slice(from, to);
  const template = view.columns
    .map(({ width, label }) => `calc(${Math.max(width, label.length + 2)}ch + 1.625rem)`)
    .join(' ');

  const activate = (index: number) => {
    const next = Math.min(rows.count - 1, Math.max(0, index));
    setActive(next);
    const row = rows.slice(next, next + 1)[0];
    if (row !== undefined) inspector.select(row);
    const top = next * ROW_HEIGHT;
    if (top < position.top) moveTo(atTop(top, extent));
    else if (top + ROW_HEIGHT > position.top + extent.viewport)
      moveTo(atTop(top + ROW_HEIGHT - extent.viewport, extent));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).closest('button') !== null) return;
    const page = Math.max(1, Math.floor(extent.viewport / ROW_HEIGHT) - 1);
    const targets: { [key: string]: number } = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.count - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    activate(target);
  };
  const sortBy = (key: string) => {
    if (sort?.column !== key) inspector.change({ sort: { column: key, descending: false } });
    else inspector.change({ sort: sort.descending ? undefined : { column: key, descending: true } });
  };

  return (
    <div
      class="grid"
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label="Rows"
      aria-rowcount={rows.count + 1}
      aria-colcount={view.columns.length}
      aria-activedescendant={active >= from && active < to ? `row-${active}` : undefined}
      onScroll={(event) => moveTo(afterScroll(position, event.currentTarget.scrollTop, extent))}
      onKeyDown={onKeyDown}
      style={{ '--columns': template, '--most': `${view.rows * ROW_HEIGHT + HEADER_HEIGHT + 16}px` }}
    >
      <div class="sized" style={{ height: `${scrolledHeight(extent) + HEADER_HEIGHT}px` }}>
        <div role="rowgroup" class="head">
          <div role="row" aria-rowindex={1} class="row">
            {view.columns.map((column) => (
              <HeadCell
                key={column.key}
                column={column}
                layout={layout}
                sort={sort}
                onSort={() => sortBy(column.key)}
              />
            ))}
          </div>
        </div>
        <div role="rowgroup" class="body" style={{ transform: `translateY(${from * ROW_HEIGHT - position.top}px)` }}>
          {slice.map((row, i) => (
            <Row
              key={from + i}
              row={row}
              index={from + i}
              columns={view.columns}
              isActive={from + i === active}
              isSelected={row !== undefined && row.row === inspector.selected?.row}
              onSelect={() => activate(from + i)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function HeadCell({
  column,
  layout,
  sort,
  onSort,
}: {
  column: ColumnHead;
  layout: Layout;
  sort: Settings['sort'];
  onSort: () => void;
}) {
  const field = column.place?.name ?? column.time?.name; // the date has the colour of the field that it is made from
  const direction = sort?.column === column.key ? (sort.descending ? 'descending' : 'ascending') : 'none';
  return (
    <div
      role="columnheader"
      aria-sort={direction}
      class={`cell ${classOf(column)} ${field === undefined ? '' : colourOf(layout, field)}`}
    >
      <button type="button" onClick={onSort}>
        {column.label}
        <span aria-hidden="true" class="arrow">
          {direction === 'none' ? '' : direction === 'ascending' ? '↑' : '↓'}
        </span>
      </button>
    </div>
  );
}

/** Times are of one length, as ids are, and stand from the left; other numbers from the right. */
function classOf({ kind, time }: ColumnHead): string {
  return time === undefined ? kind : 'time';
}

function Row({
  row,
  index,
  columns,
  isActive,
  isSelected,
  onSelect,
}: {
  row: TableRow | undefined;
  index: number;
  columns: readonly ColumnHead[];
  isActive: boolean;
  isSelected: boolean;
  onSelect: () => void;
}) {
  const isBad = row !== undefined && row.problem !== '';
  const cells = isBad ? columns.slice(0, 2) : columns;
  return (
    <div
      role="row"
      id={`row-${index}`}
      class={`row ${isBad ? 'bad' : ''} ${isActive ? 'active' : ''}`}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      onClick={onSelect}
    >
      {cells.map((column, i) => (
        <div role="gridcell" key={column.key} class={`cell ${classOf(column)}`}>
          {row?.cells[i] ?? ''}
        </div>
      ))}
      {isBad && (
        <div role="gridcell" class="cell problem" aria-colspan={columns.length - 2}>
          {row.problem}
        </div>
      )}
    </div>
  );
}
