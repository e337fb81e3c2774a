import { PIECES, SOME, testPieces } from './rows-about-pieces.js';

testPieces(SOME, PIECES);
