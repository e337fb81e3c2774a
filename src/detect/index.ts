/**
 * Tell from keys and their shards which mapping placed them.
 * @module shardbits/detect
 */

export { type Candidate, type Detection, type DetectOptions, detectRouting } from './detect.js';
