import { describe, it } from 'vitest';
import { layouts } from '../../../src/index.js';
import { expectSameValues } from './decoded.js';

describe('decode of Parquet gives the values of decode', () => {
  it.each(Object.entries(layouts))('of the layout %s', (name, layout) => expectSameValues(name, layout));
});
