import { isoText } from '../../decode/dates.js';
import { toggled } from '../../decode/filter.js';
import type { StatisticsView } from '../../decode/inspection.js';
import { SNIPPETS, snippetOf } from '../../decode/layout-choice.js';
import { durationText } from '../../decode/readings.js';
import { Choice, CopyButton, count, type Fact, Facts, type PanelProps, type Pickable, plural } from '../controls.js';
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

function factsOf(statistics: StatisticsView): (Fact | false)[] {
  const { repeated, spare, rate, peak, gaps, top, values, maxToMean, time, per } = statistics;
  const { filter, zone } = page.settings;
  /** @param column '' if the condition is of none */
  const pick = (text: string, column: string, condition: string): Pickable => ({
    text,
    isChosen: ` ${filter} `.includes(` ${condition} `),
    onChoose: () => change({ filter: toggled(filter, column, condition) }),
  });
  const iso = (micros: bigint) => (time && isoText(time, micros, zone)) ?? '';
  const paceOf = (a: number) =>
    a >= 1 ? `${count(Math.round(a))} a second` : `one every ${durationText(BigInt(Math.round(1 / a)) * 1_000_000n)}`;
  const pickTime = (words: string, from: bigint, to: bigint, until: '<' | '<=') =>
    pick(`${words}${durationText(to - from)} from ${iso(from)}`, 'date', `date>=${iso(from)} date${until}${iso(to)}`);
  const duplicates = `${plural(repeated, 'id')} repeated, in ${plural(spare, 'extra row')}`;
  return [
    ['Duplicates', repeated === 0 ? 'none' : [pick(duplicates, '', 'duplicate')]],
    rate !== undefined && ['Rate', `${paceOf(rate)} on average`],
    peak !== undefined &&
      peak.count > 1 && ['Peak', [pickTime(`${plural(peak.count, 'id')} in `, peak.from, peak.to, '<')]],
    gaps.length > 0 && ['Longest gaps', gaps.map(({ from, to }) => pickTime('', from, to, '<='))],
    values > 0 && [
      `Most ids by ${per}`,
      top.map((share) => pick(`${share.value}: ${plural(share.count, 'id')}`, per, `${per}=${share.value}`)),
    ],
    values > 0 && ['Fullest ÷ average', `${maxToMean.toFixed(2)} (${plural(values, 'value')})`],
  ];
}
