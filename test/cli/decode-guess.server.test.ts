import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';

const LABELLED: { id: string; service: string }[] = JSON.parse(readFileSync('test/vectors/labelled-ids.json', 'utf8'));

/** Ids that people have published. */
const idsOf = (service: string) => LABELLED.filter((one) => one.service === service).map(({ id }) => id);

const DISCORD = idsOf('discord');

describe('decode without --layout, as a process', () => {
  it('answers a writer that waits for what a thousand lines are', async () => {
    const some = DISCORD.slice(0, 200);
    const program = `(for i in 1 2 3 4 5; do printf '%s\\n' ${some.join(' ')}; done; while [ ! -s out ]; do sleep 0.1; done) |
      ${process.execPath} ${join(process.cwd(), 'dist/cli.js')} decode > out`;
    execFileSync('bash', ['-c', program], { cwd: temporaryFolder(), timeout: 30_000, stdio: 'pipe' });
  });

  it('does not wait for a writer when it has failed', () => {
    const program = `(echo x; while [ ! -e done ]; do sleep 0.1; done) | head -c 100000 |
      (${process.execPath} ${join(process.cwd(), 'dist/cli.js')} decode ids -; touch done)`;
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'ids'), `${DISCORD.join('\n')}\nx\n`);
    execFileSync('bash', ['-c', program], { cwd: folder, timeout: 30_000, stdio: 'pipe' });
  });
});
