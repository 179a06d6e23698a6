#!/usr/bin/env node
// `create-pintle ARGUMENTS` is `pintle init ARGUMENTS`, for those who have no pintle yet.
process.argv.splice(2, 0, 'init');
await import('@pintle/cli/main');

export {};
