/** What the events of an erasure say about uploads: which parts of them, and which of these are gone. */
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { type GarbagePlace, placeName } from '../views/content-tables.ts'
import { invalidProof } from './proof-errors.ts'

/** An upload whose bytes somebody had erased, as far as no version ever had them. */
export interface ProvenErasedUpload {
  readonly bucket: string
  readonly key: string
  /** The position of the event that started it. */
  readonly seq: Seq
  /** True if all its parts were erased, false if only parts that were replaced or that its object did not use. */
  readonly aborted: boolean
  /** When the store recorded that the last of the bytes are gone. Absent: some waited for reads in progress when the receipt was made. */
  readonly erased?: { readonly seq: Seq; readonly at: Date }
}

type Freeing = RecordedEvent<'UploadAborted' | 'PartAdded' | 'UploadCompleted'>

/** The contents that the request of an event started to erase. A request without versions is for uploads, and the next event starts it. */
export const startedContents = ({ type, data }: RecordedEvent): readonly GarbagePlace[] =>
  type === 'ErasureStarted' ? data.contents : []

/** The contents that an event says are gone, by their places. */
export const gonePlaces = ({ type, data }: RecordedEvent): readonly string[] =>
  type === 'ContentsErased'
    ? data.erased.flatMap((erasure) => (erasure.continues === true ? [] : placeName(erasure)))
    : []

/** Of one upload: an event that freed parts of it, and for each of its contents the event that says that it is gone. */
interface Parts {
  readonly by: Freeing
  aborted: boolean
  readonly gone: (RecordedEvent | undefined)[]
}

/**
 * The uploads of a request, by their start. `used` receives the events that say so.
 * @throws StorageError `ProofInvalid`, kind `event`, if one is missing
 */
export function erasedUploads(
  events: readonly RecordedEvent[],
  { seq, data }: RecordedEvent<'ErasureRequested'>,
  used: Set<Seq>,
): readonly ProvenErasedUpload[] {
  const bySeq = new Map(events.map((event) => [event.seq, event]))
  const start = bySeq.get(seq + 1)
  const contents = start === undefined ? [] : startedContents(start)
  if (contents.length === 0)
    throw invalidProof('event', `The receipt lacks the event ${seq + 1}, which began the erasure.`)
  used.add(seq + 1)
  const goneBy = goneAfter(events, seq)
  const uploads = new Map<Seq, Parts>()
  for (const place of contents) {
    const by = freeingIn(bySeq, data.bucket, place)
    const gone = goneBy.get(placeName(place))
    used.add(by.seq)
    if (gone !== undefined) used.add(gone.seq)
    const upload = uploads.get(by.data.upload) ?? { aborted: false, by, gone: [] }
    upload.gone.push(gone)
    if (by.type === 'UploadAborted') upload.aborted = true
    uploads.set(by.data.upload, upload)
  }
  return [...uploads.values()].map(erasedUpload).sort((a, b) => a.seq - b.seq)
}

/** The first event after the request that says of a place that it is gone. */
function goneAfter(events: readonly RecordedEvent[], request: Seq): ReadonlyMap<string, RecordedEvent> {
  const goneBy = new Map<string, RecordedEvent>()
  for (const event of events) {
    if (event.seq < request) continue
    for (const place of gonePlaces(event)) if (!goneBy.has(place)) goneBy.set(place, event)
  }
  return goneBy
}

function erasedUpload({ by, aborted, gone }: Parts): ProvenErasedUpload {
  const { bucket, key, upload } = by.data
  const last = gone.includes(undefined) ? undefined : gone.reduce((a, b) => ((b?.seq ?? 0) > (a?.seq ?? 0) ? b : a))
  return { bucket, key, seq: upload, aborted, ...(last && { erased: { seq: last.seq, at: new Date(last.at) } }) }
}

/** The event that freed parts of an upload which no version ever had. */
function freeingIn(events: ReadonlyMap<Seq, RecordedEvent>, bucket: string, { freedBy, index }: GarbagePlace): Freeing {
  const event = events.get(freedBy)
  if (event !== undefined && freesParts(event, index) && event.data.bucket === bucket) return event
  throw invalidProof('event', `The receipt lacks the event ${freedBy}, which freed parts of an upload.`)
}

function freesParts(event: RecordedEvent, index: number): event is Freeing {
  const { type, data } = event
  if (type === 'UploadCompleted') return index > 0 && index <= data.unused.length
  return index === 0 && (type === 'UploadAborted' || (type === 'PartAdded' && data.replaces !== undefined))
}
