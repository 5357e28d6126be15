/** What must not slip into a commit: big files, paths of one machine, addresses of one registry, loose versions. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, findLines, read, report, root } from './tree.ts'

const sizeMaxBytes = 512 * 1024

/** Put together from pieces, so that this file is not its own first finding. */
const machinePath = new RegExp(`(?<![\\w.~-])/(${['work', 'root', 'tmp', 'farm'].join('|')})/`)
const domains = 'org|com|io|dev|net|cloud|internal|local|lan|corp'
const registryHost = new RegExp(
  `(?<![\\w$])(npm|registry)\\.([\\w-]+\\.)+(${domains})\\b|"resolved":\\s*"(http|git)|/-/[\\w.-]+\\.tgz`,
)

/**
 * npm passes its registry to its scripts. No committed file may contain its host name, unless it is local to this
 * machine.
 */
const currentHost = /^https?:\/\/([^/:]+)/.exec(process.env['npm_config_registry'] ?? '')?.[1]
const isLocal = (host: string): boolean => /^(localhost|127\.[\d.]+|\[.*)$/.test(host)

describe('the repository', () => {
  it(`has no file over ${sizeMaxBytes / 1024} KiB`, () => {
    expect(files.length).toBeGreaterThan(20)
    expect(files.filter((path) => statSync(join(root, path)).size > sizeMaxBytes)).toEqual([])
  })

  it('names no path of the machine it was written on', () => {
    expect(report(files, (text) => findLines(text, machinePath))).toEqual([])
  })

  it('names no package registry', () => {
    expect(report(files, (text) => findLines(text, registryHost))).toEqual([])
    const host = currentHost
    const named = host === undefined || isLocal(host) ? [] : files.filter((path) => read(path).includes(host))
    expect(named).toEqual([])
  })

  it('is searched by scanners that can see', () => {
    for (const folder of ['work', 'tmp', 'root']) {
      expect(findLines(`cd /${folder}/main`, machinePath)).toHaveLength(1)
      expect(findLines(`https://example.com/${folder}/main and ./${folder}/x`, machinePath)).toHaveLength(0)
    }
    for (const host of ['npmjs.org', 'yarnpkg.com', 'corp.example.internal']) {
      expect(findLines(`"${'resolved'}": "https://${host}/x"`, registryHost)).toHaveLength(1)
      expect(findLines(`see ${'registry'}.${host}`, registryHost)).toHaveLength(1)
    }
    expect(findLines('The registry. It has packages, and registry.get(name) finds them.', registryHost)).toHaveLength(0)
  })
})

describe('manifests', () => {
  type Manifest = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>
  const fields = ['dependencies', 'devDependencies', 'optionalDependencies']
  const wanted = files
    .filter((path) => /(^|\/)package\.json$/.test(path))
    .flatMap((path) => {
      const manifest = JSON.parse(read(path)) as Manifest
      return fields.flatMap((field) =>
        Object.entries(manifest[field] ?? {}).map(([name, version]) => ({ path, name, version })),
      )
    })

  it('pin every dependency to one exact version', () => {
    expect(wanted.length).toBeGreaterThan(10)
    expect(wanted.filter(({ version }) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  })

  it('agree with each other', () => {
    const versions = new Map<string, Set<string>>()
    for (const { name, version } of wanted) versions.set(name, (versions.get(name) ?? new Set()).add(version))
    // typedoc calls the compiler from JavaScript, which TypeScript 7 no longer allows.
    versions.delete('typescript')
    expect([...versions].filter(([, found]) => found.size > 1).map(([name]) => name)).toEqual([])
  })
})

describe.each(['package-lock.json', 'tools/package-lock.json'])('%s', (path) => {
  interface Locked {
    readonly link?: boolean
    readonly integrity?: string
    readonly optional?: boolean
    readonly optionalDependencies?: Readonly<Record<string, string>>
  }
  const { packages } = JSON.parse(read(path)) as { packages: Readonly<Record<string, Locked>> }
  const installed = Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'))
  const paths = new Set(installed.map(([path]) => path))

  it('names every optional platform package, for `npm ci` refuses one that does not (scripts/complete-lock.mjs)', () => {
    expect(paths.size).toBeGreaterThan(100)
    const missing = installed.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !paths.has(`node_modules/${name}`) && !paths.has(`${path}/node_modules/${name}`),
      ),
    )
    expect(missing).toEqual([])
  })

  it('holds a checksum for everything that is not optional', () => {
    const unsealed = installed.filter(([, entry]) => !entry.link && !entry.optional && entry.integrity === undefined)
    expect(unsealed.map(([path]) => path)).toEqual([])
  })
})
