import type { LayoutTime } from '../../index.js';
import { fieldValue, type LayoutChoice, layoutOf, timePlaceOf } from './layout-choice.js';
import { isoText, microsOf } from './times.js';

/** When an id was made, in ISO 8601 in a zone, if it is one of a layout; undefined if the layout has no time, or the id is not one of it. */
export function instantOf(choice: LayoutChoice, id: bigint, zone: string): string | undefined {
  const layout = layoutOf(choice);
  const { time, places, mask } = layout;
  const place = timePlaceOf(layout);
  if (time === undefined || place === undefined || id > mask) return undefined;
  const units = microsOf(time, fieldValue(place, id));
  // Milliseconds beside seconds, as TikTok has them.
  const rest = time.unit === 's' ? places.find(({ name, bits }) => name === 'millisecond' && bits === 10) : undefined;
  return isoText(time, rest === undefined ? units : units + fieldValue(rest, id) * 1000n, zone);
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Tue 28 Jun 2022, 16:07:40.105 UTC`, or `18:07:40.105 UTC+02:00`. */
export function longDate(iso: string): string {
  const [, date, time, offset] = /^(.+)T([\d:.]+)(.+)$/.exec(iso) ?? [];
  const day = DAYS[new Date(`${date}T00:00Z`).getUTCDay()];
  return `${day} ${shortDate(iso)}, ${time} UTC${offset?.replace('Z', '')}`;
}

/** `28 Jun 2022` */
export function shortDate(iso: string): string {
  const [, year, month, day] = /^([+-]?\d+)-(\d\d)-(\d\d)/.exec(iso) ?? [];
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`;
}

/** `28 Jun 2022, 16:00 to 17:00 UTC`, from one instant to another; whole days without times of day, the last one included. */
export function spanText(time: LayoutTime, from: bigint, to: bigint, zone: string): string {
  const parts = (micros: bigint) => {
    const iso = isoText(time, micros, zone) ?? '';
    const [, clock = '', offset = ''] = /T([\d:.]+)(.+)$/.exec(iso) ?? [];
    return { day: shortDate(iso), clock, utc: ` UTC${offset.replace('Z', '')}` };
  };
  const [start, end] = [parts(from), parts(to)];
  const all = (pattern: RegExp) => pattern.test(start.clock) && pattern.test(end.clock);
  if (all(/^00:00:00\.0+$/)) {
    const last = parts(to - 1n);
    return `${start.day}${last.day === start.day ? '' : ` to ${last.day}`}${last.utc}`;
  }
  const length = all(/:00\.0+$/) ? 5 : all(/\.0+$/) ? 8 : undefined;
  const first = `${start.day}, ${start.clock.slice(0, length)}${end.utc === start.utc ? '' : start.utc}`;
  return `${first} to ${end.day === start.day ? '' : `${end.day}, `}${end.clock.slice(0, length)}${end.utc}`;
}
