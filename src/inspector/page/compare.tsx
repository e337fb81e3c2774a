import type { Layout, TextFormat } from '../../index.js';
import { type Comparison, comparisonOf, durationText, idFrom } from '../decode/comparison.js';
import { isoText } from '../decode/times.js';
import { TextBox } from './controls.jsx';
import { compare, compared, settings } from './state.js';

/** How the chosen id differs from another one. */
export function Compare({ layout, id, format }: { layout: Layout; id: bigint; format: TextFormat }) {
  const isEmpty = compared.trim() === '';
  const other = isEmpty ? undefined : idFrom(compared, format);
  return (
    <div class="compare controls">
      <TextBox
        label="Compare with"
        value={compared}
        placeholder="another id"
        problem={isEmpty || other !== undefined ? '' : 'This is not an id.'}
        onType={compare}
      />
      <p class="note" aria-live="polite">
        {other !== undefined && wordsFor(comparisonOf(layout, id, other), layout)}
      </p>
    </div>
  );
}

function wordsFor({ micros, at, fields }: Comparison, { time: counts }: Layout): string {
  const date = counts && at !== undefined && isoText(counts, at, settings.zone);
  const words = fields.map(({ name, first, second }) => `${name} ${second} instead of ${first}`);
  if (micros !== undefined)
    words.unshift(micros === 0n ? 'at the same time' : `${durationText(micros)} ${micros > 0n ? 'later' : 'earlier'}`);
  return words.length === 0
    ? 'The fields are the same.'
    : `The other id${date ? `, of ${date}` : ''}: ${words.join('; ')}.`;
}
