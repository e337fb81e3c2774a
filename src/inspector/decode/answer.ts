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
