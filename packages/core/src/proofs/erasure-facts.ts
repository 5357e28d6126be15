/** What the events of an erasure say: which versions and uploads, and which of their bytes are gone. */
import type { Actor, Checksum, RecordedEvent } from '../events/index.ts'
import { versionId } from '../naming/version-id.ts'
import type { Seq } from '../ports/index.ts'
import { contentId } from '../views/contents.ts'
import { erasedUploads, type ProvenErasedUpload } from './erased-uploads.ts'
import { invalidProof } from './proof-errors.ts'

/** Somebody had bytes erased. */
export interface ProvenErasureRequest {
  /** The position of the `ErasureRequested`. */
  readonly seq: Seq
  readonly at: Date
  readonly by: Actor
  readonly requestId: string
  readonly bucket: string
}

/** A version whose bytes somebody had erased, as the event that added it describes it. */
export interface ProvenErasedVersion {
  readonly bucket: string
  readonly key: string
  readonly versionId: string
  /** The position of the event that added it. */
  readonly seq: Seq
  /** Bytes. */
  readonly size: number
  readonly etag: string
  readonly checksum?: Checksum
  /** The bytes were encrypted, each with a data key of its own, which was dropped with them. */
  readonly encrypted: boolean
  /** When the store recorded that the bytes are gone. Absent: they waited for reads in progress when the receipt was made. */
  readonly erased?: { readonly seq: Seq; readonly at: Date }
}

export interface ErasureFacts {
  readonly requests: readonly ProvenErasureRequest[]
  /** In the order of the requests. */
  readonly versions: readonly ProvenErasedVersion[]
  /** In the order of the requests. */
  readonly uploads: readonly ProvenErasedUpload[]
}

type Added = RecordedEvent<'VersionAdded' | 'UploadCompleted'>

/** The event that added a version with bytes. */
export const addedVersion = (event: RecordedEvent): Added | undefined =>
  event.type === 'VersionAdded' || event.type === 'UploadCompleted' ? (event as Added) : undefined

/** The contents that an event says are gone. */
export const goneContents = ({ type, data }: RecordedEvent): readonly string[] =>
  type === 'ContentsErased'
    ? data.erased.flatMap(({ content, continues }) => (continues === true ? [] : (contentId(content) ?? [])))
    : []

/**
 * Joins the events of an erasure. They are in the order of the log.
 * @throws StorageError `ProofInvalid`, kind `event`, if one is missing, or has no part in the erasure
 */
export function erasureFacts(events: readonly RecordedEvent[]): ErasureFacts {
  const bySeq = new Map(events.map((event) => [event.seq, event]))
  const used = new Set<Seq>()
  const requests: ProvenErasureRequest[] = []
  const versions: ProvenErasedVersion[] = []
  const uploads: ProvenErasedUpload[] = []
  for (const event of events) {
    if (event.type !== 'ErasureRequested') continue
    const { seq, at, by, requestId, data } = event
    used.add(seq)
    requests.push({ seq, at: new Date(at), by, requestId, bucket: data.bucket })
    for (const { key, version } of data.versions) {
      const added = addedIn(bySeq, data.bucket, key, version)
      const gone = goneAfter(events, seq, contentId(added.data.content))
      used.add(version)
      if (gone !== undefined) used.add(gone.seq)
      versions.push(erasedVersion(added, gone))
    }
    if (data.versions.length === 0) uploads.push(...erasedUploads(events, event, used))
  }
  if (requests.length === 0 || used.size !== events.length) {
    throw invalidProof('event', 'The events of the receipt are not those of an erasure.')
  }
  return { requests, versions, uploads }
}

function addedIn(events: ReadonlyMap<Seq, RecordedEvent>, bucket: string, key: string, version: Seq): Added {
  const event = events.get(version)
  const added = event && addedVersion(event)
  if (added?.data.bucket === bucket && added.data.key === key) return added
  throw invalidProof('event', `The receipt lacks the event ${version}, which added an erased version.`)
}

const goneAfter = (events: readonly RecordedEvent[], seq: Seq, id: string | undefined): RecordedEvent | undefined =>
  id === undefined ? undefined : events.find((event) => event.seq > seq && goneContents(event).includes(id))

function erasedVersion({ seq, epoch, data }: Added, gone: RecordedEvent | undefined): ProvenErasedVersion {
  const { bucket, key, size, etag, checksum, encryption } = data
  return {
    bucket,
    key,
    versionId: versionId({ ...data, seq, epoch }),
    seq,
    size,
    etag,
    ...(checksum && { checksum }),
    encrypted: encryption !== undefined,
    ...(gone && { erased: { seq: gone.seq, at: new Date(gone.at) } }),
  }
}
