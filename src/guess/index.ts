// Guesses which service ids come from, for the command line and the inspector.

export { namedNumber, OTHER, textFormatOf } from './numbers.js';
export { datesIn, type Guess, guess, type NumberReading, periodOf, type ServiceGuess } from './rank.js';
export { ROUNDING, roundedDates, roundedIn, roundedRange, roundedWords } from './rounded.js';
export { SERVICES, type Service } from './services.js';
export { AHEAD_MS, type Clues, type DatesBeside } from './weigh.js';
