import { mkdirSync, statfsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { timesPath } from './scripts/check-times.mjs'
import { planting } from './test/planting/planting.ts'
import { LongestFirst } from './test/support/longest-first.ts'
import { longTests, longTestsAlone } from './test/support/long-tests.ts'
import { TimesReporter } from './test/support/processor-time/times-reporter.ts'

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
/** Fast tests that need a process of their own: they measure it, limit it, mock a module, or set its environment. */
const fastAlone = ['packages/adapters/src/store-directory/closing.test.ts']

/** Where CI wants vitest's report of a run. */
const reportPath = process.env['VARVE_TEST_REPORT']
const jsonReport = reportPath === undefined ? [] : [['json', { outputFile: reportPath }] as [string, object]]

interface Tier {
  readonly name: string
  readonly include: readonly string[]
  /** Files that need a process of their own. The others leave nothing behind and share their modules: loading them takes longer than most files. */
  readonly alone: readonly string[]
  readonly exclude?: readonly string[]
  readonly globalSetup?: readonly string[]
}

const tier = ({ name, include, alone, exclude = [], globalSetup = [] }: Tier) => {
  const common = { globalSetup: [...globalSetup] }
  const shared = { name, include: [...include], exclude: [...never, ...alone, ...exclude], isolate: false }
  return [
    { extends: true as const, test: { ...common, ...shared } },
    { extends: true as const, test: { ...common, name: `${name}-alone`, include: [...alone] } },
  ]
}

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
      ...tier({ name: 'fast', include: all, alone: fastAlone, exclude: [...longTests, ...longTestsAlone] }),
      ...tier({
        name: 'long',
        include: longTests,
        alone: longTestsAlone,
        globalSetup: ['test/support/installed-tools.ts'],
      }),
    ],
    reporters: ['default', new TimesReporter(timesPath), ...jsonReport],
    runner: './test/support/processor-time/runner.ts',
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // Two more than the processors of a small machine: many tests wait for disks, timers and other processes.
    maxWorkers: 4,
    // No promise is about time: a test that takes so long hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    // What a test waits for may take long on a machine that has other work.
    expect: { poll: { timeout: 30_000 } },
    allowOnly: false,
    passWithNoTests: false,
  },
})
