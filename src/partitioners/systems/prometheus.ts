import { joined, separatedBy } from '../columns.js';
import { ofBytes } from '../hash.js';
import { byStrategy, systemOfCount } from '../system.js';

export interface PrometheusOptions {
  /** The `modulus` of the relabeling, 1 to 2^31 - 1. */
  modulus: number;
}

const SEMICOLON = 0x3b;

/**
 * The action `hashmod` of a relabeling in Prometheus. Several columns are source labels, which are joined by a semicolon, the
 * usual `separator`. NULL is a label that a target does not have, which is empty.
 * Source: prometheus/prometheus `model/relabel/relabel.go`.
 */
export const prometheus = /* @__PURE__ */ systemOfCount(
  'modulus',
  (modulus) => ({
    hashers: { text: ofBytes('md5Low') },
    columns: joined('md5Low', separatedBy(SEMICOLON), true),
    tokens: 'u64',
    toShard: byStrategy('modulo', modulus),
  }),
  { noun: 'remainder' },
);
