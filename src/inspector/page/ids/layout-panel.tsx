// biome-ignore-all lint/a11y/useSemanticElements: a range input cannot have its handles at the borders between bits, and the bits are not a form
import { Component } from 'preact';
import { namesIn } from '../../../arguments.js';
import type { FieldPlace, Layout } from '../../../index.js';
import { withoutUrn } from '../../../tokens/patterns.js';
import { wideFieldsOf } from '../../../tokens/wide-fields.js';
import type { WideIdKind } from '../../../wide-ids/index.js';
import { epochText, isoText, microsOf, msOf, msText, parseTime } from '../../decode/dates.js';
import {
  aroundBorder,
  fieldValue,
  isPreset,
  isSameChoice,
  layoutOf,
  microsIn,
  moveBorder,
  namedByGuess,
  PRESETS,
  specOf,
  titleOf,
  UNIT_NAMES,
  withFields,
  withSpec,
} from '../../decode/layout-choice.js';
import { bitText, LIKELIHOODS, type ReadingView, readingsBeside } from '../../decode/readings.js';
import { Alert, Button, Choice, colourOf, count, Panel, type PanelProps, steppedBy, TextBox } from '../controls.js';
import { change, page, update } from '../state.js';

interface BitStripProps {
  /** What the bits mean, from the uppermost field on. */
  readonly places: readonly Place[];
  /** How many bits an id has; those above the fields mean nothing. */
  readonly total: number;
  readonly id: bigint | undefined;
  readonly colour: (field: string) => string;
  /** What a bit stands for. */
  readonly hint: (bit: number) => string;
  /** Set if the borders between fields can be moved. */
  readonly moves?: Layout;
}

type Place = Pick<FieldPlace, 'name' | 'bits' | 'shift'>;

const bitsOfLayout = (layout: Layout) => ({
  places: layout.places,
  total: 64,
  colour: (field: string) => colourOf(layout, field),
  hint: (bit: number) => bitText(layout, bit),
});

/**
 * The bits of an id, coloured by field, with the borders between fields to be dragged or moved by keys. Under them is what
 * the bit stands for that is pointed at.
 */
class BitStrip extends Component<BitStripProps, { bit?: number | undefined }> {
  override render(props: BitStripProps, { bit: pointed }: { bit?: number | undefined }) {
    const { places, total, id, colour, hint, moves } = props;
    const cells = Array.from({ length: total }, (_, i) => {
      const bit = total - 1 - i;
      const place = places.find(({ shift, bits }) => bit >= shift && bit < shift + bits);
      const starts = place && bit === place.shift + place.bits - 1;
      const set = id !== undefined && (id >> BigInt(bit)) & 1n ? 1 : 0;
      const kind = place ? colour(place.name) : set ? 'stray' : 'spare';
      return (
        <div
          key={bit}
          class={`bit ${kind} ${starts ? 'first' : ''} ${place?.shift === bit ? 'last' : ''}`}
          onPointerEnter={() => this.setState({ bit })}
        >
          <span aria-hidden="true" class={set ? 'set' : ''}>
            {id === undefined ? '' : set}
          </span>
        </div>
      );
    });
    const used = places.reduce((sum, { bits }) => sum + bits, 0);
    return (
      <>
        <div
          class={`strip of${total}`}
          role="group"
          aria-label={`${used} of ${total} bits, by field`}
          onPointerLeave={() => this.setState({ bit: undefined })}
        >
          {cells}
          {moves && places.map((place, border) => <Border key={place.name} layout={moves} border={border} />)}
        </div>
        <p class="note" aria-hidden="true">
          {pointed === undefined ? <span class="hint">Point at a bit to see what it stands for.</span> : hint(pointed)}
        </p>
      </>
    );
  }
}

