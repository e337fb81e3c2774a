import { sweep } from './parts.js';
import { placedCases } from './placed-cases.js';

placedCases(sweep);
