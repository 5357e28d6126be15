/** Stored bytes that a read found damaged or missing, as they are described to what can heal them. */
import { isStorageError } from '../base/errors.ts'
import type { BlobRef, BytesHealed, Seal } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'

/** What of a blob is damaged. */
export type DamagedPart = BytesHealed['what']

/** Stored bytes that are damaged or missing. */
export interface DamagedBytes {
  readonly what: DamagedPart
  readonly blob: BlobRef
  /** Of a blob whose bytes are encrypted. */
  readonly sealed?: Seal | undefined
  /** An event that may have brought the blob. */
  readonly seq?: Seq | undefined
  /** Whether their absence may be an erasure, and no damage. @default false */
  readonly mayBeErased?: boolean
}

/** Resolves with true if the bytes are again as they were written, and can be read once more. */
export type Heal = (damaged: DamagedBytes) => Promise<boolean>

/** Failures of a file or of a file system that concern one file, and stay: bad sectors, and a directory in place of the file. */
const errnosOfFiles: readonly unknown[] = ['EIO', 'EISDIR', 'ENOTDIR', 'EUCLEAN', 'EBADMSG']

/** Whether an error of a blob store, or of a row, is damage of stored bytes. A file that ends too early is damaged too. */
export function isDamage(error: unknown): boolean {
  if (isStorageError(error, 'BlobCorrupt', 'BlobMissing')) return true
  if (!isStorageError(error, 'BlobFailed')) return false
  return error.details['kind'] === 'size' || errnosOfFiles.includes(error.details['errno'])
}
