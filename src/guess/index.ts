// Guesses which service ids come from, for the command line and the inspector.

export { ROUNDING, roundedIn, textFormatOf } from './numbers.js';
export { type Clues, type DatesBeside, datesIn, type Guess, guess, type NumberReading, type ServiceGuess } from './rank.js';
export { SERVICES, type Service } from './services.js';
