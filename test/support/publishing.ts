import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { ShardMap } from '../../src/map/index.js';

/** What `publishing-process.mjs` wrote: the digests of maps by version, and the versions that each process saw. */
interface Published {
  readonly tried: Map<number, Map<string, string>>;
  readonly acknowledged: Map<number, string[]>;
  readonly seen: readonly (readonly (readonly [version: number, digest: string])[])[];
}

function readPublished(files: readonly string[]): Published {
  const tried: Published['tried'] = new Map();
  const acknowledged: Published['acknowledged'] = new Map();
  const seen = files.map((file) => {
    const saw: [number, string][] = [];
    // A last line without its newline was cut by the end of the process.
    for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []) {
      const [verb, number, digest, before] = line.split('\t') as [string, string, string, string];
      const version = Number(number);
      if (verb === 'saw') saw.push([version, digest]);
      else if (verb === 'published') acknowledged.set(version, [...(acknowledged.get(version) ?? []), digest]);
      else tried.set(version, (tried.get(version) ?? new Map()).set(digest, before));
    }
    return saw;
  });
  return { tried, acknowledged, seen };
}

/**
 * Expects that each version was published once, after the one before it, and that every process that watched saw each
 * version at most once, unchanged and in ascending order.
 * @param last the map in the store in the end
 * @returns the outcome, in words
 */
export function expectPublishedOnce(files: readonly string[], last: ShardMap): string {
  const { tried, acknowledged, seen } = readPublished(files);
  const digestOf = new Map<number, string>([
    [last.version, createHash('sha256').update(JSON.stringify(last)).digest('base64url')],
  ]);
  const faults: string[] = [];

  /** All reports of a version must be the same map, which a process tried to publish. */
  function expectDigest(version: number, digest: string, who: string): void {
    if ((digestOf.get(version) ?? digest) !== digest) faults.push(`version ${version} is another one for ${who}`);
    if (!tried.get(version)?.has(digest)) faults.push(`nobody tried to publish the version ${version} of ${who}`);
    digestOf.set(version, digest);
  }

  for (const [version, digests] of acknowledged) {
    if (digests.length > 1) faults.push(`version ${version} was acknowledged ${digests.length} times`);
    for (const digest of digests) expectDigest(version, digest, 'its publisher');
    if (version > last.version) faults.push(`version ${version} was lost`);
  }
  for (const [i, saw] of seen.entries()) {
    for (const [row, [version, digest]] of saw.entries()) {
      if (version <= (saw[row - 1]?.[0] ?? 0)) faults.push(`process ${i} saw version ${version} after a later one`);
      expectDigest(version, digest, `process ${i}`);
    }
  }
  for (const [version, digest] of digestOf) {
    const before = tried.get(version)?.get(digest);
    const expected = version === 1 ? 'none' : (digestOf.get(version - 1) ?? before);
    if (before !== expected) faults.push(`version ${version} was not made of the one before`);
  }
  expect(faults).toEqual([]);

  // A process that was killed may have published a map that was not acknowledged.
  const unknown = last.version - acknowledged.size;
  expect(unknown).toBeLessThanOrEqual(files.length);
  const sights = seen.reduce((sum, saw) => sum + saw.length, 0);
  expect(sights).toBeGreaterThan(last.version);
  return `${last.version} versions, ${unknown} of them not acknowledged; maps were seen ${sights} times`;
}
