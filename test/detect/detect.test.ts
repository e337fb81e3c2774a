import { describe, expect, it } from 'vitest';
import { mappingsOf } from '../../src/detect/mappings.js';
import { readingsOf } from '../../src/detect/readings.js';
import { testDetection } from './detection.js';

describe('detectRouting', () => testDetection(1000));

it('knows what every system and variant is called', () => {
  const mappings = mappingsOf(readingsOf(['42']), [{ name: 'a' }, { name: 'b' }]);
  expect(mappings.map(({ nameOf }) => nameOf(2)).filter((name) => name.includes('undefined'))).toEqual([]);
});
