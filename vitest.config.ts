import { mkdirSync, statfsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { planting } from './test/planting/planting.ts'
import { LongestFirst } from './test/support/longest-first.ts'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const scratch = '/dev/shm/varve-tests'
const scratchMin = 4 * 1024 ** 3

/** No test needs its files after a power cut, and memory makes and removes directories faster than a disk. */
function scratchInMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize < scratchMin) return undefined
    mkdirSync(scratch, { recursive: true })
    return scratch
  } catch {
    return undefined
  }
}

// Workers and the processes that tests start inherit it.
const inMemory = scratchInMemory()
if (inMemory !== undefined) process.env['TMPDIR'] ??= inMemory

const all = ['{packages,bench,test}/**/*.test.ts']
const never = ['**/node_modules/**', '**/dist/**']
/** Tests that need a process of their own: they measure it, limit it, mock a module, or set its environment. */
const alone = [
  'packages/adapters/src/store-directory/closing.test.ts',
  'test/acceptance/workers.test.ts',
  'test/{attacks,bounds,faults,soak}/**/*.test.ts',
  'test/hostile/slow/*.test.ts',
]

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
      { find: /^@varve\/adapters\/postgres$/, replacement: source('packages/adapters/src/postgres.ts') },
      { find: /^@varve\/adapters\/s3$/, replacement: source('packages/adapters/src/s3.ts') },
      { find: /^@varve\/http$/, replacement: source('packages/http/src/index.ts') },
      { find: /^varve\/http$/, replacement: source('packages/varve/src/http.ts') },
      { find: /^varve\/testing$/, replacement: source('packages/varve/src/testing.ts') },
      { find: /^varve$/, replacement: source('packages/varve/src/index.ts') },
      { find: /^#bench\/(.*)$/, replacement: source('bench/src/$1.ts') },
      // Parsers are nobody's to import, so fuzzers reach them by a name that only exists here and in test/tsconfig.json.
      { find: /^#(adapters|core|http|varve)\/(.*)$/, replacement: source('packages/$1/src/$2.ts') },
    ],
  },
  test: {
    exclude: never,
    globalSetup: 'test/support/bundled-command.ts',
    projects: [
      // Nothing of these outlives its test, so they share their modules: loading them for each file took longer than most files.
      { extends: true, test: { name: 'shared', include: all, exclude: [...never, ...alone], isolate: false } },
      { extends: true, test: { name: 'alone', include: alone } },
    ],
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // Two more than the processors of a small machine: many tests wait for disks, timers and other processes.
    maxWorkers: 4,
    // No promise is about time: a test that takes so long hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    allowOnly: false,
    passWithNoTests: false,
  },
})
