import { fieldValue, isSameChoice, layoutOf, timePlaceOf } from '../decode/layout-choice.js';
import { LIKELIHOODS, type ReadingView, readingsBeside } from '../decode/readings.js';
import { isoText, microsOf } from '../decode/times.js';
import { colourOf } from './colours.js';
import type { Shown } from './shown.js';
import { change, redraw, selected, settings } from './state.js';

const FEW = 4;

let showsAll = false;

/** What the chosen id would be in other layouts, the likeliest first. */
export function LayoutsPanel({ view }: Shown) {
  const { length } = view.readings;
  const shown = readingsBeside(view, settings, showsAll ? length : FEW);
  const toggle = () => {
    showsAll = !showsAll;
    redraw();
  };
  return (
    <section class="card candidates" aria-labelledby="layouts">
      <h2 id="layouts">What else it could be</h2>
      <ul class="layouts">
        {shown.map((reading) => (
          <li key={reading.name}>
            <button
              type="button"
              class={`rank${LIKELIHOODS.indexOf(reading.likelihood)}`}
              aria-pressed={isSameChoice(reading.choice, view.layout)}
              onClick={() => change({ layout: reading.choice })}
            >
              <Candidate reading={reading} />
            </button>
          </li>
        ))}
      </ul>
      {length > FEW + 1 && (
        <button type="button" class="quiet" aria-expanded={showsAll} onClick={toggle}>
          {showsAll ? 'Show fewer' : `Show ${length - FEW - 1} more`}
        </button>
      )}
    </section>
  );
}

function Candidate({ reading }: { reading: ReadingView }) {
  const id = selected?.id;
  const layout = layoutOf(reading.choice);
  const { places, time, bits } = layout;
  const timePlace = timePlaceOf(layout);
  const fits = id !== undefined && id <= layout.mask;
  const date = fits && time && timePlace && isoText(time, microsOf(time, fieldValue(timePlace, id)), settings.zone);
  const fields = places.filter((place) => place !== timePlace);
  return (
    <>
      <span class="name">{reading.name}</span>
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
      <span class={`reason ${reading.likelihood === 'likely' ? 'c2' : ''}`}>{reading.reason}</span>
    </>
  );
}
