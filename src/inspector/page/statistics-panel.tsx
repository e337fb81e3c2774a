import type { Layout, LayoutTime } from '../../index.js';
import { durationText } from '../decode/comparison.js';
import type { View } from '../decode/inspection.js';
import type { Gap, Statistics } from '../decode/statistics.js';
import { isoText, microsOf } from '../decode/times.js';
import { Fact } from './id-panel.jsx';
import type { Inspector } from './inspector.js';
import { count, plural } from './numbers.js';

/** What operators ask of many ids: what is there twice, when nothing came, and which shards have most. */
export function StatisticsPanel({ inspector, view, layout }: { inspector: Inspector; view: View; layout: Layout }) {
  const { statistics } = inspector;
  return (
    <details class="card" onToggle={(event) => inspector.wantStatistics(event.currentTarget.open)}>
      <summary>
        <h2>Statistics</h2>
      </summary>
      {statistics === undefined ? (
        <p class="note">Counting…</p>
      ) : (
        <dl class="facts">
          <Fact name="Duplicates" value={repeats(statistics)} />
          {statistics.rate !== undefined && <Fact name="Rate" value={perSecond(statistics.rate)} />}
          {layout.time !== undefined && statistics.gaps.length > 0 && (
            <Lines
              name="Longest gaps"
              lines={statistics.gaps.map((gap) => gapText(layout.time as LayoutTime, gap, inspector.settings.zone))}
            />
          )}
          {statistics.top.length > 0 && (
            <Lines
              name={`Most ids by ${view.per === 'routed' ? 'shard routed to' : view.per}`}
              lines={tops(statistics)}
            />
          )}
          {statistics.values > 0 && (
            <Fact
              name="Largest count"
              value={`${statistics.maxToMean.toFixed(2)} times the mean of ${plural(statistics.values, 'value')}`}
            />
          )}
        </dl>
      )}
    </details>
  );
}

export function Lines({ name, lines }: { name: string; lines: readonly string[] }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>
        {lines.map((line) => (
          <span key={line} class="line">
            {line}
          </span>
        ))}
      </dd>
    </div>
  );
}

function repeats({ repeated, spare }: Statistics): string {
  if (repeated === 0) return 'none';
  return `${plural(repeated, 'id')} repeated, in ${plural(spare, 'extra row')}`;
}

function perSecond(rate: number): string {
  if (rate >= 1) return `${count(Math.round(rate))} a second on average`;
  return `one every ${durationText(BigInt(Math.round(1 / rate)) * 1_000_000n)} on average`;
}

function gapText(time: LayoutTime, { from, to }: Gap, zone: string): string {
  const [start, end] = [microsOf(time, from), microsOf(time, to)];
  return `${durationText(end - start)} from ${isoText(time, start, zone) ?? ''}`;
}

function tops({ top }: Statistics): string[] {
  return top.map((share) => `${share.value}: ${plural(share.count, 'id')}`);
}
