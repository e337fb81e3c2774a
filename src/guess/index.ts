// Guesses which service ids come from, for the command line and the inspector.

export { datesIn } from './dates-beside.js';
export { type Clues, type DatesBeside, type Misfit, type Reading, rankServices } from './rank.js';
export { SERVICES, type Service } from './services.js';
