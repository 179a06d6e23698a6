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

const limits = {
  pool: 'threads' as const,
  // Only what hangs takes so long: a machine that others use too may need several times what an idle one does.
  testTimeout: isExisting ? 600_000 : 60_000,
  hookTimeout: isExisting ? 120_000 : 60_000,
  // Sources are compiled as they load, by another thread: a plane cannot know that it waits for that.
  env: { PINTLE_TEST_PATIENCE: isExisting ? '90s' : '40s' },
};

const SHARED_TESTS = 'tests/{client,controllers,explore,generate,operator}/**';
const MACHINERY = 'packages/machinery/src/**/*.test.ts';

/**
 * Whole products at work, with processes, terminals and browsers; and what measures stacks and memory. Each file has a thread
 * and its modules for itself.
 */
const isolated = {
  ...common,
  test: { ...limits, name: 'isolated', include: ['tests/**/*.test.ts', MACHINERY], exclude: [SHARED_TESTS] },
};

/**
 * All other files share a thread's modules: loading them for each file took a third of the time. What a test changes of them
 * it puts back.
 */
const shared = {
  ...common,
  test: {
    ...limits,
    name: 'shared',
    include: ['packages/*/src/**/*.test.ts', 'examples/*/src/**/*.test.ts', `${SHARED_TESTS}/*.test.ts`],
    exclude: [MACHINERY],
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
};

export default defineConfig({
  ...common,
  test: {
    // Many tests wait for processes of their own: by default one processor would be left idle.
    maxWorkers: availableParallelism(),
    projects: [isolated, shared],
  },
});
