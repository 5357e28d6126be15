/**
 * Loads the whole house again with one bug in it. A module asked for with `?planted=N` comes with bug N in its text, and
 * so do all the modules it imports: beside the sound ones, in the same process.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { plantedBugs } from './planted-bugs.ts'
import { segmentBugs } from './segment-bugs.ts'
import { logBugs } from './segment-log/log-bugs.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Bugs of segments are numbered behind the others, and those of the log behind them. */
const allBugs = [...plantedBugs, ...segmentBugs, ...logBugs]

const mark = /\?planted=(\d+)$/

export const planting = (): Plugin => ({
  name: 'planting',
  enforce: 'pre',
  async resolveId(source, importer) {
    const number = mark.exec(source)?.[1] ?? (importer === undefined ? undefined : mark.exec(importer)?.[1])
    if (number === undefined) return undefined
    const found = await this.resolve(source.replace(mark, ''), importer?.replace(mark, ''), { skipSelf: true })
    const ours = found?.id.startsWith(root) === true && !found.id.includes('/node_modules/')
    return ours ? `${found.id}?planted=${number}` : found
  },
  async load(id) {
    const number = mark.exec(id)?.[1]
    if (number === undefined) return undefined
    const path = id.replace(mark, '')
    return plant(await readFile(path, 'utf8'), path.slice(root.length), Number(number))
  },
})

function plant(text: string, file: string, number: number): string {
  const bug = allBugs[number]
  if (bug === undefined) throw new Error(`There is no bug ${number}.`)
  return bug.patches
    .filter((patch) => patch.file === file)
    .reduce((planted, { find, replace }) => {
      if (planted.split(find).length !== 2) throw new Error(`"${bug.name}" no longer fits ${file}.`)
      return planted.replace(find, () => replace)
    }, text)
}
