export const UTC = 'UTC';

/** The time zone of the browser, such as `Europe/Berlin`. */
export const LOCAL = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The milliseconds by which clocks in a zone are ahead of UTC at an instant.
 * @throws RangeError if the browser does not know the zone
 */
export function offsetMs(zone: string, ms: number): number {
  if (zone === UTC) return 0;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format); // making one takes longer than a hundred dates
  const [, sign = '+', hours, minutes, seconds = 0] = /GMT(.)(\d+):(\d+):?(\d+)?/.exec(format.format(ms)) ?? [];
  return hours === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60 + +seconds) * 1000;
}

export function isZone(name: string): boolean {
  try {
    offsetMs(name, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * The instant at which clocks in a zone show a time, given as if it were UTC. Of two it is the first; a time that the
 * clocks skip is as much later as they skip. Temporal does the same.
 */
export function instantIn(zone: string, shown: number): number {
  const [before, after] = [-DAY_MS, DAY_MS].map((away) => shown - offsetMs(zone, shown + away)) as [number, number];
  return [before, after].find((ms) => ms + offsetMs(zone, ms) === shown) ?? before;
}

/** In ISO 8601, with the offset that the zone has then. */
export function isoIn(zone: string, date: Date, micros = ''): string {
  const offset = offsetMs(zone, date.getTime());
  const clock = new Date(date.getTime() + offset);
  // Offsets before about 1900 have seconds, for which ISO 8601 has no place.
  const isLocal = zone !== UTC && offset % 60_000 === 0 && !Number.isNaN(clock.getTime());
  const ahead = isLocal ? `${offset < 0 ? '-' : '+'}${new Date(Math.abs(offset)).toISOString().slice(11, 16)}` : 'Z';
  return (isLocal ? clock : date).toISOString().replace('Z', micros + ahead);
}
