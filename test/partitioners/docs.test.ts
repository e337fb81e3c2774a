import { testExamples } from '../support/examples.js';

testExamples('docs/partitioners.md', {
  shardbits: () => import('../../src/index.js'),
  'shardbits/partitioners': () => import('../../src/partitioners/index.js'),
  'shardbits/registry': () => import('../../src/registry/index.js'),
});
