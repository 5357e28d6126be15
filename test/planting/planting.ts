/**
 * Loads the packages again with one bug in them. A module that is imported with `?planted=N` has bug N in its text. So
 * have the modules that it imports, if the bug is in them or behind them. They are loaded beside the sound modules, in
 * the same process.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { healingBugs } from '../replicas/healing-bugs.ts'
import { plantedBugs } from '../simulation/planted-bugs.ts'
import { replicaBugs } from '../simulation/replicas/replica-bugs.ts'
import { segmentBugs } from '../simulation/segment-bugs.ts'
import { sharingBugs } from '../simulation/sharing-bugs.ts'
import { logBugs } from '../simulation/segment-log/log-bugs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Bugs of segments are numbered behind the others, then those of the log, of several engines, of replicas, and of healing. */
export const allBugs = [...plantedBugs, ...segmentBugs, ...logBugs, ...sharingBugs, ...replicaBugs, ...healingBugs]

const mark = /\?planted=(\d+)$/

export const planting = (): Plugin => {
  let importsOf: ((path: string) => Promise<readonly string[]>) | undefined
  return {
    name: 'planting',
    enforce: 'pre',
    async resolveId(source, importer) {
      const number = mark.exec(source)?.[1] ?? (importer === undefined ? undefined : mark.exec(importer)?.[1])
      if (number === undefined) return undefined
      const resolve = async (name: string, from?: string) => (await this.resolve(name, from, { skipSelf: true }))?.id
      const found = await resolve(source.replace(mark, ''), importer?.replace(mark, ''))
      if (found === undefined || !isOurs(found)) return found
      importsOf ??= rememberImports(resolve)
      return (await reaches(found, filesOf(Number(number)), importsOf)) ? `${found}?planted=${number}` : found
    },
    async load(id) {
      const number = mark.exec(id)?.[1]
      if (number === undefined) return undefined
      const path = id.replace(mark, '')
      return plant(await readFile(path, 'utf8'), path.slice(root.length), Number(number))
    },
  }
}

const isOurs = (path: string): boolean => path.startsWith(root) && !path.includes('/node_modules/')

/** Modules a module imports when it runs; those it takes only types from are none. */
const importing = /^(?:import|export)(?! type\b)[^'"]*? from '([^']+)'|^import '([^']+)'/gm

function rememberImports(resolve: (name: string, from: string) => Promise<string | undefined>) {
  const known = new Map<string, Promise<readonly string[]>>()
  const read = async (path: string): Promise<readonly string[]> => {
    const names = [...(await readFile(path, 'utf8')).matchAll(importing)].map(([, from, alone]) => from ?? alone ?? '')
    const found = await Promise.all(names.map((name) => resolve(name, path)))
    return found.filter((one): one is string => one !== undefined && isOurs(one))
  }
  return (path: string) => {
    const imports = known.get(path) ?? read(path)
    known.set(path, imports)
    return imports
  }
}

/** Whether a module is one of these files, or imports one by whatever way. */
async function reaches(
  path: string,
  files: ReadonlySet<string>,
  importsOf: (path: string) => Promise<readonly string[]>,
): Promise<boolean> {
  const seen = new Set([path])
  for (const at of seen) {
    if (files.has(at)) return true
    for (const next of await importsOf(at)) seen.add(next)
  }
  return false
}

const filesOf = (number: number): ReadonlySet<string> => new Set(bugOf(number).patches.map(({ file }) => root + file))

function bugOf(number: number) {
  const bug = allBugs[number]
  if (bug === undefined) throw new Error(`There is no bug ${number}.`)
  return bug
}

function plant(text: string, file: string, number: number): string {
  const { name, patches } = bugOf(number)
  return patches
    .filter((patch) => patch.file === file)
    .reduce((planted, { find, replace }) => {
      if (planted.split(find).length !== 2) throw new Error(`"${name}" no longer fits ${file}.`)
      return planted.replace(find, () => replace)
    }, text)
}
