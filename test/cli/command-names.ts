/** All commands, in the order of the help, and the subcommands of those that have some. */
export const COMMANDS = [
  'route',
  'plan',
  'detect',
  'audit',
  'map',
  'hash',
  'decode',
  'encode',
  'mint',
  'inspect',
  'intern',
  'leases',
  'store',
  'sql',
  'vectors',
  'demo',
  'completion',
  'help',
];
export const MAP_COMMANDS = ['create', 'change', 'moves', 'show', 'publish', 'get', 'history', 'rollback'];
export const STORE_COMMANDS = ['check', 'backup', 'restore', 'move', 'copy', 'ddl', 'skip-ahead', 'log'];
