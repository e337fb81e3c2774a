import { onBothBackends } from '../support/backends.js';
import { testRows } from './rows-of-tables.js';

onBothBackends('rows of a table', () => testRows(5000));
