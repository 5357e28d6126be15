/** The packages that are published, and what each one contains. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * `inlines`: packages whose code and types become part of this one. `programs`: modules that are started by path, as `from`
 * in the build and `to` in the published `dist`. `copies`: folders of the repository, and where in `dist` they lie.
 */
const contents = {
  '@varve/core': { folder: 'packages/core', inlines: [], programs: [] },
  '@varve/adapters': { folder: 'packages/adapters', inlines: [], programs: [] },
  '@varve/http': { folder: 'packages/http', inlines: [], programs: [] },
  varve: {
    folder: 'packages/varve',
    inlines: ['@varve/core', '@varve/adapters', '@varve/http'],
    programs: [
      { from: 'cli/main', to: 'cli' },
      { from: 'workers/worker-main', to: 'worker-main' },
    ],
    copies: [{ from: 'packages/console/dist', to: 'console' }],
  },
}

/** Published as they are built: a program, which nobody bundles or requires, and files for browsers. */
const asBuilt = { '@varve/bench': { folder: 'bench' }, '@varve/console': { folder: 'packages/console' } }

export const bundled = Object.entries(contents).map(([name, content]) => described(name, content))
export const built = Object.entries(asBuilt).map(([name, content]) => described(name, content))

export const bundledByName = new Map(bundled.map((one) => [one.name, one]))

/** A package with its manifest, and its entry points: the subpath (`.`, `./http`) and the module without its ending. */
function described(name, { folder, inlines = [], programs = [], copies = [] }) {
  const home = join(root, folder)
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
    typeof target === 'string' ? [] : [{ subpath, module: target.default.replace(/^\.\/dist\/(.*)\.js$/, '$1') }],
  )
  const copied = copies.map(({ from, to }) => ({ from: join(root, from), to }))
  return { name, home, dist: join(home, 'dist'), manifest, entries, inlines, programs, copies: copied }
}
