import { idRangeOf } from '../decode/id-range.js';
import { FORMATS } from '../decode/settings.js';
import { Choice, TextBox } from './controls.jsx';
import { Facts } from './facts.jsx';
import { formatOptions } from './format-options.js';
import { shownId } from './numbers.js';
import type { Shown } from './shown.js';
import { change, settings } from './state.js';

/** From a date back to ids. */
export function DatePanel({ layout }: Shown) {
  const { as, date, zone } = settings;
  const { time } = layout;
  const found = time && date !== '' ? idRangeOf(layout, time, date, Date.now(), zone) : undefined;
  const [problem, range] = typeof found === 'string' ? [found] : ['', found];
  return (
    <section class="card reverse" aria-labelledby="reverse">
      <div class="controls">
        <h2 id="reverse">From a date to ids</h2>
        {time && (
          <TextBox
            grows
            label={`Date (${zone})`}
            value={date}
            placeholder="2024-03-01T10:30, 2024-03, now"
            problem={problem}
            onType={(typed) => change({ date: typed })}
          />
        )}
        {range && (
          <Facts
            of={[
              ['Smallest id', shownId(range.least, as), 'copies'],
              ['Largest id', shownId(range.most, as), 'copies'],
            ]}
          />
        )}
        <Choice
          label="Show ids as"
          value={as}
          options={formatOptions(FORMATS)}
          onChange={(format) => change({ as: format })}
        />
      </div>
      <p class="note" aria-live="polite">
        {time === undefined
          ? 'This layout has no timestamp.'
          : range
            ? `From ${range.from} to ${range.to}. ${range.note}`
            : 'Type a date to get its smallest and largest id.'}
      </p>
    </section>
  );
}
