import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests run on the sources: the `pintle:source` condition resolves every @pintle package to its TypeScript files.
const conditions = ['pintle:source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['node'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'examples/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    pool: 'threads',
    // Many tests wait for processes of their own: by default one processor would be left idle.
    maxWorkers: availableParallelism(),
    testTimeout: 30_000,
  },
});
