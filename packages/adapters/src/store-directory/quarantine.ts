/**
 * Keeps damaged and foreign files aside. Nothing is ever deleted from here. A note beside each file names its former
 * place and the reason for moving it.
 */
import { basename, dirname, join } from 'node:path'
import type { Divergence } from '@varve/core'
import { ensureDirectory, replaceFile, syncDirectory } from '../files/durable-files.ts'
import { errnoOf, onMedium } from '../files/errno.ts'
import { type FileSystem, nodeFileSystem } from '../files/file-system.ts'
import type { HeldDirectory } from './lock/held-directory.ts'

/** The folder into which a repair moves files that it takes out of use. */
export interface Quarantine {
  /** Moves a file or a directory of the store. Resolves with its new name, or `undefined` if it does not exist. */
  take(path: string, why: Pick<Divergence, 'kind' | 'message' | 'seq' | 'of'>): Promise<string | undefined>
}

/** `now` returns milliseconds since the epoch, for the notes. */
export function quarantine(held: HeldDirectory, now: () => number, fs: FileSystem = nodeFileSystem): Quarantine {
  const directory = held.path
  const home = join(directory, 'quarantine')
  return {
    take: (path, why) =>
      onMedium('BlobFailed', 'Moving into quarantine', async () => {
        await held.assertHeld()
        await ensureDirectory(fs, home)
        await syncDirectory(fs, directory)
        const name = await freeName(fs, home, basename(path))
        const { kind, message, seq, of } = why
        const note = { name, from: path, kind, message, ...(seq !== undefined && { seq }), ...(of && { of }) }
        // The note is written first: after a crash, a file without a note could not be explained.
        const text = `${JSON.stringify({ ...note, at: new Date(now()).toISOString() })}\n`
        await replaceFile(fs, join(home, `${name}.json`), text)
        try {
          await fs.rename(join(directory, path), join(home, name))
        } catch (error) {
          if (errnoOf(error) !== 'ENOENT') throw error
          await fs.unlink(join(home, `${name}.json`))
          return undefined
        }
        await syncDirectory(fs, home)
        await syncDirectory(fs, dirname(join(directory, path)))
        return name
      }),
  }
}

/** The name itself, or the name with a number if it is already in use here. */
async function freeName(fs: FileSystem, home: string, name: string): Promise<string> {
  const taken = new Set(await fs.readdir(home))
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name}-${n}`
    if (!taken.has(candidate) && !taken.has(`${candidate}.json`)) return candidate
  }
}
