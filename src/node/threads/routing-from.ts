import { partitionerFrom } from '../../partitioners/index.js';
import { Router } from '../../routing/router.js';
import type { Routing } from '../../routing/routing.js';

/** Makes a Router or a partitioner from its JSON, in another thread. */
export function routingFrom(json: object): Routing {
  return 'system' in json ? partitionerFrom(json) : Router.from(json);
}
