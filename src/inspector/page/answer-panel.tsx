import { instantOf, longDate, shortDate } from '../decode/answer.js';
import { relativeTime } from '../decode/dates.js';
import type { View } from '../decode/inspection.js';
import { isSameChoice } from '../decode/layout-choice.js';
import { type ReadingView, readingsBeside } from '../decode/readings.js';
import type { TableRow } from '../decode/table.js';
import { CopyButton } from './copy-button.jsx';
import { plural } from './numbers.js';
import type { Shown } from './shown.js';
import { change, selected, settings } from './state.js';

/** So many other readings are shown; the rest is under "What else it could be". */
const CHIPS = 4;

/** When the ids were made, and what that depends on. The other readings are a click away. */
export function AnswerPanel({ view }: Shown) {
  const { wide } = view;
  const row = selected;
  if (row === undefined || (view.bad === view.rows && (wide === undefined || view.rows > 1))) return null;
  const current = view.readings.find(({ choice }) => isSameChoice(choice, view.layout));
  const fitting = view.readings.filter(({ fits }) => fits).length;
  return (
    <section class="card answer" aria-label="Answer">
      <p class="main" aria-live="polite">
        {view.rows > 1 ? <Span view={view} /> : <Instant view={view} row={row} zone={settings.zone} />}
        <span class="if">
          {wide === undefined ? conditionOf(view, current) : (view.rows === 1 && row.problem) || wide}
        </span>
      </p>
      {wide === undefined && (
        <ul class="chips" aria-label="Other readings">
          {readingsBeside(view, settings, CHIPS)
            .filter(({ likelihood }) => likelihood !== 'impossible')
            .map((reading) => {
              const date = instantOf(reading.choice, row.id, settings.zone);
              return (
                <li key={reading.name}>
                  <button
                    type="button"
                    class={`chip ${reading.likelihood}`}
                    title={reading.reason}
                    aria-pressed={reading === current}
                    onClick={() => change({ layout: reading.choice })}
                  >
                    {reading.title} <span class="date">{date === undefined ? 'no date' : shortDate(date)}</span>
                  </button>
                </li>
              );
            })}
          <li class="count">{fitting === 1 ? '1 layout fits' : `${fitting} layouts fit`}</li>
        </ul>
      )}
    </section>
  );
}

function Instant({ view, row, zone }: { view: View; row: TableRow; zone: string }) {
  const isDated = view.wide === undefined || row.problem === '';
  const instant = isDated ? instantOf(view.layout, row.id, zone) : undefined;
  if (instant === undefined) return <strong>No date</strong>;
  return (
    <>
      <strong>{longDate(instant)}</strong>
      <CopyButton text={() => instant} label="Copy the date" />
      <span class="ago">{relativeTime(new Date(instant), Date.now())}</span>
    </>
  );
}

/** Of many ids, those that are shown. */
function Span({ view: { span, shown } }: { view: View }) {
  if (shown === 0) return <strong>No rows match</strong>;
  if (span === undefined) return <strong>{`${plural(shown, 'id')} without a date`}</strong>;
  const [first, last] = [shortDate(span.first), shortDate(span.last)];
  return (
    <>
      <strong>{first === last ? first : `${first} to ${last}`}</strong>
      <CopyButton text={() => `${span.first}/${span.last}`} label="Copy the first and the last date" />
    </>
  );
}

/** What the answer depends on. */
function conditionOf({ rows }: View, current: ReadingView | undefined): string {
  if (current === undefined) return 'in your own layout';
  const each = rows > 1 ? 'each' : 'it';
  return settings.layout === undefined ? `if ${each} is ${current.what}` : `read as ${current.what}`;
}
