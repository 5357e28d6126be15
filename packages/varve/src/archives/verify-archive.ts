/** Proves an archive without a store. */
import { nodeHashing } from '@varve/adapters'
import { type Moment, MomentSeeker, type Seq } from '@varve/core'
import type { ArchiveSource, VerifyArchiveOptions } from './archive-arguments.ts'
import { type ArchiveRead, ArchiveReader } from './archive-reader.ts'
import type { ArchivedBucket, ArchiveManifest, StoreManifest } from './documents.ts'
import { type OpenArchive, openArchive } from './open-archive.ts'
import { abortable, bytesOf } from './source-bytes.ts'
import { type StoreArchiveRead, StoreArchiveReader } from './store-archive-reader.ts'

/** What a sound archive of a bucket contains. */
export interface BucketArchiveVerified extends ArchiveRead, Pick<ArchiveManifest, 'contents' | 'history' | 'seq'> {
  readonly bucket: Pick<ArchivedBucket, 'createdAt' | 'name'>
}

/** What a sound archive of a store contains. */
export interface StoreArchiveVerified extends StoreArchiveRead, Pick<StoreManifest, 'contents' | 'seq'> {
  /** The hash of the first event, which names the store, and of the last one, base64url. */
  readonly store: string
  readonly last: string
}

/** What a sound archive contains. */
export type ArchiveVerified = BucketArchiveVerified | StoreArchiveVerified

/** As the call of this name in `archives.ts`, which has checked the arguments. */
export async function verifyArchive(
  source: ArchiveSource,
  { signal, onProgress }: VerifyArchiveOptions,
): Promise<ArchiveVerified> {
  const { tar, manifest } = await openArchive(abortable(bytesOf(source), signal))
  try {
    if (manifest.contents === 'bucket') return await verifyBucket(new ArchiveReader(tar, manifest), onProgress)
    return (await verifyStore({ tar, manifest }, { onProgress })).verified
  } finally {
    await tar.close()
  }
}

async function verifyBucket(
  archive: ArchiveReader,
  onProgress: VerifyArchiveOptions['onProgress'],
): Promise<BucketArchiveVerified> {
  const { contents, history, seq } = archive.manifest
  const { name, createdAt } = await archive.bucket()
  const versions = archive.versions()
  let [objects, bytes] = [0, 0]
  for (;;) {
    const next = await versions.next()
    if (next.done === true) return { contents, history, seq, bucket: { name, createdAt }, ...next.value }
    if (next.value.facts.kind === 'object') objects++
    bytes += next.value.content === undefined ? 0 : (next.value.facts.size ?? 0)
    onProgress?.({ objects, bytes })
  }
}

interface VerifyingStore {
  /** The moment whose position is sought meanwhile. @default the end */
  readonly at?: Moment | undefined
  readonly onProgress?: VerifyArchiveOptions['onProgress']
}

/** The progress counts each blob as an object. */
export async function verifyStore(
  { tar, manifest }: OpenArchive & { readonly manifest: StoreManifest },
  { at, onProgress }: VerifyingStore,
): Promise<{ readonly verified: StoreArchiveVerified; readonly position: Seq }> {
  const { contents, seq } = manifest
  const seeker = at === undefined ? undefined : new MomentSeeker(at, Date.now())
  const pieces = new StoreArchiveReader(tar, manifest, await nodeHashing()).pieces()
  let [objects, bytes, store, last] = [0, 0, '', '']
  for (;;) {
    const next = await pieces.next()
    if (next.done === true) {
      return { verified: { contents, seq, store, last, ...next.value }, position: seeker?.position() ?? seq }
    }
    const { piece, blobs } = next.value
    store = piece.facts.store
    last = piece.facts.last
    for (const { event } of piece.events) seeker?.take(event)
    for await (const { body } of blobs) {
      objects++
      for await (const chunk of body) bytes += chunk.length
      onProgress?.({ objects, bytes })
    }
  }
}
