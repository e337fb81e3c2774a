import type { ComponentChildren } from 'preact';
import { durationText } from '../decode/comparison.js';
import type { Histogram } from '../decode/histogram.js';
import { type CountedValues, conditionOf, idsIn, without } from './bars.js';
import { Chart } from './chart.jsx';
import { colourOf } from './colours.js';
import { Choice } from './controls.jsx';
import { count } from './numbers.js';
import type { Shown } from './shown.js';
import { change, settings } from './state.js';

/** How many ids there are over time, and per shard or per any other field. Bars that are chosen become a filter. */
export function ChartsPanel({ view, layout }: Shown) {
  const { overTime, perShard, byDate } = view;
  const { shards, zone } = settings;
  const isWide = view.wide !== undefined;
  if (view.rows === view.bad + (isWide ? view.misfits : 0)) return null;
  const fields = view.columns.filter(({ kind, time }) => kind === 'field' && time === undefined);
  const per = fields.find(({ key }) => key === view.per);
  const isTime = overTime === undefined ? layout.time !== undefined : byDate;
  const nothing =
    view.rows === view.bad + view.misfits
      ? 'The layout rejects every id.'
      : settings.show === 'bad'
        ? 'Bad rows have no values to count.'
        : 'No rows match.';
  return (
    <div class="pair charts">
      <ChartCard
        log="logTime"
        nothing={nothing}
        title={isTime ? 'Over time' : 'By value'}
        histogram={overTime}
        counted={{
          column: isTime ? 'date' : 'id',
          name: 'id',
          most: layout.mask,
          time: isTime ? layout.time : undefined,
          zone,
        }}
        colour="c0"
      />
      {!isWide && (
        <ChartCard
          log="logPer"
          nothing={nothing}
          title="Per"
          histogram={perShard}
          counted={{
            column: view.per,
            name: per?.label ?? 'shard',
            most: per?.place?.mask ?? BigInt(shards - 1),
            zone,
          }}
          colour={per?.place === undefined ? '' : colourOf(layout, per.place.name)}
        >
          <Choice
            label="Count ids per"
            isHidden
            value={view.per}
            options={[['routed', 'shard they are routed to'], ...fields.map(({ key, label }) => [key, label] as const)]}
            onChange={(key) => change({ per: key })}
          />
        </ChartCard>
      )}
    </div>
  );
}

function ChartCard({
  log,
  title,
  histogram,
  nothing,
  counted,
  colour,
  children,
}: {
  log: 'logTime' | 'logPer';
  title: string;
  histogram: Histogram | undefined;
  /** Why there is no histogram. */
  nothing: string;
  counted: CountedValues;
  colour: string;
  children?: ComponentChildren;
}) {
  const { filter } = settings;
  const others = without(filter, counted);
  const refilter = (changed: string) => {
    if (changed !== filter) change({ filter: changed });
  };
  const onChoose = (bars: Histogram, first: number, last: number) => {
    // All ids that are shown are in these bars already: this takes back what has left them.
    const isChosen = idsIn(bars, first, last) === idsIn(bars, 0, bars.counts.length) && others !== filter;
    refilter(isChosen ? others : `${others} ${conditionOf(bars, first, last, counted)}`.trim());
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
            onChange={(event) => change({ [log]: event.currentTarget.checked })}
          />
          Log scale
        </label>
        <p class="summary">{histogram && widthText(histogram, counted)}</p>
      </div>
      {histogram === undefined ? (
        <p class="chart nothing">{nothing}</p>
      ) : (
        <Chart
          histogram={histogram}
          counted={counted}
          isLog={settings[log]}
          colour={colour}
          label={`Ids ${title.toLowerCase()}${log === 'logPer' ? ` ${counted.name}` : ''}`}
          onChoose={(first, last) => onChoose(histogram, first, last)}
          onUndo={() => refilter(others)}
        />
      )}
    </section>
  );
}

function widthText({ width }: Histogram, { time, zone }: CountedValues): string {
  if (time !== undefined) return `${zone}, bars of ${shortDuration(width)}`;
  return width > 1 ? `bars of ${count(width)}` : '';
}

function shortDuration(ms: number): string {
  if (ms >= 1000) return durationText(BigInt(ms) * 1000n);
  return ms < 1 ? `${Math.round(ms * 1000)} µs` : `${ms} ms`;
}
