import { describe, it } from 'vitest';
import { expectSeenInPlaces } from './foreign.js';

describe('standard error has nothing that a terminal would obey or hide', () => {
  it('wherever the command line has it', () => expectSeenInPlaces(1));
});
