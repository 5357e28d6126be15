/**
 * Keeps damaged and foreign files aside. Nothing is ever deleted from here. A note beside each file names its former
 * place and the reason for moving it.
 */
import type { Divergence } from '@varve/core'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { moveAside } from '../files/move-aside.ts'
import type { HeldDirectory } from './lock/held-directory.ts'

/** The folder into which a repair moves files that it takes out of use. */
export interface Quarantine {
  /** Moves a file or a directory of the store. Resolves with its new name, or `undefined` if it does not exist. */
  take(path: string, why: Pick<Divergence, 'kind' | 'message' | 'seq' | 'of'>): Promise<string | undefined>
}

/** `now` returns milliseconds since the epoch, for the notes. */
export const quarantine = (held: HeldDirectory, now: () => number, fs: FileSystem = nodeFileSystem): Quarantine => ({
  take: (path, why) =>
    onMedium('BlobFailed', 'Moving into quarantine', async () => {
      await held.assertHeld()
      return moveAside(fs, held.path, path, { ...why, at: now() })
    }),
})
