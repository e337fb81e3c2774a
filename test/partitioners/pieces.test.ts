import { PIECES, SOME, testPieces } from './rows-about-pieces.js';

// One variant of each system, and the pieces of UTF-16 and UTF-8.
const first = SOME.filter((one) => SOME.find(({ system }) => system === one.system) === one);
testPieces(first, PIECES.slice(0, 1));
testPieces(
  first.filter(({ system }) => system === 'kafka'),
  PIECES.slice(2),
);
