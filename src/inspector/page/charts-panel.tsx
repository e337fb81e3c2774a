import type { Layout, LayoutTime } from '../../index.js';
import type { Histogram } from '../decode/histogram.js';
import type { View } from '../decode/inspection.js';
import { isoText } from '../decode/times.js';
import { Chart } from './chart.jsx';
import { colourOf } from './colours.js';
import type { Inspector } from './inspector.js';
import { count } from './numbers.js';

/** How many ids there are over time, and per shard or per any other field. What is dragged over becomes a filter. */
export function ChartsPanel({ inspector, view, layout }: { inspector: Inspector; view: View; layout: Layout }) {
  const { overTime, perShard, byDate } = view;
  const { zone } = inspector.settings;
  if (view.rows === view.bad + view.misfits) return null;
  const fields = view.columns.filter(({ kind, time }) => kind === 'field' && time === undefined);
  const per = fields.find(({ key }) => key === view.per)?.place;
  const isTime = overTime === undefined ? layout.time !== undefined : byDate;
  const time = isTime ? layout.time : undefined;
  const nothing = (
    <p class="chart nothing">
      {inspector.settings.show === 'bad' ? 'Bad rows have no values to count.' : 'No rows match.'}
    </p>
  );
  return (
    <div class="pair charts">
      <section class="card" aria-labelledby="over-time">
        <div class="controls">
          <h2 id="over-time">{isTime ? 'Over time' : 'By value'}</h2>
          <p class="summary">
            {overTime !== undefined &&
              (isTime ? `${zone}, bars of ${duration(overTime.width)}` : `bars of ${count(overTime.width)}`)}
          </p>
        </div>
        {overTime === undefined ? (
          nothing
        ) : (
          <Chart
            histogram={overTime}
            isTime={isTime}
            zone={zone}
            colour="--c0-solid"
            label={`Ids ${isTime ? 'over time' : 'by value'}: ${describe(overTime, zone, time)}`}
            onRange={(from, to) => narrow(inspector, isTime ? 'date' : 'id', rangeText(from, to, zone, time))}
          />
        )}
      </section>
      <section class="card" aria-labelledby="per-shard" hidden={view.wide !== undefined}>
        <div class="controls">
          <h2 id="per-shard">Per</h2>
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
          <p class="summary">
            {perShard !== undefined && perShard.width > 1 ? `bars of ${count(perShard.width)}` : ''}
          </p>
        </div>
        {perShard === undefined ? (
          nothing
        ) : (
          <Chart
            histogram={perShard}
            isTime={false}
            zone={zone}
            colour={per === undefined ? '--accent' : `--${colourOf(layout, per.name)}-solid`}
            label={`Ids per ${view.per === 'routed' ? 'shard they are routed to' : view.per}: ${describe(perShard, zone)}`}
            onRange={(from, to) => narrow(inspector, view.per, rangeText(from, to, zone))}
          />
        )}
      </section>
    </div>
  );
}

/** Puts a range in place of what the filter has said of a column. */
function narrow(inspector: Inspector, column: string, [from, to]: [string, string]): void {
  const others = inspector.settings.filter
    .replace(new RegExp(`(?:\\band\\s+)?\\b${column}\\s*(<=|>=|!=|<|>|==?)\\s*("[^"]*"|\\S+)`, 'gi'), '')
    .trim();
  inspector.change({ filter: `${others} ${column}>=${from} ${column}<=${to}`.trim() });
}

function rangeText(from: number, to: number, zone: string, time?: LayoutTime): [string, string] {
  if (time === undefined) return [String(Math.max(0, Math.ceil(from))), String(Math.max(0, Math.floor(to)))];
  return [dateText(time, from, zone), dateText(time, to, zone)];
}

function dateText(time: LayoutTime, ms: number, zone: string): string {
  return isoText(time, BigInt(Math.floor(ms * 1000)), zone) ?? '';
}

/** For those who do not see it. */
function describe({ from, width, counts }: Histogram, zone: string, time?: LayoutTime): string {
  let most = 0;
  let least = 0;
  counts.forEach((value, i) => {
    if (value > (counts[most] as number)) most = i;
    if (value < (counts[least] as number)) least = i;
  });
  const at = (i: number) => {
    const start = from + i * width;
    if (time === undefined) return count(start);
    return dateText(time, start, zone).slice(0, width < 60_000 ? undefined : 16);
  };
  const bars = `${counts.length} bars from ${at(0)} to ${at(counts.length)}`;
  return `${bars}; most, ${count(counts[most] ?? 0)}, at ${at(most)}; fewest, ${count(counts[least] ?? 0)}, at ${at(least)}`;
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
