/**
 * The oracle: the same request, alone, in one state of the past. It is judged there from the log, without stamps,
 * without rows in memory and without concurrent requests. What the request would have stored is noted instead.
 */
import { bucketWithSettings } from '../../support/bucket-with-settings.ts'
import type { PastStore, RecordedEvent, RequestStore, Store, UploadRef } from '@varve/core'
import { parseUploadId, StorageError } from '@varve/core'

export interface Noted {
  readonly command: string
  readonly args: readonly unknown[]
}

/** Ends a replay where it would have stored something. */
class WouldStore extends Error {}

export async function pastRequestStore(store: Store, past: PastStore, noted: Noted[]): Promise<RequestStore> {
  const uploads = await uploadsAt(store, past.seq)
  const note =
    (command: string) =>
    (...args: readonly unknown[]): Promise<never> => {
      noted.push({ command, args })
      return Promise.reject(new WouldStore(command))
    }
  const head = async ({ bucket, key, uploadId: id }: UploadRef) => {
    const found = uploads.get(parseUploadId(id)?.seq ?? 0)
    if (found?.data.bucket !== bucket || found.data.key !== key) throw new StorageError('NoSuchUpload', 'gone')
    return { bucket, key, uploadId: id, initiator: found.by, owner: found.by, initiated: new Date(found.at) }
  }
  const made: Partial<RequestStore> = {
    buckets: {
      ...past.buckets,
      create: note('CreateBucket'),
      ensure: note('CreateBucket'),
      fork: note('ForkBucket'),
      drop: note('DropFork'),
      delete: note('DeleteBucket'),
      setVersioning: note('PutBucketVersioning'),
      settings: { ...past.buckets.settings, put: note('PutSetting'), remove: note('RemoveSetting') },
    },
    objects: {
      ...past.objects,
      put: note('PutObject'),
      copy: note('CopyObject'),
      delete: note('DeleteObject'),
      annotate: note('AnnotateObject'),
      deleteMany: note('DeleteObjects'),
    },
    versions: { ...past.versions, delete: note('DeleteVersion') },
    uploads: {
      head,
      create: note('CreateUpload'),
      uploadPart: note('UploadPart'),
      copyPart: note('UploadPartCopy'),
      complete: note('CompleteUpload'),
      abort: note('AbortUpload'),
      listPage: note('ListUploads'),
      listPartsPage: note('ListParts'),
    } as Partial<RequestStore['uploads']> as RequestStore['uploads'],
    state: 'open',
    as: () => made as RequestStore,
    at: (moment) => store.at(moment),
    tracking: () => ({
      ...(made as RequestStore),
      bucket: bucketWithSettings((made as RequestStore).buckets),
      isFresh: () => false,
    }),
  }
  return made as RequestStore
}

/** Uploads that were under way, by where they began. */
async function uploadsAt(store: Store, at: number): Promise<ReadonlyMap<number, RecordedEvent<'UploadStarted'>>> {
  const uploads = new Map<number, RecordedEvent<'UploadStarted'>>()
  for await (const event of store.log({ to: at })) {
    const { type } = event
    if (type === 'UploadStarted') uploads.set(event.seq, event as RecordedEvent<'UploadStarted'>)
    if (type === 'UploadAborted' || type === 'UploadCompleted') {
      uploads.delete((event.data as { readonly upload: number }).upload)
    }
    if (type === 'BucketDeleted') {
      const { bucket } = event.data as { readonly bucket: string }
      for (const [id, { data }] of uploads) if (data.bucket === bucket) uploads.delete(id)
    }
  }
  return uploads
}
