import { expect, it } from 'vitest';
import { onBothBackends } from '../support/backends.js';
import { parsed } from './parsed-dates.js';

onBothBackends('dates as text', (kernels) => {
  it('are those of all days of four hundred years', () => {
    const days = Array.from({ length: 146_097 }, (_, day) => new Date(Date.UTC(1800, 0, 1 + day)).toISOString());
    for (let from = 0; from < days.length; from += 10_000) {
      const some = days.slice(from, from + 10_000);
      expect(parsed(kernels, some)).toEqual({ ms: some.map(Date.parse), row: -1 });
    }
  });
});
