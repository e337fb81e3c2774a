import { formatId, type Layout, type LayoutTime } from '../../index.js';
import { parseTime } from '../decode/dates.js';
import { refusalOf } from '../decode/refusal.js';
import type { Settings } from '../decode/settings.js';
import { hasMicros, isoText, msOf } from '../decode/times.js';
import { FormatOptions } from './format-options.js';
import { Fact } from './id-panel.jsx';
import type { Inspector } from './inspector.js';

/** From a date back to ids. */
export function DatePanel({ inspector, layout }: { inspector: Inspector; layout: Layout }) {
  const { settings } = inspector;
  const { time } = layout;
  const range = time === undefined || settings.date === '' ? undefined : idsOf(layout, time, settings.date);
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
                <Fact name="From" value={range.from} />
                <Fact name="Smallest id" value={text(range.least)} copies />
                <Fact name="Largest id" value={text(range.most)} copies />
                <Fact name="Up to" value={range.to} />
              </dl>
            )}
          </div>
        </>
      )}
    </section>
  );
}

interface IdRange {
  readonly from: string;
  readonly to: string;
  readonly least: bigint;
  readonly most: bigint;
}

/** The ids of an instant or of a period, or why there are none. */
function idsOf(layout: Layout, time: LayoutTime, text: string): IdRange | string {
  const span = parseTime(text, Date.now());
  if (span === undefined) return 'Expected a date such as 2024-03-01, 2024-03-01T10:30:15.500Z, or now.';
  const [first, last] = [span.from, span.to - 1n];
  try {
    return {
      from: isoText(time, first) ?? '',
      to: isoText(time, last) ?? '',
      least: layout.minIdAt(instantOf(time, first)),
      most: layout.maxIdAt(instantOf(time, last)),
    };
  } catch (error) {
    const refusal = refusalOf(error);
    return refusal.charAt(0).toUpperCase() + refusal.slice(1);
  }
}

/** As a layout takes it: a Date reaches farther than a number, which has microseconds. */
function instantOf(time: LayoutTime, micros: bigint): Date | number {
  return hasMicros(time) ? Number(micros) / 1000 : new Date(msOf(micros));
}
