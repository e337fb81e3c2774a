import { datesAlone, rangesOf } from '../../decode/date-ranges.js';
import { SNIPPETS } from '../../decode/layout-choice.js';
import { periodText } from '../../decode/readings.js';
import { Choice, CopyButton } from '../controls.js';
import { page, update } from '../state.js';

const COLUMNS = ['first id', 'last id', 'query'];

/** The ids of a date that is in the box. */
export function DatesPanel() {
  const { input, settings, dialect } = page;
  const dates = datesAlone(input?.text ?? '', input?.datedAt ?? 0, settings.zone);
  if (dates === undefined) return null;
  const rows = rangesOf(dates, dialect);
  const dialects = SNIPPETS.flatMap(([kind, name]) => (kind === 'javascript' ? [] : [[kind, name] as const]));
  return (
    <section class="card answer dates" aria-label="Date">
      <h2>{periodText(dates, settings.zone)}</h2>
      <div class="controls">
        <p class="note">
          {rows.length > 0
            ? 'The first and the last id of each service, if it made the id then.'
            : dates.to > dates.from
              ? 'No service made ids then.'
              : 'The range ends before it begins.'}
        </p>
        <Choice label="Queries for" value={dialect} options={dialects} onChange={(dialect) => update({ dialect })} />
      </div>
      <table>
        <thead>
          <tr>
            {['ids of', ...COLUMNS].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ title, least, most, where }) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              {[`${least}`, `${most}`, where ?? ''].map((text, i) => (
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
