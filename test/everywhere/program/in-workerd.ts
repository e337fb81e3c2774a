import core from 'shardbits/core.wasm';
import { portable } from './portable.js';

export default {
  fetch: async (): Promise<Response> => Response.json(await portable('', () => core)),
};
