import { bitFields } from './areas/layouts.js';
import { run } from './run.js';

await run([bitFields], { rows: 4_000_000, rounds: 5 });
