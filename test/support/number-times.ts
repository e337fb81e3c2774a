import type { Layout } from '../../src/index.js';

/**
 * A mask of ids that can all be unpacked. It is the layout's mask, but without the highest bit if the layout counts
 * microseconds beyond 2^43 milliseconds, which numbers do not hold exactly.
 */
export function numberTimeMask({ mask, time, places }: Pick<Layout, 'mask' | 'time' | 'places'>): bigint {
  const place = places.find(({ name }) => name === time?.name);
  if (time === undefined || place === undefined || time.unitMs >= 1) return mask;
  return time.epoch + Number(place.mask) * time.unitMs <= 2 ** 43 ? mask : mask >> 1n;
}
