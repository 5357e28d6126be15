/** Imports a bucket of a server of S3. */
import type { ImportS3Options, S3SourceOptions } from './archive-arguments.ts'
import type { ImportingStore } from './archived-store.ts'
import { ensureImportBucket } from './ensure-bucket.ts'
import { importEntries } from './import-entries.ts'
import type { ImportCounts } from './import-entry.ts'
import { s3Entries } from './s3-entries.ts'

/** What an import from a server did. */
export interface S3Imported extends ImportCounts {
  readonly bucket: string
  /** True if this call created the bucket. */
  readonly created: boolean
  /** True if every version and delete marker was imported. */
  readonly history: boolean
}

/** As the call of this name in `archives.ts`, which has checked the arguments. */
export async function importS3(
  into: ImportingStore,
  given: S3SourceOptions,
  how: ImportS3Options,
): Promise<S3Imported> {
  const {
    bucket = given.bucket,
    prefix = '',
    history: isRequested = true,
    onConflict = 'refuse',
    owner,
    signal,
    onProgress,
  } = how
  signal?.throwIfAborted()
  const { openS3Source } = await import('@varve/adapters/s3')
  const source = await openS3Source(given)
  try {
    const history = isRequested && (await source.hasVersions(signal === undefined ? {} : { signal }))
    const created = await ensureImportBucket(into, bucket, {
      versioning: history ? 'Enabled' : undefined,
      owner,
      signal,
    })
    const entries = s3Entries({ source, prefix, withHistory: history, signal })
    const counts = await importEntries(into, { bucket, withHistory: history, onConflict, signal, onProgress }, entries)
    return { bucket, created, history, ...counts }
  } finally {
    source.close()
  }
}
