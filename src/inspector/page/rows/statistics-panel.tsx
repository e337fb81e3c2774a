import { isoText } from '../../decode/dates.js';
import { toggled } from '../../decode/filter.js';
import type { StatisticsView } from '../../decode/inspection.js';
import { SNIPPETS, snippetOf } from '../../decode/layout-choice.js';
import { durationText } from '../../decode/readings.js';
import { Choice, CopyButton, type Fact, Facts, type Pickable } from '../controls.js';
import { count, type PanelProps, plural } from '../format.js';
import { change, page, update } from '../state.js';

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
export function StatisticsPanel() {
  const { statistics, isCounting } = page;
  return (
    <section class="card statistics" aria-labelledby="statistics" aria-busy={isCounting}>
      <div class="controls">
        <h2 id="statistics">Statistics</h2>
        <p class="summary">A click on one filters the rows.</p>
      </div>
      {statistics === undefined ? <p class="note">Counting…</p> : <Facts of={factsOf(statistics)} />}
    </section>
  );
}

function factsOf({ repeated, spare, rate, peak, gaps, top, values, maxToMean, time, per }: StatisticsView): Fact[] {
  const { filter, zone } = page.settings;
  /** @param column '' if the condition is of none */
  const pick = (text: string, column: string, condition: string): Pickable => ({
    text,
    isChosen: ` ${filter} `.includes(` ${condition} `),
    onChoose: () => change({ filter: toggled(filter, column, condition) }),
  });
  const iso = (micros: bigint) => (time && isoText(time, micros, zone)) ?? '';
  const facts: Fact[] = [];
  if (repeated === 0) facts.push(['Duplicates', 'none']);
  else {
    const text = `${plural(repeated, 'id')} repeated, in ${plural(spare, 'extra row')}`;
    facts.push(['Duplicates', [pick(text, '', 'duplicate')]]);
  }
  if (rate !== undefined) {
    const text =
      rate >= 1
        ? `${count(Math.round(rate))} a second`
        : `one every ${durationText(BigInt(Math.round(1 / rate)) * 1_000_000n)}`;
    facts.push(['Rate', `${text} on average`]);
  }
  if (peak !== undefined && peak.count > 1) {
    const { from, to } = peak;
    const text = `${plural(peak.count, 'id')} in ${durationText(to - from)} from ${iso(from)}`;
    facts.push(['Peak', [pick(text, 'date', `date>=${iso(from)} date<${iso(to)}`)]]);
  }
  if (gaps.length > 0) {
    const lines = gaps.map(({ from, to }) =>
      pick(`${durationText(to - from)} from ${iso(from)}`, 'date', `date>=${iso(from)} date<=${iso(to)}`),
    );
    facts.push(['Longest gaps', lines]);
  }
  if (values > 0) {
    const lines = top.map((share) =>
      pick(`${share.value}: ${plural(share.count, 'id')}`, per, `${per}=${share.value}`),
    );
    facts.push([`Most ids by ${per}`, lines]);
    facts.push(['Fullest ÷ average', `${maxToMean.toFixed(2)} (${plural(values, 'value')})`]);
  }
  return facts;
}
