import type { View } from '../decode/inspection.js';
import { fieldValue, layoutOf, timePlaceOf } from '../decode/layout-choice.js';
import type { Verdict } from '../decode/plausibility.js';
import { isoText, microsOf } from '../decode/times.js';
import { colourOf } from './colours.js';
import type { Inspector } from './inspector.js';

/** Every known layout with what the chosen id would be in it, the plausible ones first. */
export function LayoutsPanel({ inspector, view }: { inspector: Inspector; view: View }) {
  const id = inspector.selected?.id;
  return (
    <section class="card" aria-labelledby="layouts">
      <h2 id="layouts">What else it could be</h2>
      <ul class="layouts">
        {view.verdicts.map((verdict) => (
          <li key={verdict.spec}>
            <button
              type="button"
              class={`rank${verdict.rank}`}
              aria-pressed={view.layout.spec === verdict.spec}
              onClick={() => inspector.change({ layout: { spec: verdict.spec } })}
            >
              <Candidate verdict={verdict} id={id} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Candidate({ verdict, id }: { verdict: Verdict; id: bigint | undefined }) {
  const layout = layoutOf({ spec: verdict.spec });
  const { places, time, bits } = layout;
  const timePlace = timePlaceOf(layout);
  const fits = id !== undefined && id <= layout.mask;
  const date = fits && time && timePlace && isoText(time, microsOf(time, fieldValue(timePlace, id)));
  const fields = places.filter((place) => place !== timePlace);
  return (
    <>
      <span class="name">{verdict.spec}</span>
      <span class="bar" aria-hidden="true">
        {bits < 64 && <i class="spare" style={{ flexGrow: 64 - bits }} />}
        {places.map((place) => (
          <i key={place.name} class={colourOf(layout, place.name)} style={{ flexGrow: place.bits }} />
        ))}
      </span>
      <span class="values">
        {date && <b>{date} </b>}
        {fits && fields.map((place) => `${place.name} ${fieldValue(place, id)}`).join(', ')}
      </span>
      <span class="reason">{verdict.reason}</span>
    </>
  );
}
