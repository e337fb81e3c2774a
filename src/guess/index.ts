// Guesses which service ids come from, for the command line and the inspector.

export { type Clues, type DatesBeside, datesIn, type Misfit, type Reading, rankServices } from './rank.js';
export { SERVICES, type Service } from './services.js';
