import { isoText, microsOf } from '../decode/dates.js';
import { SNIPPETS, snippetOf } from '../decode/layout-choice.js';
import { durationText } from '../decode/readings.js';
import type { Statistics } from '../decode/statistics.js';
import { Choice, CopyButton, type Fact, Facts } from './controls.js';
import { count, type PanelProps, plural } from './format.js';
import { page, update, wantStatistics } from './state.js';

/** The layout that is shown, as code to take along. */
export function SnippetsPanel({ view, layout }: PanelProps) {
  const { snippet } = page;
  const code = snippetOf(snippet, view.layout, layout);
  return (
    <section class="card" aria-labelledby="snippets">
      <div class="controls">
        <h2 id="snippets">Query or code</h2>
        <Choice
          label="Language"
          isHidden
          value={snippet}
          options={SNIPPETS}
          onChange={(snippet) => update({ snippet })}
        />
        <CopyButton text={() => code} label="Copy the code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it */}
      <section class="snippet" tabIndex={0} aria-label="Code">
        <pre>
          <code>{code}</code>
        </pre>
      </section>
    </section>
  );
}

/** What operators ask of many ids: what is there twice, when nothing came, and which shards have most. */
export function StatisticsPanel(props: PanelProps) {
  const { statistics } = page;
  return (
    <details class="card" onToggle={(event) => wantStatistics(event.currentTarget.open)}>
      <summary>
        <h2>Statistics</h2>
      </summary>
      {statistics === undefined ? <p class="note">Counting…</p> : <Facts of={factsOf(statistics, props)} />}
    </details>
  );
}

function factsOf(
  { repeated, spare, rate, gaps, top, values, maxToMean }: Statistics,
  { view: { per }, layout: { time } }: PanelProps,
): Fact[] {
  const facts: Fact[] = [
    ['Duplicates', repeated === 0 ? 'none' : `${plural(repeated, 'id')} repeated, in ${plural(spare, 'extra row')}`],
  ];
  if (rate !== undefined) {
    const text =
      rate >= 1
        ? `${count(Math.round(rate))} a second`
        : `one every ${durationText(BigInt(Math.round(1 / rate)) * 1_000_000n)}`;
    facts.push(['Rate', `${text} on average`]);
  }
  if (time !== undefined && gaps.length > 0) {
    const lines = gaps.map(({ from, to }) => {
      const [start, end] = [microsOf(time, from), microsOf(time, to)];
      return `${durationText(end - start)} from ${isoText(time, start, page.settings.zone)}`;
    });
    facts.push(['Longest gaps', lines]);
  }
  if (values > 0) {
    const lines = top.map((share) => `${share.value}: ${plural(share.count, 'id')}`);
    facts.push([`Most ids by ${per}`, lines]);
    facts.push(['Fullest ÷ average', `${maxToMean.toFixed(2)} (${plural(values, 'value')})`]);
  }
  return facts;
}
