/** What the command line tells of systems. The build makes data of it, so that no command loads their hashes to list them. */
export { KEY_KINDS, systems } from '../../partitioners/index.js';