/** The bits and the fields of an id of more than 64 bits. */
export function WidePanel({ text, kind }: { text: string; kind: WideIdKind }) {
  const { name, bits: total, fields } = wideFieldsOf(withoutUrn(text), kind);
  let shift = total;
  const places = fields.map((field) => {
    shift -= field.bits;
    return { ...field, shift };
  });
  const others = fields.filter(({ what }) => what === undefined);
  const colour = (field: string) => {
    const what = fields.find((each) => each.name === field)?.what;
    if (what !== undefined) return what === 'time' ? 'c0' : 'spare';
    return `c${1 + (others.findIndex((each) => each.name === field) % 6)}`;
  };
  const id = places.reduce((sum, { value, shift }) => sum | (value << BigInt(shift)), 0n);
  const hint = (bit: number) =>
    `Bit ${bit}, in ${places.find((place) => bit >= place.shift && bit < place.shift + place.bits)?.name}.`;
  return (
    <Panel class="layout" title={name}>
      <BitStrip places={places} total={total} id={id} colour={colour} hint={hint} />
      <div class="fields">
        <dl>
          {places.map((place) => (
            <Field
              key={place.name}
              name={place.name}
              colour={colour(place.name)}
              facts={[
                place.bits > 53 ? `0x${place.value.toString(16)}` : String(place.value),
                ...(place.note ? [place.note] : []),
                placeText(place),
              ]}
            />
          ))}
        </dl>
      </div>
    </Panel>
  );
}

