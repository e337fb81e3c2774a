// biome-ignore-all lint/a11y/useSemanticElements: a range input cannot have its handles at the borders between bits, and the bits are not a form

import { useRef } from 'preact/hooks';
import type { FieldPlace, Layout } from '../../index.js';
import { aroundBorder, moveBorder } from '../decode/layout-choice.js';
import { colourOf } from './colours.js';

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
  const strip = useRef<HTMLDivElement>(null);
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
    <div class="strip" ref={strip} role="group" aria-label={`${used} of 64 bits, by field`}>
      {cells}
      {places.map((place, border) => (
        <Border key={place.name} places={places} border={border} strip={strip} onMove={onMove} />
      ))}
    </div>
  );
}

function Border({
  places,
  border,
  strip,
  onMove,
}: {
  places: readonly FieldPlace[];
  border: number;
  strip: { current: HTMLDivElement | null };
  onMove: (fields: Fields[]) => void;
}) {
  const { above, below } = aroundBorder(places, border);
  const name = places[border]?.name ?? '';
  const upper = places[border - 1]?.name;
  const least = border === 0 ? 0 : 1;
  const move = (wanted: number) => {
    const fields = moveBorder(places, border, wanted);
    if (fields.some(({ bits }, i) => bits !== places[i]?.bits)) onMove(fields);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: { [key: string]: number } = {
      ArrowLeft: above - 1,
      ArrowDown: above - 1,
      ArrowRight: above + 1,
      ArrowUp: above + 1,
      PageDown: above - 4,
      PageUp: above + 4,
      Home: least,
      End: above + below - 1,
    };
    const wanted = steps[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    move(wanted);
  };
  const onPointerDown = (event: PointerEvent) => {
    event.preventDefault();
    const handle = event.currentTarget as HTMLElement;
    handle.focus();
    const bottom = (places[border]?.shift ?? 0) as number;
    const onPointerMove = (moved: PointerEvent) => {
      const cells = Array.from(strip.current?.querySelectorAll<HTMLElement>('.bit') ?? []);
      const boundary = boundaryAt(cells, moved.clientX, moved.clientY);
      move(above + below - (boundary - bottom));
    };
    const onPointerUp = () => {
      window.removeEventListener('pointermove', onPointerMove);
      window.removeEventListener('pointerup', onPointerUp);
      window.removeEventListener('pointercancel', onPointerUp);
    };
    window.addEventListener('pointermove', onPointerMove);
    window.addEventListener('pointerup', onPointerUp);
    window.addEventListener('pointercancel', onPointerUp);
  };
  return (
    <span
      class="border"
      style={{ '--at': 64 - (places[border]?.shift ?? 0) - below }}
      role="slider"
      tabIndex={0}
      aria-label={upper === undefined ? `Border above ${name}` : `Border between ${upper} and ${name}`}
      aria-valuemin={least}
      aria-valuemax={above + below - 1}
      aria-valuenow={above}
      aria-valuetext={`${upper ?? 'spare'} ${above} bits, ${name} ${below} bits`}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
    />
  );
}

/** The number of bits below the border between cells that is nearest to a point. */
function boundaryAt(cells: readonly HTMLElement[], x: number, y: number): number {
  let best = 0;
  let nearest = Number.POSITIVE_INFINITY;
  cells.forEach((cell, i) => {
    const { left, right, top, bottom } = cell.getBoundingClientRect();
    const dy = y < top ? top - y : y > bottom ? y - bottom : 0;
    for (const [edge, bits] of [
      [left, 64 - i],
      [right, 63 - i],
    ] as const) {
      const distance = Math.abs(x - edge) + dy * 1000; // first the row, then the place in it
      if (distance < nearest) {
        nearest = distance;
        best = bits;
      }
    }
  });
  return best;
}
