// Guesses which service ids come from, for the command line and the inspector.

export { type Clues, datesIn, type Guess, guess, type NumberReading, type Reading } from './rank.js';
export { ROUNDING, roundedIn } from './rounded.js';
export { SERVICES, type Service } from './services.js';
export { textFormatOf } from './texts.js';
