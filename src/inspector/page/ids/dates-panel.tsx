import { rangesOf, typedDates } from '../../decode/date-ranges.js';
import { epochText } from '../../decode/dates.js';
import type { View } from '../../decode/inspection.js';
import { layoutOf, SNIPPETS, UNIT_NAMES } from '../../decode/layout-choice.js';
import { periodText } from '../../decode/readings.js';
import { Button, Choice, CopyButton, count } from '../controls.js';
import { change, page, update } from '../state.js';

const DIALECTS = SNIPPETS.filter((option) => option[0] !== 'javascript');
const COLUMNS = ['first id', 'last id', 'query'];

/** The ids of a date that is in the box. */
export function DatesPanel() {
  const { input, settings, dialect } = page;
  const dates = typedDates(input?.text ?? '', input?.datedAt ?? 0, settings.zone);
  if (!dates) return null;
  return (
    <section class="card answer dates" aria-label="Date">
      <div class="controls">
        <h2>{periodText(dates, settings.zone)}</h2>
        <Choice label="Queries for" value={dialect} options={DIALECTS} onChange={(dialect) => update({ dialect })} />
      </div>
      <table>
        <tbody>
          <tr>
            {['ids of', ...COLUMNS].map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
          {rangesOf(dates, dialect, settings.layout).map(({ title, least, most, where }) => (
            <tr key={title}>
              <th>{title}</th>
              {[`${least}`, `${most}`, where].map((text, i) => (
                <td key={COLUMNS[i]}>
                  <code>{text}</code>
                  {text && <CopyButton text={() => text} label={`Copy the ${COLUMNS[i]} of ${title}`} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const COUNTED: { readonly [unit: string]: string } = { s: 'seconds', ms: 'milliseconds', us: 'microseconds' };

/** The layout that dates beside the ids give. */
export function FoundLayout({ found }: Pick<View, 'found'>) {
  if (!found) return null;
  const { bits, unit, agreeing, rows, name, choice, isTaken } = found;
  const { time } = layoutOf(choice);
  return (
    <p class="controls">
      The upper {bits} bits count {COUNTED[unit] ?? `units of ${UNIT_NAMES[unit]}`} from {time && epochText(time)}:{' '}
      {name} agrees in {count(agreeing)} of {count(rows)} rows that were compared.{' '}
      {!isTaken && <Button onClick={() => change({ layout: choice })}>Use this layout</Button>}
    </p>
  );
}
