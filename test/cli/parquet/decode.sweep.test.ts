import { describe, it } from 'vitest';
import { layouts } from '../../../src/index.js';
import { decodeCases } from './decode-cases.js';
import { expectSameValues } from './decoded.js';
import { sweep } from './parts.js';

decodeCases(sweep);

describe('decode of Parquet gives the values of decode', () => {
  it.each(Object.entries(layouts))('of the layout %s', (name, layout) => expectSameValues(name, layout));
});
