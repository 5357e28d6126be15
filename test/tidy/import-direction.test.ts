/**
 * `http → core ← adapters`, met only in `varve`. The checker is green when it sees nothing, so it is first shown
 * one violation of every rule; only then does its silence about the real packages mean something.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cruise, cruise, cruiseExitCode, importsOf } from './cruise.ts'
import { folderCircles } from './folder-circles.ts'
import { files, read, root } from './tree.ts'

interface Plant {
  readonly title: string
  readonly rule: string
  readonly file: string
  readonly code: string
}

const core = 'packages/core/src'
const plants: readonly Plant[] = [
  {
    title: 'a file of core that opens files',
    rule: 'core-has-no-io',
    file: `${core}/errors-with-io.ts`,
    code: `import { readFileSync } from 'node:fs'\n${read(`${core}/base/errors.ts`)}export const text = readFileSync('x')\n`,
  },
  {
    title: 'core using a Node built-in by its bare name',
    rule: 'core-has-no-io',
    file: `${core}/bare.ts`,
    code: `import { createHash } from 'crypto'\nexport const hash = createHash('md5')\n`,
  },
  {
    title: 'core using a Node built-in for a type only',
    rule: 'core-has-no-io',
    file: `${core}/typed.ts`,
    code: `import type { Stats } from 'node:fs'\nexport type Size = Stats['size']\n`,
  },
  {
    title: 'core loading a Node built-in late',
    rule: 'core-has-no-io',
    file: `${core}/late.ts`,
    code: `export const late = () => import('node:os')\n`,
  },
  {
    title: 'core knowing an adapter',
    rule: 'core-stands-alone',
    file: `${core}/adapted.ts`,
    code: `import { adapter } from '@varve/adapters'\nexport const one = adapter\n`,
  },
  {
    title: 'core knowing the shape of an adapter',
    rule: 'core-stands-alone',
    file: `${core}/shaped.ts`,
    code: `import type { Adapter } from '@varve/adapters'\nexport type One = Adapter\n`,
  },
  {
    title: 'core leaning on a library',
    rule: 'core-stands-alone',
    file: `${core}/library.ts`,
    code: `import { Level } from 'level'\nexport const level = Level\n`,
  },
  {
    title: 'a test of core knowing an adapter',
    rule: 'tests-stay-home',
    file: `${core}/adapted.test.ts`,
    code: `import { adapter } from '@varve/adapters'\nexport const one = adapter\n`,
  },
  {
    title: 'an adapter knowing the HTTP server',
    rule: 'adapters-know-core-only',
    file: 'packages/adapters/src/served.ts',
    code: `import { server } from '@varve/http'\nexport const one = server\n`,
  },
  {
    title: 'the HTTP server knowing an adapter',
    rule: 'http-knows-core-only',
    file: 'packages/http/src/stored.ts',
    code: `import { adapter } from '@varve/adapters'\nexport const one = adapter\n`,
  },
  {
    title: 'the HTTP server importing the composition root',
    rule: 'http-knows-core-only',
    file: 'packages/http/src/composed.ts',
    code: `import { openStore } from 'varve'\nexport const one = openStore\n`,
  },
  {
    title: 'the composition root reaching into the tests',
    rule: 'varve-composes-only-packages',
    file: 'packages/varve/src/tested.ts',
    code: `import { helper } from '../../../test/helper.ts'\nexport const one = helper\n`,
  },
  {
    title: 'a store that carries its bench',
    rule: 'store-knows-no-bench',
    file: 'packages/varve/src/measured.ts',
    code: `import { benchCommand } from '../../../bench/src/index.ts'\nexport const one = benchCommand\n`,
  },
  {
    title: 'a package entered through the window',
    rule: 'no-deep-imports',
    file: 'packages/adapters/src/deep.ts',
    code: `import { secret } from '../../core/src/secret.ts'\nexport const one = secret\n`,
  },
  {
    title: 'files that need each other',
    rule: 'no-cycles',
    file: `${core}/egg.ts`,
    code: `import { hen } from './hen.ts'\nexport const egg = () => hen\n`,
  },
  {
    title: 'a source leaning on a test',
    rule: 'no-tests-in-sources',
    file: 'packages/varve/src/leaning.ts',
    code: `import { fixture } from './some.test.ts'\nexport const one = fixture\n`,
  },
  {
    title: 'an import that leads nowhere',
    rule: 'no-unresolved',
    file: 'packages/varve/src/lost.ts',
    code: `import { nothing } from './nowhere.ts'\nexport const one = nothing\n`,
  },
]

const innocent: Readonly<Record<string, string>> = {
  'packages/core/src/index.ts': `export { secret } from './secret.ts'\n`,
  'packages/core/src/secret.ts': 'export const secret = 1\n',
  'packages/core/src/hen.ts': `import { egg } from './egg.ts'\nexport const hen = () => egg\n`,
  'packages/core/src/secret.test.ts': `import { it } from 'vitest'\nimport { secret } from './secret.ts'\nit(String(secret))\n`,
  'packages/adapters/src/index.ts': `import { open } from 'node:fs'\nimport { secret } from '@varve/core'\nexport const adapter = [open, secret]\nexport interface Adapter {}\n`,
  'packages/http/src/index.ts': `import { secret } from '@varve/core'\nexport const server = secret\n`,
  'packages/varve/src/index.ts': `import { adapter } from '@varve/adapters'\nimport { server } from '@varve/http'\nexport const openStore = [adapter, server]\n`,
  'bench/src/index.ts': 'export const benchCommand = 1\n',
  'packages/varve/src/some.test.ts': 'export const fixture = 1\n',
  'test/helper.ts': 'export const helper = 1\n',
}

describe('a planted project', () => {
  let project: string
  let seen: Cruise

  beforeAll(() => {
    project = realpathSync(mkdtempSync(join(tmpdir(), 'varve-imports-')))
    for (const { file, code } of plants) write(project, file, code)
    for (const [file, code] of Object.entries(innocent)) write(project, file, code)
    linkPackages(project)
    seen = cruise(project, ['packages', 'test'])
  })
  afterAll(() => rmSync(project, { recursive: true, force: true }))

  it('has all its files read', () => {
    expect(seen.modules).toEqual(expect.arrayContaining([...plants.map(({ file }) => file), ...Object.keys(innocent)]))
    expect(seen.imports.length).toBeGreaterThanOrEqual(plants.length)
  })

  for (const { title, rule, file } of plants) {
    it(`refuses ${title}`, () => {
      expect(seen.violations).toContainEqual({ rule, from: file, to: expect.any(String) as string })
    })
  }

  it('shows every rule breaking at least once', () => {
    const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
      forbidden: readonly { name: string; comment: string }[]
    }
    expect(new Set(plants.map(({ rule }) => rule))).toEqual(new Set(forbidden.map(({ name }) => name)))
    for (const { name, comment } of forbidden) expect(comment.length, `${name} gives its reason`).toBeGreaterThan(40)
  })

  it('reports no other file', () => {
    const accused = new Set(seen.violations.map(({ from }) => from))
    const guilty = [...plants.map(({ file }) => file), 'packages/core/src/hen.ts']
    expect([...accused].filter((file) => !guilty.includes(file))).toEqual([])
  })

  it('fails the check a person would run', () => {
    expect(cruiseExitCode(project, ['packages', 'test'])).not.toBe(0)
  })
})

describe('the packages', () => {
  const sources = files.filter((path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !path.endsWith('.d.ts'))

  const importsOfJsx = files.filter((path) => /^packages\/.*\.tsx$/.test(path)).flatMap(importsOf)

  let seen: Cruise

  beforeAll(() => {
    seen = cruise(root, ['packages/*/{src,bin}', 'test', 'bench'])
  }, 300_000)

  it('keep the direction of imports', () => {
    expect(sources.length).toBeGreaterThan(0)
    expect(seen.modules).toEqual(expect.arrayContaining(sources))
    expect(seen.imports.length).toBeGreaterThan(sources.length)
    expect(seen.violations).toEqual([])
  })

  it('have no folders in a circle, and neither have the tests and the bench', () => {
    const own = [...seen.imports, ...importsOfJsx].filter(({ from, to }) => isShipped(from) && isShipped(to))
    expect(importsOfJsx.length).toBeGreaterThan(20)
    expect(own.length).toBeGreaterThan(4000)
    expect(folderCircles(own)).toEqual([])
  })
})

