// biome-ignore-all lint/a11y/useSemanticElements: a range input cannot have its handles at the borders between bits, and the bits are not a form
import type { FieldPlace, Layout, LayoutTime, TimeUnit } from '../../index.js';
import { epochText, isoText, microsOf, msOf, msText, parseTime } from '../decode/dates.js';
import {
  aroundBorder,
  fieldValue,
  isPreset,
  isSameChoice,
  layoutOf,
  moveBorder,
  PRESETS,
  specOf,
  timePlaceOf,
  UNIT_NAMES,
  withFields,
  withSpec,
} from '../decode/layout-choice.js';
import { LIKELIHOODS, type ReadingView, readingsBeside } from '../decode/readings.js';
import { Choice, steppedBy, TextBox } from './controls.js';
import { colourOf, count, type Shown } from './format.js';
import { change, redraw, selected, settings } from './state.js';

export interface Fields {
  readonly name: string;
  readonly bits: number;
}

/** The 64 bits of an id, coloured by field, with the borders between fields to be dragged or moved by keys. */
export function BitStrip({
  layout,
  id,
  onMove,
}: {
  layout: Layout;
  id: bigint | undefined;
  onMove: (fields: Fields[]) => void;
}) {
  const { places, bits: used } = layout;
  const cells = Array.from({ length: 64 }, (_, i) => {
    const bit = 63 - i;
    const place = places.find(({ shift, bits }) => bit >= shift && bit < shift + bits);
    const starts = place !== undefined && bit === place.shift + place.bits - 1;
    const set = id !== undefined && (id >> BigInt(bit)) & 1n ? 1 : 0;
    const colour = place === undefined ? (set ? 'stray' : 'spare') : colourOf(layout, place.name);
    return (
      <div key={bit} class={`bit ${colour} ${starts ? 'first' : ''} ${place?.shift === bit ? 'last' : ''}`}>
        <span aria-hidden="true" class={set ? 'set' : ''}>
          {id === undefined ? '' : set}
        </span>
      </div>
    );
  });
  return (
    <div class="strip" role="group" aria-label={`${used} of 64 bits, by field`}>
      {cells}
      {places.map((place, border) => (
        <Border key={place.name} places={places} border={border} onMove={onMove} />
      ))}
    </div>
  );
}

function Border({
  places,
  border,
  onMove,
}: {
  places: readonly FieldPlace[];
  border: number;
  onMove: (fields: Fields[]) => void;
}) {
  const { above, below } = aroundBorder(places, border);
  const { name, shift } = places[border];
  const upper = places[border - 1]?.name;
  const least = border === 0 ? 0 : 1;
  const move = (wanted: number) => {
    const fields = moveBorder(places, border, wanted);
    if (fields.some(({ bits }, i) => bits !== places[i]?.bits)) onMove(fields);
  };
  return (
    <span
      class="border"
      style={{ '--at': 64 - shift - below }}
      role="slider"
      tabIndex={0}
      aria-label={upper === undefined ? `Border above ${name}` : `Border between ${upper} and ${name}`}
      aria-valuemin={least}
      aria-valuemax={above + below - 1}
      aria-valuenow={above}
      aria-valuetext={`${upper ?? 'spare'} ${above} bits, ${name} ${below} bits`}
      onKeyDown={(event) => {
        const wanted = steppedBy(event.key, above, 4, least, above + below - 1);
        if (wanted === undefined) return;
        event.preventDefault();
        move(wanted);
      }}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.focus();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const handle = event.currentTarget;
        if (handle.hasPointerCapture(event.pointerId))
          move(above + below + shift - bitsBelow(handle.parentElement as HTMLElement, event));
      }}
    />
  );
}

/** The number of bits below the border between cells that is nearest to a point. */
function bitsBelow(strip: HTMLElement, { clientX, clientY }: PointerEvent): number {
  const { left, top, width, height } = strip.getBoundingClientRect();
  const inARow = Number(getComputedStyle(strip).getPropertyValue('--in-a-row'));
  const rows = 64 / inARow;
  const row = Math.max(0, Math.min(rows - 1, Math.floor(((clientY - top) / height) * rows)));
  const column = Math.max(0, Math.min(inARow, Math.round(((clientX - left) / width) * inARow)));
  return 64 - row * inARow - column;
}

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

const UNITS = Object.entries(UNIT_NAMES) as [TimeUnit, string][];

/** The epoch, where it was typed as seconds. */
let inSeconds: number | undefined;

export function LayoutPanel({ view, layout }: Shown) {
  const { places, time } = layout;
  const chosen = settings.layout?.spec;
  const kind = chosen === undefined ? 'guess' : isPreset(chosen) ? chosen : 'own';
  const own = settings.layout ?? view.layout;
  return (
    <section class="card layout" aria-labelledby="layout">
      <div class="controls">
        <h2 id="layout">Layout</h2>
        <Choice
          label="Layout"
          isHidden
          value={kind}
          options={[['guess', `guess: ${view.readings[0]?.name ?? ''}`], ...PRESETS, ['own', 'my own']]}
          onChange={(spec) =>
            change({ layout: spec === 'guess' ? undefined : spec === 'own' ? withFields(layout, places) : { spec } })
          }
        />
      </div>
      {view.layoutError !== undefined && (
        <p class="error" role="alert">
          {view.layoutError}
        </p>
      )}
      <BitStrip
        layout={layout}
        id={selected && (selected.problem === '' || selected.id !== 0n) ? selected.id : undefined}
        onMove={(fields) => change({ layout: withFields(layout, fields) })}
      />
      <FieldTable layout={layout} />
      <details class="edit" open={kind === 'own' || view.layoutError !== undefined}>
        <summary>Edit layout</summary>
        <div class="controls">
          <TextBox
            label="Fields"
            grows
            value={view.layoutError === undefined ? specOf(places) : (chosen ?? '')}
            accept={(spec) => {
              const typed = withSpec(settings.layout, spec);
              layoutOf(typed);
              change({ layout: typed });
            }}
          />
          {time !== undefined && (
            <>
              <TextBox
                label="Epoch (UTC)"
                class="short"
                value={epochText(time)}
                note={inSeconds === time.epoch ? `read as seconds: ${epochText(time)}` : ''}
                accept={(text) => {
                  const given = parseTime(text, Date.now());
                  if (given === undefined) throw new RangeError('expected a date or Unix milliseconds');
                  const epoch = msOf(given.from);
                  inSeconds = given.readAs && epoch;
                  change({ layout: { ...own, epoch } });
                }}
              />
              <Choice
                label="Unit"
                value={time.unit}
                options={UNITS}
                onChange={(unit) => change({ layout: { ...own, unit } })}
              />
            </>
          )}
        </div>
      </details>
    </section>
  );
}

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
