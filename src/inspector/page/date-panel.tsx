import { parsePeriod } from '../../dates.js';
import { formatId, type Layout } from '../../index.js';
import { parseInstant } from '../decode/dates.js';
import { placesOf, timePlace } from '../decode/layout-choice.js';
import { refusalOf } from '../decode/refusal.js';
import type { Settings } from '../decode/settings.js';
import { FormatOptions } from './format-options.js';
import { Fact } from './id-panel.jsx';
import type { Inspector } from './inspector.js';

/** From a date back to ids. */
export function DatePanel({ inspector, layout }: { inspector: Inspector; layout: Layout }) {
  const { settings } = inspector;
  const time = timePlace(placesOf(layout));
  const range = settings.date === '' ? undefined : idsOf(layout, settings.date);
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
                The smallest and the largest id that the date can have: what to compare with in a query.
              </p>
            ) : typeof range === 'string' ? (
              <p class="error">{range}</p>
            ) : (
              <dl class="facts">
                <Fact name="From" value={range.from.toISOString()} />
                <Fact name="Smallest id" value={text(range.least)} copies />
                <Fact name="Largest id" value={text(range.most)} copies />
                <Fact name="Up to" value={range.to.toISOString()} />
              </dl>
            )}
          </div>
        </>
      )}
    </section>
  );
}

/** The ids of an instant or of a period, or why there are none. */
function idsOf(layout: Layout, text: string): { from: Date; to: Date; least: bigint; most: bigint } | string {
  const instant = parseInstant(text, Date.now());
  if (instant === undefined) return 'Expected a date such as 2024-03-01, 2024-03-01T10:30:15.500Z, or now.';
  const from = new Date(instant);
  const to = new Date((parsePeriod(text)?.to ?? instant + 1) - 1);
  try {
    return { from, to, least: layout.minIdAt(from), most: layout.maxIdAt(to) };
  } catch (error) {
    const refusal = refusalOf(error);
    return refusal.charAt(0).toUpperCase() + refusal.slice(1);
  }
}
