import { onBothBackends } from '../support/backends.js';
import { wherePiecesEnd } from './piece-ends.js';

onBothBackends('a string is hashed as its UTF-8 bytes', () => {
  wherePiecesEnd();
});
