import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests run on the sources: the `pintle:source` condition resolves every @pintle package to its TypeScript files.
const conditions = ['pintle:source', 'module', 'node', 'development|production'];

// A cluster that is there works in its own time, and planes take turns on it.
const isExisting = process.env.USE_EXISTING_CLUSTER === 'true';

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['node'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'examples/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    pool: 'threads',
    // Many tests wait for processes of their own: by default one processor would be left idle.
    maxWorkers: availableParallelism(),
    // Only what hangs takes so long: a machine that others use too may need several times what an idle one does.
    testTimeout: isExisting ? 600_000 : 60_000,
    hookTimeout: isExisting ? 120_000 : 60_000,
    // Sources are compiled as they load, by another thread: a plane cannot know that it waits for that.
    env: { PINTLE_TEST_PATIENCE: isExisting ? '90s' : '40s' },
  },
});
