import { describe } from 'vitest';
import { swept } from '../support/scale.js';
import { testChunks } from './chunk-outcomes.js';

describe('chunks of a few bytes give what one thread does', () => testChunks(swept(4000)));
