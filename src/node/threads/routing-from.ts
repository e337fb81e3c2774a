import { partitionerFrom } from '../../partitioners/index.js';
import { Router } from '../../routing/router.js';
import type { Routing } from '../../routing/routing.js';

/** A Router or a partitioner as its JSON says, in another thread. */
export function routingFrom(json: object): Routing {
  return 'system' in json ? partitionerFrom(json) : Router.from(json);
}
