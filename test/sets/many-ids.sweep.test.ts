import { describe } from 'vitest';
import { testManyIds } from './many-ids.js';

describe('many ids', () => testManyIds(1_000_000));
