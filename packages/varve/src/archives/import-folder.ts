/** Imports the files of a directory into a bucket. */
import type { ImportFolderOptions } from './archive-arguments.ts'
import type { ImportingStore } from './archived-store.ts'
import { ensureImportBucket } from './ensure-bucket.ts'
import { folderEntries, type LeftOutFile } from './folder-entries.ts'
import { importEntries } from './import-entries.ts'
import type { ImportCounts } from './import-entry.ts'

/** What an import of a directory did. */
export interface FolderImported extends ImportCounts {
  readonly bucket: string
  /** True if this call created the bucket. */
  readonly created: boolean
  /** How many files were left out. */
  readonly leftOut: number
  /** The first thousand of them. */
  readonly leftOutFiles: readonly LeftOutFile[]
}

const namedMax = 1000

/** As the call of this name in `archives.ts`, which has checked the arguments. */
export async function importFolder(
  into: ImportingStore,
  path: string,
  given: ImportFolderOptions,
): Promise<FolderImported> {
  const { bucket, prefix = '', onConflict = 'refuse', owner, signal, onProgress, onLeftOut } = given
  signal?.throwIfAborted()
  const created = await ensureImportBucket(into, bucket, { owner, signal })
  const leftOutFiles: LeftOutFile[] = []
  let leftOut = 0
  const entries = folderEntries({
    dir: path,
    prefix,
    onLeftOut(file, reason) {
      leftOut++
      if (leftOutFiles.length < namedMax) leftOutFiles.push({ path: file, reason })
      onLeftOut?.({ path: file, reason })
    },
  })
  const counts = await importEntries(into, { bucket, withHistory: false, onConflict, signal, onProgress }, entries)
  return { bucket, created, ...counts, leftOut, leftOutFiles }
}
