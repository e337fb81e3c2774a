import { describe, it } from 'vitest';
import { sweep } from './parts.js';
import { expectRefusedWhereWritten } from './refused.js';
import { typesCases } from './types-cases.js';

typesCases(sweep);

describe('columns that DuckDB would change are refused', () => {
  it.each([
    ['decimal-39', 'v', 'DECIMAL(39,2)'],
    ['decimal-76', 'v', 'DECIMAL(76,10)'],
    ['nanoseconds-utc', 'v', 'INT64 Timestamp NANOS UTC'],
  ])('in every command that writes rows: %s', expectRefusedWhereWritten);
});
