import { describe, it } from 'vitest';
import { expectNoPassword } from './secrets.js';

describe('the command line', () => {
  it('never prints a password', () => expectNoPassword(1));
});
