import { dateOfUnits, fieldValue, type Place } from '../decode/layout-choice.js';
import type { TableRow } from '../decode/table.js';
import { colourOf } from './colours.js';
import { count } from './numbers.js';

/** The fields of the chosen id: what each holds, and where it lies. */
export function FieldTable({ places, row }: { places: readonly Place[]; row: TableRow | undefined }) {
  if (row !== undefined && row.problem !== '' && row.id === 0n) {
    return (
      <p class="note">
        Line {count(row.line)} is no id: <code>{row.cells[1]}</code> is {row.problem}.
      </p>
    );
  }
  return (
    <div class="fields">
      {row !== undefined && row.problem !== '' && <p class="error">This id {row.problem}.</p>}
      <dl>
        {places.map((place, i) => (
          <div key={place.name} class={`field ${colourOf(places, i)}`}>
            <dt>
              <i class="swatch" aria-hidden="true" />
              {place.name}
            </dt>
            <dd class="value">{row === undefined ? '–' : String(fieldValue(place, row.id))}</dd>
            <dd class="place">{placeText(place)}</dd>
            {row !== undefined && place.epoch !== undefined && (
              <dd class="place">
                {dateOfUnits(place, Number(fieldValue(place, row.id)))?.toISOString() ?? 'beyond dates'}
              </dd>
            )}
          </div>
        ))}
      </dl>
    </div>
  );
}

function placeText({ bits, shift }: Place): string {
  return bits === 1 ? `1 bit: ${shift}` : `${bits} bits: ${shift + bits - 1} to ${shift}`;
}
