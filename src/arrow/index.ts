/**
 * Route, hash and unpack Apache Arrow vectors, mostly without copies.
 * @module shardbits/arrow
 */

export { type ArrowData, type ArrowType, type ArrowVector, chunksOf, type KeyChunk } from './chunks.js';
export { routeVector, type UnpackedVectors, unpackVector, xxh64Vector } from './vectors.js';
