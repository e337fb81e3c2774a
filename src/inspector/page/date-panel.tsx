import { formatId, type Layout } from '../../index.js';
import { idRangeOf } from '../decode/id-range.js';
import type { Settings } from '../decode/settings.js';
import { FormatOptions } from './format-options.js';
import { Fact } from './id-panel.jsx';
import type { Inspector } from './inspector.js';

/** From a date back to ids. */
export function DatePanel({ inspector, layout }: { inspector: Inspector; layout: Layout }) {
  const { as, date, zone } = inspector.settings;
  const { time } = layout;
  const range = time === undefined || date === '' ? undefined : idRangeOf(layout, time, date, Date.now(), zone);
  const text = (id: bigint) => (as === 'dec' ? String(id) : formatId(id, as));
  return (
    <section class="card reverse" aria-labelledby="reverse">
      <div class="controls">
        <h2 id="reverse">From a date to ids</h2>
        {time !== undefined && (
          <>
            <label class="grow">
              <span>{`Date (${zone})`}</span>
              <input
                type="text"
                value={date}
                placeholder="2024-03-01T10:30, 2024-03, now"
                spellcheck={false}
                autocomplete="off"
                aria-invalid={typeof range === 'string'}
                aria-describedby="range"
                onInput={(event) => inspector.change({ date: event.currentTarget.value })}
              />
            </label>
            {typeof range === 'object' && (
              <dl class="facts">
                <Fact name="Smallest id" value={text(range.least)} copies />
                <Fact name="Largest id" value={text(range.most)} copies />
              </dl>
            )}
          </>
        )}
        <label>
          <span>Show ids as</span>
          <select
            value={as}
            onChange={(event) => inspector.change({ as: event.currentTarget.value as Settings['as'] })}
          >
            <FormatOptions />
          </select>
        </label>
      </div>
      <p id="range" class={typeof range === 'string' ? 'error' : 'note'} aria-live="polite">
        {time === undefined
          ? 'This layout has no timestamp.'
          : range === undefined
            ? 'Type a date to get its smallest and largest id, for example to compare with in a query.'
            : typeof range === 'string'
              ? range
              : `From ${range.from} to ${range.to}. ${range.note}`}
      </p>
    </section>
  );
}
