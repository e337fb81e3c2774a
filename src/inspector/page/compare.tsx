import { useState } from 'preact/hooks';
import type { Layout, TextFormat } from '../../index.js';
import { type Comparison, comparisonOf, durationText, idFrom } from '../decode/comparison.js';
import { isoText } from '../decode/times.js';

/** How the chosen id differs from another one. */
export function Compare({
  layout,
  id,
  format,
  zone,
}: {
  layout: Layout;
  id: bigint;
  format: TextFormat;
  zone: string;
}) {
  const [text, setText] = useState('');
  const other = text.trim() === '' ? undefined : idFrom(text, format);
  return (
    <div class="compare controls">
      <label>
        <span>Compare with</span>
        <input
          type="text"
          value={text}
          placeholder="another id"
          spellcheck={false}
          autocomplete="off"
          aria-invalid={text.trim() !== '' && other === undefined}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <p class="note" aria-live="polite">
        {text.trim() === ''
          ? ''
          : other === undefined
            ? 'This is not an id.'
            : wordsFor(comparisonOf(layout, id, other), layout, zone)}
      </p>
    </div>
  );
}

function wordsFor({ micros, at, fields }: Comparison, { time: counts }: Layout, zone: string): string {
  const date = counts && at !== undefined && isoText(counts, at, zone);
  const time =
    micros === undefined
      ? []
      : [micros === 0n ? 'at the same time' : `${durationText(micros)} ${micros > 0n ? 'later' : 'earlier'}`];
  const others = fields.map(({ name, first, second }) => `${name} ${second} instead of ${first}`);
  const words = [...time, ...others].join('; ');
  return words === '' ? 'The fields are the same.' : `The other id${date ? `, of ${date}` : ''}: ${words}.`;
}
