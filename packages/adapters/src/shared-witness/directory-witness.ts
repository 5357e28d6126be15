/**
 * A witness in a directory that several machines mount. File systems have no conditional rename, and a process that stood
 * still could put an old tip in the place of a new one. So each process writes a file of its own, and the latest tip counts.
 */
import { join } from 'node:path'
import type { Tip } from '@varve/core'
import { ensureDirectories, readSmallFile, replaceFile } from '../files/durable-files.ts'
import { allowing, onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { randomIds } from '../system/random-ids.ts'
import { parseTip, type SharedWitness, tipText } from './shared-witness.ts'

const folder = 'witness'
const fileForm = /^[0-9a-f]{32}\.json$/

/** `directory` must exist. Rejections are as those of `fileWitness`. */
export function directoryWitness(directory: string, fs: FileSystem = nodeFileSystem): SharedWitness {
  const home = join(directory, folder)
  const own = `${randomIds.next()}.json`
  let isBegun = false
  let turn: Promise<unknown> = Promise.resolve()

  /** The tips of all files, by name. */
  async function tips(): Promise<ReadonlyMap<string, Tip>> {
    const found = new Map<string, Tip>()
    let names: readonly string[] = []
    await allowing('ENOENT', async () => void (names = await fs.readdir(home)))
    for (const name of names.filter((each) => fileForm.test(each))) {
      const text = await readSmallFile(fs, join(home, name))
      // Another process may have removed it meanwhile.
      if (text !== undefined) found.set(name, parseTip(text))
    }
    return found
  }

  async function begin(): Promise<void> {
    await ensureDirectories(fs, directory, [folder])
    isBegun = true
  }

  /** Removes files that this process no longer needs, of processes that have ended or will write theirs again. */
  async function removeOthers(isNeedless: (tip: Tip) => boolean): Promise<void> {
    for (const [name, tip] of await tips())
      if (name !== own && isNeedless(tip)) await allowing('ENOENT', () => fs.unlink(join(home, name)))
  }

  const inTurn = (doing: string, work: () => Promise<void>): Promise<void> => {
    const done = turn.then(() => onMedium('JournalFailed', doing, work))
    turn = done.catch(() => undefined)
    return done
  }

  return {
    read: () =>
      onMedium('JournalFailed', 'Reading the witness', async () =>
        [...(await tips()).values()].reduce<Tip | undefined>(laterOf, undefined),
      ),
    write: (tip) =>
      inTurn('Writing the witness', async () => {
        const isFirst = !isBegun
        if (isFirst) await begin()
        await replaceFile(fs, join(home, own), tipText(tip))
        if (isFirst) await removeOthers(({ seq }) => seq < tip.seq)
      }),
    replace: (tip) =>
      inTurn('Writing the witness', async () => {
        await begin()
        await replaceFile(fs, join(home, own), tipText(tip))
        for (const name of await fs.readdir(home))
          if (name !== own) await allowing('ENOENT', () => fs.unlink(join(home, name)))
      }),
  }
}

const laterOf = (one: Tip | undefined, other: Tip): Tip => (one === undefined || other.seq > one.seq ? other : one)
