import type { ComponentChildren } from 'preact';
import type { Layout } from '../../index.js';
import type { Histogram } from '../decode/histogram.js';
import type { View } from '../decode/inspection.js';
import { type CountedValues, conditionOf, idsIn, without } from './bars.js';
import { Chart } from './chart.jsx';
import { colourOf } from './colours.js';
import type { Inspector } from './inspector.js';
import { count } from './numbers.js';

/** How many ids there are over time, and per shard or per any other field. Bars that are chosen become a filter. */
export function ChartsPanel({ inspector, view, layout }: { inspector: Inspector; view: View; layout: Layout }) {
  const { overTime, perShard, byDate } = view;
  const { shards, zone } = inspector.settings;
  const isWide = view.wide !== undefined;
  if (view.rows === view.bad + (isWide ? view.misfits : 0)) return null;
  const fields = view.columns.filter(({ kind, time }) => kind === 'field' && time === undefined);
  const per = fields.find(({ key }) => key === view.per);
  const isTime = overTime === undefined ? layout.time !== undefined : byDate;
  return (
    <div class="pair charts">
      <ChartCard
        inspector={inspector}
        view={view}
        log="logTime"
        title={isTime ? 'Over time' : 'By value'}
        histogram={overTime}
        counted={{
          column: isTime ? 'date' : 'id',
          name: 'id',
          most: layout.mask,
          time: isTime ? layout.time : undefined,
          zone,
        }}
        colour="--c0-solid"
      />
      {!isWide && (
        <ChartCard
          inspector={inspector}
          view={view}
          log="logPer"
          title="Per"
          histogram={perShard}
          counted={{
            column: view.per,
            name: per?.label ?? 'shard',
            most: per?.place?.mask ?? BigInt(shards - 1),
            zone,
          }}
          colour={per?.place === undefined ? '--accent' : `--${colourOf(layout, per.place.name)}-solid`}
        >
          <label>
            <span class="hidden">Count ids per</span>
            <select value={view.per} onChange={(event) => inspector.change({ per: event.currentTarget.value })}>
              <option value="routed">shard they are routed to</option>
              {fields.map(({ key, label }) => (
                <option key={key} value={key}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        </ChartCard>
      )}
    </div>
  );
}

function ChartCard({
  inspector,
  view,
  log,
  title,
  histogram,
  counted,
  colour,
  children,
}: {
  inspector: Inspector;
  view: View;
  log: 'logTime' | 'logPer';
  title: string;
  histogram: Histogram | undefined;
  counted: CountedValues;
  colour: string;
  children?: ComponentChildren;
}) {
  const { settings } = inspector;
  const { filter, show } = settings;
  const others = without(filter, counted);
  const change = (changed: string) => {
    if (changed !== filter) inspector.change({ filter: changed });
  };
  const onChoose = (bars: Histogram, first: number, last: number) => {
    // All ids that are shown are in these bars already: this takes back what has left them.
    const isChosen = idsIn(bars, first, last) === idsIn(bars, 0, bars.counts.length) && others !== filter;
    change(isChosen ? others : `${others} ${conditionOf(bars, first, last, counted)}`.trim());
  };
  return (
    <section class="card" aria-labelledby={log}>
      <div class="controls">
        <h2 id={log}>{title}</h2>
        {children}
        <label>
          <input
            type="checkbox"
            checked={settings[log]}
            onChange={(event) => inspector.change({ [log]: event.currentTarget.checked })}
          />
          Log scale
        </label>
        <p class="summary">{histogram && widthText(histogram, counted)}</p>
      </div>
      {histogram === undefined ? (
        <p class="chart nothing">
          {view.rows === view.bad + view.misfits
            ? 'The layout rejects every id.'
            : show === 'bad'
              ? 'Bad rows have no values to count.'
              : 'No rows match.'}
        </p>
      ) : (
        <Chart
          histogram={histogram}
          counted={counted}
          isLog={settings[log]}
          colour={colour}
          label={`Ids ${title.toLowerCase()}${log === 'logPer' ? ` ${counted.name}` : ''}`}
          onChoose={(first, last) => onChoose(histogram, first, last)}
          onUndo={() => change(others)}
        />
      )}
    </section>
  );
}

function widthText({ width }: Histogram, { time, zone }: CountedValues): string {
  if (time !== undefined) return `${zone}, bars of ${duration(width)}`;
  return width > 1 ? `bars of ${count(width)}` : '';
}

function duration(ms: number): string {
  for (const [size, unit] of [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1000, 'second'],
  ] as const) {
    if (ms >= size) return `${count(ms / size)} ${unit}${ms === size ? '' : 's'}`;
  }
  return ms < 1 ? `${Math.round(ms * 1000)} µs` : `${ms} ms`;
}