function Border({ layout, border }: { layout: Layout; border: number }) {
  const { places } = layout;
  const { above, below } = aroundBorder(places, border);
  const { name, shift } = places[border];
  const upper = places[border - 1]?.name;
  const least = border === 0 ? 0 : 1;
  const move = (wanted: number) => {
    const fields = moveBorder(places, border, wanted);
    if (fields.some(({ bits }, i) => bits !== places[i].bits)) change({ layout: withFields(layout, fields) });
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
          move(above + below + shift - bitsBelow(handle.parentElement ?? handle, event));
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

/** The fields of the selected id: what each holds, and where it lies. */
function FieldTable({ layout }: { layout: Layout }) {
  const { selected, settings } = page;
  const { places, time } = layout;
  if (selected && !selected.isId) {
    return (
      <p class="note">
        Line {count(selected.line)} is unreadable: {selected.problem.replace('not an id: ', '')}.{' '}
        <code>{selected.cells[1]}</code>
      </p>
    );
  }
  /** What a field shows: its value, and for a time the date, and what its bits hold. */
  const factsOf = (place: FieldPlace): string[] => {
    if (!selected) return place.name === time?.name ? ['–', '\u00a0', '\u00a0\u00a0'] : ['–']; // as high as with an id
    const units = fieldValue(place, selected.id);
    if (place.name !== time?.name) return [String(units)];
    const micros = microsOf(time, units);
    const date = isoText(time, micros, settings.zone) ?? 'the date is after the year 275760';
    return [msText(micros), date, `${units} × ${UNIT_NAMES[time.unit]} since ${epochText(time)}`];
  };
  return (
    <div class="fields">
      {selected && selected.problem !== '' && <p class="error">This id: {selected.problem}.</p>}
      <dl>
        {places.map((place) => (
          <Field
            key={place.name}
            name={place.name === time?.name ? `${place.name} (Unix ms)` : place.name}
            colour={colourOf(layout, place.name)}
            facts={[...factsOf(place), placeText(place)]}
          />
        ))}
      </dl>
    </div>
  );
}

/** A field of an id: its value, and what else there is to say of it. */
function Field({ name, colour, facts: [value, ...others] }: { name: string; colour: string; facts: string[] }) {
  return (
    <div class={`field ${colour}`}>
      <dt>
        <i class="swatch" />
        {name}
      </dt>
      <dd class="value">{value}</dd>
      {others.map((fact) => (
        <dd key={fact} class="place">
          {fact}
        </dd>
      ))}
    </div>
  );
}

function placeText({ bits, shift }: Place): string {
  return bits === 1 ? `1 bit: ${shift}` : `${bits} bits: ${shift + bits - 1} to ${shift}`;
}

function typedTime(text: string, zone?: string) {
  const typed = parseTime(text, Date.now(), zone);
  if (!typed) throw new RangeError('expected a date or Unix milliseconds');
  return typed;
}

const UNITS = namesIn(UNIT_NAMES).map((unit) => [unit, UNIT_NAMES[unit]] as const);

export function LayoutPanel({ view, layout }: PanelProps) {
  const { selected, epochInSeconds } = page;
  const { layout: chosen, zone } = page.settings;
  const { places, time } = layout;
  const micros = selected?.isId ? microsIn(layout, selected.id) : undefined;
  const kind = chosen ? (isPreset(chosen.spec) ? chosen.spec : 'own') : 'guess';
  const own = chosen ?? view.layout;
  const { spec } = (view.isMixed && selected?.layout) || own;
  const found = view.found?.isTaken ? `from ${view.found.name}` : isPreset(spec) ? titleOf(spec) : 'none fits';
  const changeTime = (changes: Partial<typeof own>) => change({ layout: { ...own, ...changes } });
  return (
    <Panel
      class="layout"
      title="Layout"
      beside={
        <Choice
          label="Layout"
          isHidden
          value={kind}
          options={[
            ['guess', chosen ? 'Automatic' : `Automatic (${found})`],
            ...PRESETS.map((name) => [name, titleOf(name)] as const),
            ['own', 'my own'],
          ]}
          onChange={(spec) =>
            change({ layout: spec === 'guess' ? undefined : spec === 'own' ? withFields(layout, places) : { spec } })
          }
        />
      }
    >
      {view.layoutError !== undefined && <Alert>{view.layoutError}</Alert>}
      <BitStrip {...bitsOfLayout(layout)} id={selected?.isId ? selected.id : undefined} moves={layout} />
      <FieldTable layout={layout} />
      <details class="edit" open={kind === 'own' || view.layoutError !== undefined}>
        <summary>Edit layout</summary>
        <div class="controls">
          <TextBox
            label="Fields"
            grows
            value={view.layoutError === undefined ? specOf(places) : (chosen?.spec ?? '')}
            note={namedByGuess(chosen?.spec ?? '') && 'The names are guessed: the first field is taken for the time.'}
            accept={(spec) => {
              const typed = withSpec(chosen, layout, spec);
              layoutOf(typed);
              change({ layout: typed });
            }}
          />
          {time && (
            <>
              <TextBox
                label="Epoch (UTC)"
                value={epochText(time)}
                note={epochInSeconds === time.epoch ? `read as seconds: ${epochText(time)}` : ''}
                accept={(text) => {
                  const typed = typedTime(text);
                  const epoch = msOf(typed.from);
                  page.epochInSeconds = typed.readAs && epoch;
                  changeTime({ epoch });
                }}
              />
              <Choice label="Unit" value={time.unit} options={UNITS} onChange={(unit) => changeTime({ unit })} />
              {micros !== undefined && (
                <TextBox
                  label={`This id was made at (${zone})`}
                  value={isoText(time, micros, zone) ?? ''}
                  accept={(text) => changeTime({ epoch: time.epoch + msOf(typedTime(text, zone).from - micros) })}
                />
              )}
            </>
          )}
        </div>
      </details>
    </Panel>
  );
}

const FEW = 4;

export function LayoutsPanel({ view }: PanelProps) {
  const { showsAllLayouts, settings } = page;
  const { length } = view.readings;
  const toggle = () => update({ showsAllLayouts: !showsAllLayouts });
  return (
    <Panel class="candidates" title="What else it could be">
      <ul class="layouts">
        {readingsBeside(view, settings.layout, showsAllLayouts ? length : FEW).map((reading) => (
          <li key={reading.name}>
            <Button
              class={`rank${LIKELIHOODS.indexOf(reading.likelihood)}`}
              aria-pressed={isSameChoice(reading.choice, view.layout)}
              onClick={() => change({ layout: reading.choice })}
            >
              <Candidate reading={reading} />
            </Button>
          </li>
        ))}
      </ul>
      {length > FEW + 1 && (
        <Button class="quiet" aria-expanded={showsAllLayouts} onClick={toggle}>
          {showsAllLayouts ? 'Show fewer' : `Show ${length - FEW - 1} more`}
        </Button>
      )}
    </Panel>
  );
}

function Candidate({ reading: { title, choice, likelihood, reason } }: { reading: ReadingView }) {
  const layout = layoutOf(choice);
  const { places, time, bits, mask } = layout;
  const { selected, settings } = page;
  const id = selected && selected.id <= mask ? selected.id : undefined;
  const micros = id === undefined ? undefined : microsIn(layout, id);
  const date = time && micros !== undefined && isoText(time, micros, settings.zone);
  const fields = places.filter((place) => place.name !== time?.name);
  return (
    <>
      <span class="name">{title}</span>
      <span class="bar">
        {bits < 64 && <i class="spare" style={{ flexGrow: 64 - bits }} />}
        {places.map((place) => (
          <i key={place.name} class={colourOf(layout, place.name)} style={{ flexGrow: place.bits }} />
        ))}
      </span>
      <span class="values">
        {date && <b>{date} </b>}
        {id !== undefined && fields.map((place) => `${place.name} ${fieldValue(place, id)}`).join(', ')}
      </span>
      <span class={`reason ${likelihood === 'likely' ? 'c2' : ''}`}>{reason}</span>
    </>
  );
}
