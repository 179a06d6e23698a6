import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests run on the sources: the `pintle:source` condition resolves every @pintle package to its TypeScript files.
const conditions = ['pintle:source', 'module', 'node', 'development|production'];

// A cluster that is there works in its own time, and planes take turns on it.
const isExisting = process.env.USE_EXISTING_CLUSTER === 'true';

const common = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['node'] } },
};

const timing = {
  // Only what hangs takes so long: a machine that others use too may need several times what an idle one does.
  testTimeout: isExisting ? 600_000 : 60_000,
  hookTimeout: isExisting ? 120_000 : 60_000,
  // Sources are compiled as they load, by another thread: a plane cannot know that it waits for that.
  env: { PINTLE_TEST_PATIENCE: isExisting ? '90s' : '40s' },
};

/** Whole products at work: processes, terminals, browsers. Each file has its modules, and what it changes, for itself. */
const products = {
  ...common,
  test: {
    ...timing,
    name: 'products',
    include: ['tests/**/*.test.ts'],
    exclude: ['tests/{client,controllers,explore,generate,operator}/**'],
  },
};

/**
 * All other files share the modules of their thread: loading them for each file took a third of the time. What a test
 * changes of them it puts back.
 */
const units = {
  ...common,
  test: {
    ...timing,
    name: 'units',
    include: [
      'packages/*/src/**/*.test.ts',
      'examples/*/src/**/*.test.ts',
      'tests/{client,controllers,explore,generate,operator}/**/*.test.ts',
    ],
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
};

export default defineConfig({
  ...common,
  test: {
    pool: 'threads',
    // Many tests wait for processes of their own: by default one processor would be left idle.
    maxWorkers: availableParallelism(),
    projects: [products, units],
  },
});
