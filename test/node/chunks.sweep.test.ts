import { describe } from 'vitest';
import { IS_WHOLE } from '../support/scale.js';
import { testChunks } from './chunk-outcomes.js';

describe('chunks of a few bytes give what one thread does', () => testChunks(IS_WHOLE ? 4000 : 100));
