import { planKeys } from '../../src/inspector/decode/keys/plan.js';
import { keyListOf } from '../../src/inspector/decode/keys/read.js';
import { isRing, keysIn, type PlanSettings, routingsOf } from '../../src/inspector/decode/keys/routing.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';

export const serversOf = (n: number) => Array.from({ length: n }, (_, i) => ({ name: `10.0.0.${i + 1}:11211` }));

const typed = (n: number) =>
  serversOf(n)
    .map(({ name }) => name)
    .join(', ');

/** As many servers as shards for systems that have servers, and one more for Then. */
export function withServers(settings: Partial<PlanSettings>, n = 12): PlanSettings {
  const nodes = isRing(settings.by ?? '') ? { nodes: typed(n), toNodes: typed(n + 1) } : {};
  return { ...DEFAULTS, ...nodes, ...settings };
}

/** Keys as the page routes them, with figures alone. */
export function routeKeys(text: string, settings: Partial<PlanSettings>) {
  const { now, next, moves, ...plan } = planKeys(keyListOf(keysIn(text)), routingsOf(withServers(settings))).plan;
  const { balance, bars, shards } = now;
  return {
    keys: plan.keys,
    shards,
    some: plan.some.map((row) => [row.key, row.now, row.next] as const),
    balance: balance && {
      fullest: balance.fullest,
      most: balance.most,
      emptiest: balance.emptiest,
      least: balance.least,
      maxToMean: balance.ratio,
      empty: balance.empty,
    },
    barWidth: plan.barWidth,
    bars,
    moves:
      moves === undefined || typeof next === 'string'
        ? String(next)
        : { moved: moves.moved, ideal: moves.ideal, flows: moves.flows, bars: next.bars },
  };
}
