import type { Layout, LayoutTime } from '../../index.js';
import { parseTime } from './dates.js';
import { refusalOf } from './refusal.js';
import { epochText, hasMicros, isoText, microsOf, msOf } from './times.js';
import { UTC } from './zones.js';

/** The ids of an instant or of a period. */
export interface IdRange {
  readonly from: string;
  readonly to: string;
  readonly least: bigint;
  readonly most: bigint;
  /** What must be known before the two are compared with; '' if there is nothing. */
  readonly note: string;
}

const TO = /\s*\.\.\s*|\s+to\s+/i;

/** The ids of a date, or of all dates from one to another (`2024-03 to 2024-05`), or why there are none. */
export function idRangeOf(layout: Layout, time: LayoutTime, text: string, now: number, zone = UTC): IdRange | string {
  const spans = text.split(TO).map((part) => parseTime(part, now, zone));
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined || spans.length > 2) {
    return 'Expected a date such as 2024-03-01, 2024-03-01T10:30:15.500Z or now, or two with “to” between them.';
  }
  const [from, to] = [first.from, last.to - 1n];
  const shown = (micros: bigint) => isoText(time, micros, zone) ?? '';
  if (to < from) return `The range ends at ${shown(to)}, before its start at ${shown(from)}.`;
  const epoch = microsOf(time, 0n);
  if (from < epoch) {
    const which = to < epoch ? 'this date' : 'the first dates of this period';
    return `No id has ${which}: the epoch of the layout is ${epochText(time)}.`;
  }
  const notes = [
    (first.readAs ?? last.readAs) && 'The number was read as seconds.',
    layout.places[0]?.name !== time.name &&
      `Ids between these two may have other dates: ${time.name} is not the first field.`,
  ];
  try {
    return {
      from: shown(from),
      to: shown(to),
      least: layout.minIdAt(instantOf(time, from)),
      most: layout.maxIdAt(instantOf(time, to)),
      note: notes.filter(Boolean).join(' '),
    };
  } catch (error) {
    return refusalOf(error).replace(/^./, (letter) => letter.toUpperCase());
  }
}

/** As a layout takes it: a Date reaches farther than a number, which has microseconds. */
function instantOf(time: LayoutTime, micros: bigint): Date | number {
  return hasMicros(time) ? Number(micros) / 1000 : new Date(msOf(micros));
}
