import { planKeys } from '../../src/inspector/decode/keys/plan.js';
import { keyListOf } from '../../src/inspector/decode/keys/read.js';
import { type PlanSettings, routingsOf } from '../../src/inspector/decode/keys/routing.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';

export const KEYS = Array.from({ length: 3000 }, (_, i) => `user:${i}`);
export const LIST = keyListOf(KEYS);

export const plan = (changes: Partial<PlanSettings>, keys = LIST) =>
  planKeys(keys, routingsOf({ ...DEFAULTS, ...changes })).plan;

export function movesOf(changes: Partial<PlanSettings>) {
  const { moves, next } = plan(changes);
  if (moves === undefined || typeof next === 'string') throw new Error(`no plan: ${next}`);
  return moves;
}

/** The last line of the command for some settings; '' if there is none. */
export const COMMANDS: readonly (readonly [changes: Partial<PlanSettings>, last: string])[] = [
  [{ n: '16', toN: '20' }, 'shardbits plan keys.txt --from 16 --to 20'],
  [{ by: 'modulo', seed: '-7', toN: '20' }, 'shardbits plan keys.txt --from 16 --to 20 --strategy modulo --seed=-7'],
  [{ by: 'kafka', n: '12' }, 'shardbits plan keys.txt --as kafka --from 12 --to 15'],
  [{ by: 'redis', toBy: 'jump', toN: '64' }, 'shardbits plan keys.txt --as redis --to-router 64'],
  [
    { by: 'kafka', n: '12', toBy: 'fastrange' },
    'shardbits plan keys.txt --as kafka --from 12 --to-router 12 --strategy fastrange',
  ],
  [{ nodes: 'a,b:2,c', toNodes: 'a:3,b:2,d' }, 'shardbits plan keys.txt --from-map map.json --to-map map-2.json'],
  [
    { by: 'nginx', nodes: 'a:80:1, b:80:2', toNodes: 'b:80:2, c d' },
    '', // no file of servers can have this name
  ],
  [
    { by: 'ketama', nodes: "a'1, b:2", toNodes: 'b:2, c' },
    'shardbits plan keys.txt --as ketama --servers servers.txt --to-servers servers-2.txt',
  ],
  [
    { by: 'ketama:plain', nodes: 'a, b', toBy: 'jump', toN: '8' },
    'shardbits plan keys.txt --as ketama:plain --servers servers.txt --to-map map.json',
  ],
  [{ down: '3' }, ''],
  [{ toSeed: '3' }, ''],
  [{ by: 'jump', toBy: 'kafka' }, ''],
  [{ nodes: 'a', toN: '20' }, ''],
  [{ by: 'cassandra' }, ''],
];
