/** Imports a bucket of a server of S3. */
import { checkedS3, type ImportS3Options, type S3SourceOptions } from './archive-arguments.ts'
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

/**
 * Imports the objects of a bucket of any server of S3, with their headers, user metadata, tags and storage classes; if the
 * bucket has versioning, every version and delete marker, the oldest of a key first. Settings, locks and ACLs are not
 * imported. An import that was cut goes on when it is called again. Needs the package `@aws-sdk/client-s3`.
 * @param store A store of this process, or of another one: see `attachStore`.
 * @throws StorageError `SourceFailed` for errors of the server, with its code as `details.kind`; `ImportConflict`;
 *   `InvalidBucketState` for versions and a bucket whose versioning is not enabled; `UnsupportedFormat` (`details.kind` is
 *   `package`) without the package; what creating the bucket and storing objects throw. What was stored before stays.
 */
export async function importS3(
  store: ImportingStore,
  from: S3SourceOptions,
  options: ImportS3Options = {},
): Promise<S3Imported> {
  const [into, given, how] = checkedS3(store, from, options)
  const {
    bucket = given.bucket,
    prefix = '',
    history: isRequested = true,
    onConflict = 'refuse',
    signal,
    onProgress,
  } = how
  signal?.throwIfAborted()
  const { openS3Source } = await import('@varve/adapters/s3')
  const source = await openS3Source(given)
  try {
    const history = isRequested && (await source.hasVersions(signal === undefined ? {} : { signal }))
    const created = await ensureImportBucket(into, bucket, { versioning: history ? 'Enabled' : undefined, signal })
    const entries = s3Entries({ source, prefix, withHistory: history, signal })
    const counts = await importEntries(into, { bucket, withHistory: history, onConflict, signal, onProgress }, entries)
    return { bucket, created, history, ...counts }
  } finally {
    source.close()
  }
}
