/**
 * Apache Arrow vectors: routed, hashed and unpacked as they are.
 * @module shardbits/arrow
 */

export { type ArrowData, type ArrowType, type ArrowVector, chunksOf, type KeyChunk } from './chunks.js';
export { routeVector, type UnpackedVectors, unpackVector, xxh64Vector } from './vectors.js';
