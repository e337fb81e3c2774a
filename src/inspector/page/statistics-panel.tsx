import type { Layout, LayoutTime } from '../../index.js';
import { isoText, microsOf } from '../decode/dates.js';
import type { View } from '../decode/inspection.js';
import { SNIPPETS, type SnippetKind, snippetOf } from '../decode/layout-choice.js';
import { durationText } from '../decode/readings.js';
import type { Statistics } from '../decode/statistics.js';
import { Choice, CopyButton, type Fact, Facts } from './controls.js';
import { count, plural, type Shown } from './format.js';
import { redraw, settings, statistics, wantStatistics } from './state.js';

const KINDS = Object.entries(SNIPPETS) as [SnippetKind, string][];

let kind: SnippetKind = 'postgres';

/** The layout at hand, as code to take along. */
export function SnippetsPanel({ view, layout }: Shown) {
  const snippet = snippetOf(kind, view.layout, layout);
  const choose = (chosen: SnippetKind) => {
    kind = chosen;
    redraw();
  };
  return (
    <section class="card" aria-labelledby="snippets">
      <div class="controls">
        <h2 id="snippets">Decode it elsewhere</h2>
        <Choice label="Language" isHidden value={kind} options={KINDS} onChange={choose} />
        <CopyButton text={() => snippet} label="Copy the code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it */}
      <section class="snippet" tabIndex={0} aria-label="Code">
        <pre>
          <code>{snippet}</code>
        </pre>
      </section>
    </section>
  );
}

/** What operators ask of many ids: what is there twice, when nothing came, and which shards have most. */
export function StatisticsPanel({ view, layout }: Shown) {
  return (
    <details class="card" onToggle={(event) => wantStatistics(event.currentTarget.open)}>
      <summary>
        <h2>Statistics</h2>
      </summary>
      {statistics === undefined ? <p class="note">Counting…</p> : <Facts of={factsOf(statistics, view, layout)} />}
    </details>
  );
}

function factsOf(
  { repeated, spare, rate, gaps, top, values, maxToMean }: Statistics,
  { per }: View,
  { time }: Layout,
): Fact[] {
  const facts: Fact[] = [
    ['Duplicates', repeated === 0 ? 'none' : `${plural(repeated, 'id')} repeated, in ${plural(spare, 'extra row')}`],
  ];
  if (rate !== undefined) facts.push(['Rate', `${rateText(rate)} on average`]);
  if (time !== undefined && gaps.length > 0) facts.push(['Longest gaps', gaps.map((gap) => gapText(time, gap))]);
  if (values > 0) {
    const lines = top.map((share) => `${share.value}: ${plural(share.count, 'id')}`);
    facts.push([`Most ids by ${per === 'routed' ? 'shard routed to' : per}`, lines]);
    facts.push(['Largest count', `${maxToMean.toFixed(2)} times the mean of ${plural(values, 'value')}`]);
  }
  return facts;
}

function rateText(rate: number): string {
  if (rate >= 1) return `${count(Math.round(rate))} a second`;
  return `one every ${durationText(BigInt(Math.round(1 / rate)) * 1_000_000n)}`;
}

function gapText(time: LayoutTime, { from, to }: Statistics['gaps'][number]): string {
  const [start, end] = [microsOf(time, from), microsOf(time, to)];
  return `${durationText(end - start)} from ${isoText(time, start, settings.zone)}`;
}
