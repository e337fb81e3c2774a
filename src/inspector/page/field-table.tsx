import type { FieldPlace, Layout, LayoutTime } from '../../index.js';
import { fieldValue, UNIT_NAMES } from '../decode/layout-choice.js';
import { epochText, isoText, microsOf, msText } from '../decode/times.js';
import { colourOf } from './colours.js';
import { count } from './numbers.js';
import { selected, settings } from './state.js';

/** The fields of the chosen id: what each holds, and where it lies. */
export function FieldTable({ layout }: { layout: Layout }) {
  const row = selected;
  if (row !== undefined && row.problem !== '' && row.id === 0n) {
    return (
      <p class="note">
        Line {count(row.line)} is not an id: {row.problem.replace('not an id: ', '')}. <code>{row.cells[1]}</code>
      </p>
    );
  }
  return (
    <div class="fields">
      {row !== undefined && row.problem !== '' && <p class="error">This id {row.problem}.</p>}
      <dl>
        {layout.places.map((place) => {
          const time = place.name === layout.time?.name ? layout.time : undefined;
          const value = row && fieldValue(place, row.id);
          return (
            <div key={place.name} class={`field ${colourOf(layout, place.name)}`}>
              <dt>
                <i class="swatch" aria-hidden="true" />
                {time === undefined ? place.name : `${place.name} (Unix ms)`}
              </dt>
              <dd class="value">{value === undefined ? '–' : time ? msText(microsOf(time, value)) : String(value)}</dd>
              {time !== undefined && value !== undefined && <TimeFacts time={time} units={value} />}
              <dd class="place">{placeText(place)}</dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}

/** The date, and what the bits hold. */
function TimeFacts({ time, units }: { time: LayoutTime; units: bigint }) {
  return (
    <>
      <dd class="place">
        {isoText(time, microsOf(time, units), settings.zone) ?? 'the date is after the year 275760'}
      </dd>
      <dd class="place">{`${units} × ${UNIT_NAMES[time.unit]} since ${epochText(time)}`}</dd>
    </>
  );
}

function placeText({ bits, shift }: FieldPlace): string {
  return bits === 1 ? `1 bit: ${shift}` : `${bits} bits: ${shift + bits - 1} to ${shift}`;
}
