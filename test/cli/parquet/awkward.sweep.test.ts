import { describe, it } from 'vitest';
import { expectMisread, MISREAD } from './node-names.js';

describe('names of nodes in the directories of Hive', () => {
  it.each(MISREAD)('are refused if a reader takes them for another value: %s', expectMisread);
});
