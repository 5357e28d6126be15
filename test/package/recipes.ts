/** The recipes of docs/bundling.md: the files of `test/consumers`, and how they are run. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const here = createRequire(import.meta.url)

/** The folder of a tool that is installed here, or for a tool of this one. */
export function folderOf(tool: string, from: NodeJS.Require = here): string {
  const folder = (from.resolve.paths(tool) ?? []).map((path) => join(path, tool)).find((path) => existsSync(path))
  if (folder === undefined) throw new Error(`${tool} is not installed.`)
  return folder
}

/** Consumers find these as if they had installed them. */
export const tools: readonly string[] = [
  '@rollup/plugin-commonjs',
  '@rollup/plugin-node-resolve',
  'esbuild',
  'vitest',
  'webpack',
]

export interface Recipe {
  readonly title: string
  readonly folder: string
  /** Arguments of `node`, run in the folder, that write `app`. */
  readonly build: readonly string[]
  readonly app: string
}

const webpackOnce = `
  const { webpack } = require('webpack')
  webpack(require('./webpack.config.cjs'), (error, stats) => {
    if (error !== null) throw error
    const problems = stats.toString({ all: false, errors: true, warnings: true })
    if (problems !== '') throw new Error(problems)
  })
`

/** Bundles of `app.mjs`, which opens a store and serves it. */
export const recipes: readonly Recipe[] = [
  { title: 'esbuild', folder: 'esbuild', build: ['build.mjs'], app: 'out/app.cjs' },
  {
    title: 'Vite, for the server',
    folder: 'vite',
    build: [join(folderOf('vite'), 'bin/vite.js'), 'build', '--logLevel', 'warn'],
    app: 'out/app.mjs',
  },
  {
    title: 'Rollup',
    folder: 'rollup',
    build: [join(folderOf('rollup'), 'dist/bin/rollup'), '--config', 'rollup.config.mjs', '--silent'],
    app: 'out/app.mjs',
  },
  { title: 'webpack', folder: 'webpack', build: ['-e', webpackOnce], app: 'out/app.cjs' },
]

export const jest: string = join(folderOf('jest'), 'bin/jest.js')

const checker = createRequire(join(folderOf('@arethetypeswrong/core'), 'package.json'))
/** A compiler that still knows how modules were resolved before `exports`. */
export const olderCompiler: string = join(folderOf('typescript', checker), 'bin/tsc')
