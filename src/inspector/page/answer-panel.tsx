import { instantOf, longDate, shortDate } from '../decode/answer.js';
import { relativeTime } from '../decode/dates.js';
import type { View } from '../decode/inspection.js';
import { isSameChoice } from '../decode/layout-choice.js';
import type { ReadingView } from '../decode/readings.js';
import { dateOf } from '../decode/times.js';
import { CopyButton } from './copy-button.jsx';
import type { Inspector } from './inspector.js';

/** So many other readings are shown; the rest is under "What else it could be". */
const CHIPS = 4;

/** When the id was made, and what that depends on; the other readings are a click away. */
export function AnswerPanel({ inspector, view }: { inspector: Inspector; view: View }) {
  const { selected } = inspector;
  if (selected === undefined || (selected.problem !== '' && selected.id === 0n)) return null;
  const { id } = selected;
  const current = view.readings.find(({ choice }) => isSameChoice(choice, view.layout));
  const others = view.readings.filter((reading) => reading !== current && reading.likelihood !== 'impossible');
  const fitting = view.readings.filter(({ likelihood }) => /^(possible|likely)$/.test(likelihood)).length;
  const instant = instantOf(view.layout, id);
  return (
    <section class="card answer" aria-label="Answer">
      <p class="main" aria-live="polite">
        {instant === undefined ? (
          <strong>{current === undefined ? 'No date in this layout' : `No date: ${current.what} has none`}</strong>
        ) : (
          <>
            <strong>{longDate(instant.iso)}</strong>
            <CopyButton text={() => instant.iso} label="Copy the date" />
            <span class="ago">{relativeTime(dateOf(instant.micros) as Date, Date.now())}</span>
          </>
        )}
        <span class="if">{conditionOf(inspector, view, current)}</span>
      </p>
      <ul class="chips" aria-label="Other readings">
        {others.slice(0, CHIPS).map((reading) => (
          <Chip
            key={reading.name}
            reading={reading}
            id={id}
            onClick={() => inspector.change({ layout: reading.choice })}
          />
        ))}
        <li class="count">{fitting === 1 ? 'one layout fits well' : `${fitting} layouts fit`}</li>
      </ul>
    </section>
  );
}

/** What the answer depends on. */
function conditionOf({ settings }: Inspector, view: View, current: ReadingView | undefined): string {
  const many = view.rows > 1 ? 'the row chosen, ' : '';
  if (current === undefined) return `${many}in your own layout`;
  return settings.layout === undefined ? `${many}if it is ${current.what}` : `${many}read as ${current.what}`;
}

function Chip({ reading, id, onClick }: { reading: ReadingView; id: bigint; onClick: () => void }) {
  const instant = instantOf(reading.choice, id);
  return (
    <li>
      <button type="button" class={`chip ${reading.likelihood}`} title={reading.reason} onClick={onClick}>
        {reading.name} <span class="date">{instant === undefined ? 'no date' : shortDate(instant.iso)}</span>
      </button>
    </li>
  );
}
