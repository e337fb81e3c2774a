import type { LayoutTime } from '../../index.js';
import { fieldValue, type LayoutChoice, layoutOf, microsIn } from './layout-choice.js';
import { isoText } from './times.js';

/** When an id was made, in ISO 8601 in a zone, if it is one of a layout; undefined if the layout has no time, or the id is not one of it. */
export function instantOf(choice: LayoutChoice, id: bigint, zone: string): string | undefined {
  const layout = layoutOf(choice);
  const { time, places, mask } = layout;
  const micros = microsIn(layout, id);
  if (time === undefined || micros === undefined || id > mask) return undefined;
  // Milliseconds beside seconds, as TikTok has them.
  const rest = places.find(({ name, bits }) => time.unit === 's' && name === 'millisecond' && bits === 10);
  return isoText(time, micros + (rest ? fieldValue(rest, id) * 1000n : 0n), zone);
}

/** What people read of `2022-06-28T16:07:40.105Z`, with the day of the week as in `Tue 28 Jun 2022`. */
function partsOf(iso: string): { weekday: string; day: string; clock: string; utc: string } {
  const [, date = '', clock = '', offset = ''] = /^(.+)T([\d:.]+)(.+)$/.exec(iso) ?? [];
  const [, weekday = '', day = ''] = /(\w+), 0?(\d+ \w+ \S+)/.exec(new Date(date).toUTCString()) ?? [];
  return { weekday, day, clock, utc: ` UTC${offset.replace('Z', '')}` };
}

/** `Tue 28 Jun 2022, 16:07:40.105 UTC`, or `18:07:40.105 UTC+02:00`. */
export function longDate(iso: string): string {
  const { weekday, day, clock, utc } = partsOf(iso);
  return `${weekday} ${day}, ${clock}${utc}`;
}

/** `28 Jun 2022` */
export function shortDate(iso: string): string {
  return partsOf(iso).day;
}

/** `28 Jun 2022, 16:00 to 17:00 UTC`, from one instant to another; whole days without times of day, the last one included. */
export function spanText(time: LayoutTime, from: bigint, to: bigint, zone: string): string {
  const at = (micros: bigint) => partsOf(isoText(time, micros, zone) ?? '');
  const [start, end, last] = [at(from), at(to), at(to - 1n)];
  const clocks = `${start.clock} ${end.clock}`;
  if (/^00:00:00\.0+ 00:00:00\.0+$/.test(clocks)) {
    return `${start.day}${last.day === start.day ? '' : ` to ${last.day}`}${last.utc}`;
  }
  const length = /:00\.0+ .*:00\.0+$/.test(clocks) ? 5 : /\.0+ .*\.0+$/.test(clocks) ? 8 : undefined;
  const first = `${start.day}, ${start.clock.slice(0, length)}${end.utc === start.utc ? '' : start.utc}`;
  return `${first} to ${end.day === start.day ? '' : `${end.day}, `}${end.clock.slice(0, length)}${end.utc}`;
}
