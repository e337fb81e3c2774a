import { onBothBackends } from '../support/backends.js';
import { placesLines, plansLines } from './partitioned-lines.js';

const ROWS = 17_000; // more than a batch has

onBothBackends('keys in files go where a partitioner places them', () => {
  placesLines(ROWS);
});

onBothBackends('plans over lines', () => {
  plansLines(ROWS);
});
