/** Imports a bucket of a server of S3. */
import type { ImportS3Options, S3SourceOptions } from './archive-arguments.ts'
import type { ImportingStore } from './archived-store.ts'
import { ensureImportBucket } from './ensure-bucket.ts'
import { importEntries } from './import-entries.ts'
import type { ImportCounts } from './import-entry.ts'
import { SizeAhead } from './import-size.ts'
import { s3Entries, s3Sizes } from './s3-entries.ts'

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
    const reading = { source, prefix, withHistory: history, signal }
    const ahead = onProgress && new SizeAhead(s3Sizes(reading))
    const job = {
      bucket,
      isNew: created,
      withHistory: history,
      onConflict,
      signal,
      onProgress,
      total: () => ahead?.size,
    }
    try {
      const counts = await importEntries(into, job, s3Entries(reading))
      return { bucket, created, history, ...counts }
    } finally {
      await ahead?.end()
    }
  } finally {
    source.close()
  }
}
