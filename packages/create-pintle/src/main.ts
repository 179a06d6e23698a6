#!/usr/bin/env node
// Runs `pintle init` with the same arguments, for users who have no pintle yet.
process.argv.splice(2, 0, 'init');
await import('@pintle/cli/main');

export {};
