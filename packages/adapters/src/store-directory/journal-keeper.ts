/** Manages the seal: checks it before LevelDB opens, breaks it while LevelDB is open, and rewrites it at the end. */
import { isStorageError, type Seq } from '@varve/core'
import type { FileSystem } from '../files/file-system.ts'
import { forgetChecked } from './checked-files.ts'
import {
  breakSeal,
  changedSinceClosing,
  damageSince,
  type JournalSeal,
  lastingFiles,
  readSeal,
  replayedFrom,
  restoreSeal,
  type SealedFile,
  sealFiles,
} from './journal-seal.ts'
import type { StorePaths } from './store-paths.ts'
import { findTrusted } from './trusted-files.ts'
import type { UnreadFiles } from './unread-files.ts'

/**
 * `bytes` reads every file, `changed` those that may have changed since they were read, `sizes` compares only names and
 * sizes.
 */
export type SealCheck = 'bytes' | 'changed' | 'sizes'

export interface JournalKeeper {
  /** Whether the files are as the last owner left them. */
  readonly intact: boolean
  /** If they are not, but all unchanging files are undamaged: the first event outside of these, if it is known. */
  readonly replayedFrom: Seq | undefined
  /** The files that were trusted, if any. */
  readonly unread: UnreadFiles | undefined
  /** A commit or the closing had an unknown outcome: the files get no seal. */
  markUnsound(): void
  /** The log was checked and the views follow it. */
  markSound(): void
  /** Call after LevelDB was closed. @throws StorageError `LogCorrupt`, `JournalFailed`: a trusted file was damaged. */
  close(): Promise<void>
}

export interface JournalKeeperOptions {
  /** @default 'bytes' */
  readonly check?: SealCheck | 'none' | undefined
  /** Called before anything is written after the opening. */
  mayWrite(): Promise<boolean>
}

/** @throws StorageError `LogCorrupt`: `details.kind` is `files` or `seal`. */
export async function journalKeeper(
  fs: FileSystem,
  paths: StorePaths,
  { check = 'bytes', mayWrite }: JournalKeeperOptions,
): Promise<JournalKeeper> {
  const seal = check === 'none' ? undefined : await readSeal(fs, paths)
  let [isSound, isDamaged] = [false, false]
  let remembering: Promise<void> | undefined
  const onDamage = async (error: unknown): Promise<void> => {
    isDamaged = true
    await remembering
    if (await mayWrite()) await refuseNext(fs, paths, { error, sealed: seal?.files ?? [] })
  }
  // After a crash everything is read: a damaged file may have been its cause.
  const trusted =
    check === 'changed' && seal?.closed === true ? await findTrusted(fs, paths, seal.files, { onDamage }) : undefined
  try {
    if (check !== 'none')
      await assertUndamaged(fs, paths, seal, { sizesOnly: check === 'sizes', trusted: trusted?.names })
    const begun = await begin(fs, paths, { seal, check })
    // The opening does not wait for the syncs of the memory.
    remembering = trusted?.remember()
    return {
      intact: begun.intact,
      replayedFrom: begun.replayedFrom,
      unread: trusted?.unread,
      markUnsound() {
        isSound = false
      },
      markSound() {
        isSound = true
      },
      async close() {
        await remembering
        await trusted?.unread.finish()
        if (!isSound || isDamaged || !(await mayWrite())) return
        await trusted?.rememberOrder()
        // A store without a seal is only treated as after a crash, so this failure is ignored.
        await sealFiles(fs, paths, begun.lasting).catch(() => undefined)
      },
    }
  } catch (error) {
    trusted?.unread.release()
    throw error
  }
}

async function assertUndamaged(...given: Parameters<typeof damageSince>): Promise<void> {
  const [first] = await damageSince(...given)
  if (first !== undefined) throw changedSinceClosing(first)
}

interface Beginning extends Pick<JournalKeeper, 'intact' | 'replayedFrom'> {
  /** The files that never change. */
  readonly lasting: readonly SealedFile[]
}

async function begin(
  fs: FileSystem,
  paths: StorePaths,
  { seal, check }: { readonly seal: JournalSeal | undefined; readonly check: SealCheck | 'none' },
): Promise<Beginning> {
  if (seal?.closed === true) {
    const lasting = await lastingFiles(fs, paths, seal.files)
    await breakSeal(fs, paths, lasting)
    return { intact: true, replayedFrom: undefined, lasting }
  }
  const readsAll = check === 'bytes' || check === 'changed'
  // The seal of an open store lists only unchanging files.
  return {
    intact: false,
    replayedFrom: readsAll ? await replayedFrom(fs, paths) : undefined,
    lasting: seal?.files ?? [],
  }
}

/** The next opening must refuse these files, even if the damaged one is merged into others meanwhile. */
async function refuseNext(
  fs: FileSystem,
  paths: StorePaths,
  { error, sealed }: { readonly error: unknown; readonly sealed: readonly SealedFile[] },
): Promise<void> {
  if (isStorageError(error, 'LogCorrupt')) await restoreSeal(fs, paths, sealed).catch(() => undefined)
  await forgetChecked(fs, paths)
}
