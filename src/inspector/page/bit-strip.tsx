// biome-ignore-all lint/a11y/useSemanticElements: a range input cannot have its handles at the borders between bits, and the bits are not a form

import type { FieldPlace, Layout } from '../../index.js';
import { aroundBorder, moveBorder } from '../decode/layout-choice.js';
import { colourOf } from './colours.js';
import { steppedBy } from './slider-keys.js';

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
  const { name, shift } = places[border] as FieldPlace;
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
