/** `npm run suite`: the long suites, by the names that the docs give them. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createFilter } from 'vite'
import { describe, expect, it } from 'vitest'
import { longTests, longTestsAlone } from '../support/long-tests.ts'
import { files, isPage, read, root } from './tree.ts'

interface Suite {
  readonly about: string
  readonly run: readonly string[]
}

const table = join(root, 'scripts/suites.mjs')
const { suites } = (await import(table)) as { readonly suites: Readonly<Record<string, Suite>> }
const names = Object.keys(suites)

const suite = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts/suite.mjs'), ...args], { encoding: 'utf8' })

describe('the suites', () => {
  it('are listed with a line each', () => {
    const { status, stdout } = suite()
    expect(status).toBe(0)
    expect(stdout.trim().split('\n')).toHaveLength(names.length)
    for (const [name, { about }] of Object.entries(suites)) {
      expect(stdout).toContain(`${name} `)
      expect(stdout).toContain(about)
    }
  })

  it('refuse a name that there is not, and list those there are', () => {
    const { status, stdout, stderr } = suite('constructor')
    expect(status).toBe(2)
    expect(stderr).toBe('There is no suite constructor.\n')
    expect(stdout).toContain(names[0])
  })

  it('run what is in the tree', () => {
    const sourceOf = (path: string) => path.replace('/dist/', '/').replace(/^(test|bench)(.*)\.js$/, '$1$2.ts')
    const paths = Object.values(suites).flatMap(({ run }) =>
      run.filter((word) => /^(test|bench|scripts|packages)\//.test(word)),
    )
    const missing = paths.map(sourceOf).filter((path) => !files.some((file) => file === path || file.startsWith(path)))
    expect(paths.length).toBeGreaterThanOrEqual(names.length)
    expect(missing.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('are named in docs and code by names that there are', () => {
    const texts = files
      .filter((path) => isPage(path) || /\.(ts|mjs|sh)$/.test(path))
      .filter((path) => path !== 'CHANGELOG.md')
    const named = texts.flatMap((path) =>
      [...read(path).matchAll(/npm run suite ([a-z0-9-]+)/g)].map(([, name = '']) => ({ path, name })),
    )
    expect(named.length).toBeGreaterThan(40)
    expect(named.filter(({ name }) => !names.includes(name))).toEqual([])
  })
})

it('the patterns of the long tier each match a test file', () => {
  const matchesNone = (pattern: string) => {
    const matches = createFilter(pattern, undefined, { resolve: root })
    return !files.some((path) => matches(join(root, path)))
  }
  expect([...longTests, ...longTestsAlone].filter(matchesNone)).toEqual([])
})