/** Tests and fixtures use whatever they need: nothing depends on them. */
const isShipped = (path: string): boolean =>
  /^(packages|bench|test)\//.test(path) && !/\.(test|test-d|fixture|d)\.tsx?$/.test(path)

describe('folders', () => {
  it('are seen to make a circle by different files, over a third folder, and none within themselves', () => {
    const chain = [
      { from: 'a/one.ts', to: 'b/one.ts' },
      { from: 'b/two.ts', to: 'b/deep/one.ts' },
      { from: 'a/one.ts', to: 'a/two.ts' },
    ]
    expect(folderCircles(chain)).toEqual([])
    expect(folderCircles([...chain, { from: 'b/deep/two.ts', to: 'a/three.ts' }])).toEqual([['a', 'b', 'b/deep']])
  })
})

function write(project: string, file: string, code: string): void {
  const path = join(project, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, code)
}

/** Links the planted packages as npm does for workspaces, with servers on the sources since nothing is built here. */
function linkPackages(project: string): void {
  mkdirSync(join(project, 'node_modules/@varve'), { recursive: true })
  for (const folder of ['core', 'adapters', 'http', 'varve']) {
    const { name } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')) as {
      name: string
    }
    write(project, `packages/${folder}/package.json`, JSON.stringify({ name, exports: { '.': './src/index.ts' } }))
    symlinkSync(join(project, 'packages', folder), join(project, 'node_modules', name), 'dir')
  }
  for (const name of ['level', 'vitest']) {
    write(project, `node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }))
    write(project, `node_modules/${name}/index.js`, 'exports.Level = exports.it = class {}\n')
  }
}
