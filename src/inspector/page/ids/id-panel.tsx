import type { Layout, TextFormat } from '../../../index.js';
import { FORMAT_NAMES, isWideKind } from '../../../tokens/formats.js';
import { dateOf, isoText, LOCAL, msText, relativeTime, UTC } from '../../decode/dates.js';
import { microsIn, SNIPPETS, snippetOf } from '../../decode/layout-choice.js';
import { differenceText, idFrom } from '../../decode/readings.js';
import { FORMATS } from '../../decode/settings.js';
import { Choice, CopyButton, type Fact, Facts, formatOptions, type PanelProps, shownId, TextBox } from '../controls.js';
import { change, page, update } from '../state.js';

/** The selected id: when it was made, how else it is written, and where it is routed. Without one it keeps its place. */
export function IdPanel({ view, layout }: PanelProps) {
  const { selected, settings } = page;
  if (selected !== undefined && !selected.isId) return null;
  const id = selected?.id ?? 0n;
  const { wide } = view;
  const { time } = layout;
  const micros = microsIn(layout, id);
  const date = micros === undefined ? undefined : dateOf(micros);
  const facts: Fact[] = [];
  if (micros !== undefined) facts.push(['Unix ms', msText(micros), 'copies']);
  if (time !== undefined && micros !== undefined && date !== undefined) {
    const zones = new Set([settings.zone, UTC, LOCAL]);
    for (const zone of zones) facts.push([zone, isoText(time, micros, zone) ?? '', 'copies']);
    facts.push(['Relative', relativeTime(date, Date.now())]);
  }
  if (wide !== undefined || isWideKind(selected?.format ?? 'dec'))
    facts.push(['id', selected?.cells[1] ?? '', 'copies']);
  else {
    for (const format of FORMATS) facts.push([FORMAT_NAMES[format], shownId(id, format), 'copies']);
  }
  return (
    <section class="card this" aria-labelledby="this-id">
      <div class="controls">
        <h2 id="this-id">This id</h2>
        {wide === undefined && view.rows > 1 && (
          <Choice
            label="Show ids as"
            value={settings.as}
            options={[['written', 'as written'], ...formatOptions(FORMATS)]}
            onChange={(as) => change({ as })}
          />
        )}
      </div>
      <Facts of={selected === undefined ? facts.map(([name]) => [name, '–']) : facts} />
      {wide === undefined && (
        <Compare layout={layout} id={id} format={FORMATS.find((format) => format === view.read) ?? 'dec'} />
      )}
    </section>
  );
}

function Compare({ layout, id, format }: { layout: Layout; id: bigint; format: TextFormat }) {
  const { compared, settings } = page;
  const other = idFrom(compared, format);
  const isEmpty = compared.trim() === '';
  return (
    <div class="compare controls">
      <TextBox
        label="Compare with"
        value={compared}
        placeholder="another id"
        problem={isEmpty || other !== undefined ? '' : 'This is not an id.'}
        onType={(text) => update({ compared: text })}
      />
      <p class="note" aria-live="polite">
        {!isEmpty && other !== undefined && differenceText(layout, id, other, settings.zone)}
      </p>
    </div>
  );
}

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
