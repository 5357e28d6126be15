/** Decides which files an opening need not read, and remembers which it has read. */
import { setImmediate } from 'node:timers/promises'
import type { FileSystem } from '../files/file-system.ts'
import { openFilesShares } from '../files/open-files.ts'
import type { FileStamp } from '../files/pinned-file.ts'
import { type CheckedFile, fileSystemTime, isSameStamp, isSettled, readChecked, writeChecked } from './checked-files.ts'
import { lastingFiles, type SealedFile } from './journal-seal.ts'
import type { StorePaths } from './store-paths.ts'
import { type UnreadFile, UnreadFiles, type UnreadFilesOptions } from './unread-files.ts'

export interface TrustedFiles {
  /** Their names. */
  readonly names: ReadonlySet<string>
  readonly unread: UnreadFiles
  /** Call when all other files were compared with the seal. Never rejects. */
  remember(): Promise<void>
  /** Call before the files are sealed again: what was read last is read last again. */
  rememberOrder(): Promise<void>
}

/** So many block the event loop for less than a millisecond. */
const atOnce = 64

/** Each trusted file stays open for a while, so they may take half of the files that blobs may have open. */
const unreadMax = (): number => Math.floor(openFilesShares().blobs / 2)

/** For a database that was closed. Only files that never change can be trusted. */
export async function findTrusted(
  fs: FileSystem,
  paths: StorePaths,
  sealed: readonly SealedFile[],
  { onDamage, max = unreadMax() }: Pick<UnreadFilesOptions, 'onDamage'> & { readonly max?: number },
): Promise<TrustedFiles> {
  const lasting = await lastingFiles(fs, paths, sealed)
  const known = await readChecked(fs, paths)
  const { trusted, others } = await divide({ fs, paths, lasting, known, max })
  const unread = new UnreadFiles(trusted, { fs, database: paths.database, onDamage })
  const now = others.size > 0 ? await fileSystemTime(fs, paths) : undefined
  let remembered = trusted.map(({ file }) => file)
  return {
    names: new Set(remembered.map(({ name }) => name)),
    unread,
    async remember() {
      const files = lasting.filter(({ name }) => others.has(name))
      const found = now === undefined ? [] : files.flatMap((file) => checkedSince({ fs, paths, file, others, now }))
      remembered = [...remembered, ...found]
      if (found.length > 0 || remembered.length !== known.length) await writeChecked(fs, paths, remembered)
    },
    async rememberOrder() {
      if (unread.read.length === 0) return
      const read = new Set(unread.read)
      await writeChecked(fs, paths, [...remembered.filter((file) => !read.has(file)), ...unread.read])
    },
  }
}

interface Division {
  readonly fs: FileSystem
  readonly paths: StorePaths
  readonly lasting: readonly SealedFile[]
  readonly known: readonly CheckedFile[]
  readonly max: number
}

/** The files to trust, in the order of the memory, and the stamps of all others. */
async function divide({ fs, paths, lasting, known, max }: Division) {
  const order = new Map(known.map((file, i) => [file.name, { file, i }]))
  const place = ({ name }: SealedFile): number => order.get(name)?.i ?? known.length
  const trusted: UnreadFile[] = []
  const others = new Map<string, FileStamp>()
  for (const [i, file] of [...lasting].sort((a, b) => place(a) - place(b)).entries()) {
    if (i % atOnce === atOnce - 1) await setImmediate()
    const pinned = pin(fs, paths, file)
    if (pinned === undefined) continue
    const checked = order.get(file.name)?.file
    const isTrusted =
      checked?.crc === file.crc && checked.size === file.size && isSameStamp(checked.stamp, pinned.stamp)
    if (isTrusted && trusted.length < max) {
      trusted.push({ file: checked, pinned })
    } else {
      others.set(file.name, pinned.stamp)
      pinned.close()
    }
  }
  return { trusted, others }
}

interface Found extends Pick<Division, 'fs' | 'paths'> {
  readonly file: SealedFile
  /** The stamps before the files were read. */
  readonly others: ReadonlyMap<string, FileStamp>
  /** When that began. */
  readonly now: bigint
}

/** The file has the same stamp before and after it was read, so these are the bytes that were read. */
function checkedSince({ fs, paths, file, others, now }: Found): readonly CheckedFile[] {
  const pinned = pin(fs, paths, file)
  pinned?.close()
  const before = others.get(file.name)
  if (pinned === undefined || before === undefined || !isSameStamp(before, pinned.stamp)) return []
  return isSettled(before, now) ? [{ ...file, stamp: before }] : []
}

/** A file that cannot be opened is not trusted; reading it shows what is wrong. */
function pin(fs: FileSystem, { database }: StorePaths, { name }: SealedFile) {
  try {
    return fs.pin?.(`${database}/${name}`)
  } catch {
    return undefined
  }
}
