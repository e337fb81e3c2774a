import { existsSync, linkSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalPath } from '../../src/registry/stores/shared/paths.js';
import { temporaryFolder } from '../support/cli.js';

describe('a file with hard links', () => {
  it.each([
    'ids.db.old',
    'ids.db.0a1b2c',
    'ids.db-0a1b2c.tmp',
    'other.db.0a1b2c.tmp',
    'ids.db.backup.tmp',
  ])('is refused, and the link stays: %s', (name) => {
    const folder = realpathSync(temporaryFolder());
    const [path, link] = [join(folder, 'ids.db'), join(folder, name)];
    writeFileSync(path, 'contents');
    linkSync(path, link);
    expect(() => canonicalPath(path)).toThrow('the file has 2 hard links');
    expect(existsSync(link)).toBe(true);
  });

  it('that are left from making it loses them', () => {
    const folder = realpathSync(temporaryFolder());
    const [path, link] = [join(folder, 'ids.db'), join(folder, 'ids.db.0a1b2c.tmp')];
    writeFileSync(path, 'contents');
    linkSync(path, link);
    expect(canonicalPath(path)).toBe(path);
    expect(existsSync(link)).toBe(false);
  });
});
