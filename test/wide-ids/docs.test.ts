import { testExamples } from '../support/examples.js';

testExamples('docs/wide-ids.md', {
  'shardbits/wide-ids': () => import('../../src/wide-ids/index.js'),
});
