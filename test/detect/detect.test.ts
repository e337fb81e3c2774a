import { describe } from 'vitest';
import { testDetection } from './detection.js';

describe('detectRouting', () => testDetection(1000));
