import { BYTES, longBytes, longTexts } from '../vectors/hash-edges.js';
import { testEdges } from './edges.js';

// Long keys, and rows that fill a piece in which columns cross to WebAssembly, or nearly, or are longer and go another way.
testEdges({ lengths: BYTES, pieces: longBytes(), textPieces: { letters: longTexts() } });
