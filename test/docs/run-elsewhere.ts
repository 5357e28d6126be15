/** Blocks that tests of other files run or compare. */

interface RunBlock {
  readonly page: string
  /** The language of the block, and how it begins. */
  readonly starts: string
  readonly by: string
}

const recipes = [
  'app/app.mjs',
  'esbuild/build.mjs',
  'vite/vite.config.mjs',
  'rollup/rollup.config.mjs',
  'webpack/webpack.config.cjs',
]
const tested = ['jest/store.test.cjs', 'jest/store.test.mjs', 'vitest/store.test.mjs', 'electron/store-process.cjs']

export const runElsewhere: readonly RunBlock[] = [
  ...[...recipes, ...tested].map((file) => ({
    page: 'docs/bundling.md',
    starts: `js [${file}]\n`,
    by: 'test/package',
  })),
  ...['jest/jest.config.json', 'electron/electron-builder.json'].map((file) => ({
    page: 'docs/bundling.md',
    starts: `json [${file}]\n`,
    by: 'test/package',
  })),
  { page: 'docs/bench.md', starts: 'json\n{', by: 'test/docs/bench.test.ts' },
  { page: 'docs/bench.md', starts: 'json\n[', by: 'test/docs/bench.test.ts' },
  { page: 'docs/configuration.md', starts: 'toml\n', by: 'test/docs/commands.test.ts' },
  { page: 'docs/observing.md', starts: 'yaml\n', by: 'test/deploy/files.test.ts' },
  { page: 'docs/testing.md', starts: 'js\nimport { test as base }', by: 'test/docs/test-kit.test.ts' },
  { page: 'docs/testing.md', starts: 'js\nlet s3, client', by: 'test/docs/test-kit.test.ts' },
  ...['localstack', 'miniflare', 'minio', 's3rver'].map((from) => ({
    page: `docs/testing-from-${from}.md`,
    starts: 'js\n// after',
    by: 'test/docs/test-kit.test.ts',
  })),
  { page: 'docs/testing-from-minio.md', starts: 'js\nimport { Client }', by: 'test/docs/test-kit.test.ts' },
]
