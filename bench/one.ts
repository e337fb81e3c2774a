import { bitFields } from './areas/layouts.js';
import { singleValues } from './areas/single-values.js';
import { run } from './run.js';

await run([singleValues], { rows: 2_000_000, rounds: 5 });
