import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { recording } from './recording.js';

const PICTURE = 'docs/pictures/command-line.svg';

// UPDATE=1 npx vitest run --project node test/docs/recording draws it anew.
it('the recording shows commands of README.md and what they write', () => {
  const drawn = recording(readFileSync('README.md', 'utf8'));
  if (process.env.UPDATE) writeFileSync(PICTURE, drawn);
  expect(readFileSync(PICTURE, 'utf8')).toBe(drawn);
  expect(drawn.length).toBeLessThan(20_000);
});
