/** Imports the files of a directory into a bucket. */
import type { ImportFolderOptions } from './archive-arguments.ts'
import type { ImportingStore } from './archived-store.ts'
import { ensureImportBucket } from './ensure-bucket.ts'
import { folderEntries, folderSizes, type LeftOutFile } from './folder-entries.ts'
import { importEntries } from './import-entries.ts'
import type { ImportCounts } from './import-entry.ts'
import { SizeAhead } from './import-size.ts'

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
  const ahead = onProgress && new SizeAhead(folderSizes(path))
  const job = { bucket, isNew: created, withHistory: false, onConflict, signal, onProgress, total: () => ahead?.size }
  try {
    const counts = await importEntries(into, job, entries)
    return { bucket, created, ...counts, leftOut, leftOutFiles }
  } finally {
    await ahead?.end()
  }
}
