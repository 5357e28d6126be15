import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { planting } from './test/planting/planting.ts'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Tests run on the sources, so a failing line is the line you wrote; the packed tarballs have a test of their own
 * (`test/package`). Types are checked by `tsc -b`, which also reads the tests: vitest need not do it again.
 */
export default defineConfig({
  plugins: [planting()],
  resolve: {
    alias: [
      { find: /^@varve\/core\/contracts$/, replacement: source('packages/core/src/contracts/index.ts') },
      { find: /^@varve\/core\/model$/, replacement: source('packages/core/src/model/index.ts') },
      { find: /^@varve\/core\/ports$/, replacement: source('packages/core/src/ports/index.ts') },
      { find: /^@varve\/core$/, replacement: source('packages/core/src/index.ts') },
      { find: /^@varve\/adapters$/, replacement: source('packages/adapters/src/index.ts') },
      { find: /^@varve\/http$/, replacement: source('packages/http/src/index.ts') },
      { find: /^varve\/http$/, replacement: source('packages/varve/src/http.ts') },
      { find: /^varve$/, replacement: source('packages/varve/src/index.ts') },
      { find: /^#bench\/(.*)$/, replacement: source('bench/src/$1.ts') },
      // Parsers are nobody's to import, so fuzzers reach them by a name that only exists here and in test/tsconfig.json.
      { find: /^#(core|http|varve)\/(.*)$/, replacement: source('packages/$1/src/$2.ts') },
    ],
  },
  test: {
    exclude: ['**/node_modules/**', '**/dist/**'],
    projects: [
      // Nothing in these outlives its test: they share their modules, which takes a third of the time.
      { extends: true, test: { name: 'unit', include: ['packages/{core,http}/src/**/*.test.ts'], isolate: false } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['packages/{adapters,varve}/src/**/*.test.ts', 'bench/src/**/*.test.ts', 'test/**/*.test.ts'],
        },
      },
    ],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    allowOnly: false,
    passWithNoTests: false,
  },
})
