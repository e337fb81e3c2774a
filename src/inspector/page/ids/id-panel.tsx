import { formatId } from '../../../index.js';
import { FORMAT_NAMES, isWideKind } from '../../../tokens/formats.js';
import { compare } from '../../decode/comparison.js';
import { dateOf, isoText, LOCAL, msText, relativeTime, UTC } from '../../decode/dates.js';
import type { View } from '../../decode/inspection.js';
import { microsIn, SNIPPETS, snippetOf } from '../../decode/layout-choice.js';
import { FORMATS } from '../../decode/settings.js';
import type { TableRow } from '../../decode/table.js';
import { Choice, CopyButton, type Fact, Facts, formatOptions, Panel, type PanelProps, TextBox } from '../controls.js';
import { change, page, update } from '../state.js';

/** The selected id: when it was made, how else it is written, and where it is routed. Without one it keeps its place. */
export function IdPanel({ view, layout }: PanelProps) {
  const { selected, settings } = page;
  if (selected && !selected.isId) return null;
  const id = selected?.id ?? 0n;
  const isWide = isWideKind(selected?.format ?? view.read);
  const { time } = layout;
  const micros = selected ? selected.micros : microsIn(layout, id);
  const date = micros === undefined ? undefined : dateOf(micros);
  const facts: Fact[] = [];
  if (micros !== undefined) facts.push(['Unix ms', msText(micros), 'copies']);
  if (time && micros !== undefined && date) {
    const zones = new Set([settings.zone, UTC, LOCAL]);
    for (const zone of zones) facts.push([zone, isoText(time, micros, zone) ?? '', 'copies']);
    facts.push(['Relative', relativeTime(date, Date.now())]);
  }
  if (isWide) facts.push(['id', selected?.cells[1] ?? '', 'copies']);
  else {
    for (const format of FORMATS)
      facts.push([FORMAT_NAMES[format], format === 'dec' ? `${id}` : formatId(id, format), 'copies']);
  }
  return (
    <Panel
      class="this"
      title="This id"
      beside={
        !isWide &&
        view.rows > 1 && (
          <Choice
            label="Show ids as"
            value={settings.as}
            options={[['written', 'as written'], ...formatOptions(FORMATS)]}
            onChange={(as) => change({ as })}
          />
        )
      }
    >
      <Facts of={selected ? facts : facts.map(([name]) => [name, '–'])} />
      <Compare view={view} row={selected} />
    </Panel>
  );
}

function Compare({ view, row }: { view: View; row: TableRow | undefined }) {
  const { compared, settings } = page;
  const text = row && compared.trim() !== '' ? compare(view, row, compared, settings) : '';
  return (
    <div class="compare controls">
      <TextBox
        label="Compare with"
        value={compared}
        placeholder="another id"
        problem={text === undefined ? 'This is not an id, or more than one.' : ''}
        onType={(text) => update({ compared: text })}
      />
      <p class="note" aria-live="polite">
        {text}
      </p>
    </div>
  );
}

export function SnippetsPanel({ view, layout }: PanelProps) {
  const { snippet } = page;
  const code = snippetOf(snippet, view.layout, layout);
  return (
    <Panel
      title="Query or code"
      beside={
        <>
          <Choice
            label="Language"
            isHidden
            value={snippet}
            options={SNIPPETS}
            onChange={(snippet) => update({ snippet })}
          />
          <CopyButton text={() => code} label="Copy the code" />
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it */}
      <section class="snippet" tabIndex={0} aria-label="Code">
        <pre>
          <code>{code}</code>
        </pre>
      </section>
    </Panel>
  );
}
