import { formatId, type Layout } from '../../index.js';
import { idRangeOf } from '../decode/id-range.js';
import type { Settings } from '../decode/settings.js';
import { FormatOptions } from './format-options.js';
import { Fact } from './id-panel.jsx';
import type { Inspector } from './inspector.js';

/** From a date back to ids. */
export function DatePanel({ inspector, layout }: { inspector: Inspector; layout: Layout }) {
  const { settings } = inspector;
  const { time } = layout;
  const range =
    time === undefined || settings.date === '' ? undefined : idRangeOf(layout, time, settings.date, Date.now());
  const text = (id: bigint) => (settings.as === 'dec' ? String(id) : formatId(id, settings.as));
  return (
    <section class="card" aria-labelledby="reverse">
      <h2 id="reverse">From a date to ids</h2>
      {time === undefined ? (
        <p class="note">This layout has no timestamp.</p>
      ) : (
        <>
          <div class="controls">
            <label class="grow">
              <span>Date (UTC)</span>
              <input
                type="text"
                value={settings.date}
                placeholder="2024-03-01T10:30, 2024-03, now"
                spellcheck={false}
                autocomplete="off"
                aria-invalid={typeof range === 'string'}
                onInput={(event) => inspector.change({ date: event.currentTarget.value })}
              />
            </label>
            <label>
              <span>Show ids as</span>
              <select
                value={settings.as}
                onChange={(event) => inspector.change({ as: event.currentTarget.value as Settings['as'] })}
              >
                <FormatOptions />
              </select>
            </label>
          </div>
          <div aria-live="polite">
            {range === undefined ? (
              <p class="note">
                Type a date to get its smallest and largest id, for example to compare with in a query.
              </p>
            ) : typeof range === 'string' ? (
              <p class="error">{range}</p>
            ) : (
              <>
                <dl class="facts">
                  <Fact name="From" value={range.from} />
                  <Fact name="Smallest id" value={text(range.least)} copies />
                  <Fact name="Largest id" value={text(range.most)} copies />
                  <Fact name="Up to" value={range.to} />
                </dl>
                {range.note !== '' && <p class="note">{range.note}</p>}
              </>
            )}
          </div>
        </>
      )}
    </section>
  );
}
