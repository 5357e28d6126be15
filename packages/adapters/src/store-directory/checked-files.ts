/**
 * The memory of checks: which files of the database were compared with the seal byte by byte, and what the file system
 * noted about each of them then. A file with the same notes has the same bytes, unless the medium changed them.
 *
 * The memory vouches for nothing alone: the seal must describe the same file. So losing the memory, or having an older
 * one, costs time and nothing else.
 */
import { allowing } from '../files/errno.ts'
import { readSmallFile, replaceFile, temporaryOf } from '../files/durable-files.ts'
import type { FileSystem } from '../files/file-system.ts'
import type { FileStamp } from '../files/pinned-file.ts'
import type { SealedFile } from './journal-seal.ts'
import { sealJson, unsealJson } from './sealed-json.ts'
import type { StorePaths } from './store-paths.ts'

export interface CheckedFile extends SealedFile {
  readonly stamp: FileStamp
}

const version = 1
const bytesMax = 64 * 1024 * 1024

/** The file that was read the longest time ago is first. None if there is no memory that this release can read. */
export async function readChecked(fs: FileSystem, { checked }: StorePaths): Promise<readonly CheckedFile[]> {
  const text = await readSmallFile(fs, checked, bytesMax).catch(() => undefined)
  const fields = text === undefined ? undefined : unsealJson(text)
  if (fields?.['version'] !== version || !Array.isArray(fields['files'])) return []
  const files = (fields['files'] as unknown[]).map(checkedFile)
  return files.every((file) => file !== undefined) ? files : []
}

/** If it cannot be written there is no memory. */
export async function writeChecked(fs: FileSystem, paths: StorePaths, files: readonly CheckedFile[]): Promise<void> {
  const entries = files.map(({ name, size, crc, stamp: { ino, mtimeNs, ctimeNs } }) => {
    return [name, size, crc, String(ino), String(mtimeNs), String(ctimeNs)]
  })
  try {
    await replaceFile(fs, paths.checked, sealJson({ version, files: entries }))
  } catch {
    await forgetChecked(fs, paths)
  }
}

export async function forgetChecked(fs: FileSystem, { checked }: StorePaths): Promise<void> {
  await allowing('ENOENT', () => fs.unlink(checked)).catch(() => undefined)
}

export const isSameStamp = (one: FileStamp, other: FileStamp): boolean =>
  one.size === other.size && one.ino === other.ino && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs

/** Twice the coarsest ticks of file systems that are in use, which are a second. */
const settledAfterNs = 2_000_000_000n

/**
 * A file that changes in the same tick of the clock as it is read may keep its times. So a check that began at `now`
 * counts only if the file had not changed for longer than a tick. A time in the future never counts.
 */
export const isSettled = ({ mtimeNs, ctimeNs }: FileStamp, now: bigint): boolean =>
  mtimeNs + settledAfterNs < now && ctimeNs + settledAfterNs < now

/** The time by the clock that stamps files, which need not be that of the process; `undefined` if it is unknown. */
export async function fileSystemTime(fs: FileSystem, { checked }: StorePaths): Promise<bigint | undefined> {
  const probe = temporaryOf(checked)
  try {
    await allowing('ENOENT', () => fs.unlink(probe))
    await (await fs.open(probe, 'wx', 0o600)).close()
    const pinned = fs.pin?.(probe)
    pinned?.close()
    await fs.unlink(probe)
    return pinned?.stamp.ctimeNs
  } catch {
    return undefined
  }
}

const digits = /^\d{1,20}$/

function checkedFile(value: unknown): CheckedFile | undefined {
  const [name, size, crc, ...times] = Array.isArray(value) ? (value as unknown[]) : []
  if (typeof name !== 'string' || typeof size !== 'number' || typeof crc !== 'number') return undefined
  if (times.length !== 3 || !times.every((text) => typeof text === 'string' && digits.test(text))) return undefined
  const [ino, mtimeNs, ctimeNs] = times.map((text) => BigInt(text as string)) as [bigint, bigint, bigint]
  return { name, size, crc, stamp: { size, ino, mtimeNs, ctimeNs } }
}
