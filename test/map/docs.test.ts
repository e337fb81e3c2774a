import { testExamples } from '../support/examples.js';

testExamples('docs/shard-map.md', {
  shardbits: () => import('../../src/index.js'),
  'shardbits/map': () => import('../../src/map/index.js'),
  'shardbits/registry': () => import('../../src/registry/index.js'),
});
