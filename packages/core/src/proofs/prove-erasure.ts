/** Makes the receipt of an erasure. */
import { StorageError } from '../base/errors.ts'
import { type LogPorts, readEvent, readEventBytes, readLog } from '../events/log.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { placeName } from '../views/content-tables.ts'
import { contentId } from '../views/contents.ts'
import { addedVersion, erasureFacts, goneContents } from './erasure-facts.ts'
import { gonePlaces, startedContents } from './erased-uploads.ts'
import { formatErasure } from './erasure-file.ts'
import type { SignedCheckpoint } from './log-signing.ts'
import { inclusionPath, type TreeHashes } from './merkle-tree.ts'
import { proofMax, type ProvenEntry } from './proof-file.ts'

/** A receipt of one erasure, or of several. */
export interface ErasureReceipt {
  /** The text of the receipt. */
  readonly text: string
  /** The versions whose erasure was requested. */
  readonly versions: number
  /** The uploads whose erasure was requested. */
  readonly uploads: number
  /** Those of both whose bytes are not gone yet, because reads in progress use them. */
  readonly pending: number
}

interface Proving {
  readonly log: LogPorts
  readonly checkpoint: SignedCheckpoint
  readonly hashes: TreeHashes
  readonly signal: AbortSignal
}

/**
 * @param requests The positions of the `ErasureRequested`.
 * @throws StorageError `MomentOutOfRange`, `InvalidArgument` for another event, `InvalidRequest` if the receipt would be too long
 */
export async function proveErasure(proving: Proving, requests: readonly Seq[]): Promise<ErasureReceipt> {
  const { log, checkpoint, hashes, signal } = proving
  const events = await eventsOf(proving, requests)
  const { versions, uploads } = erasureFacts(events)
  const entries: ProvenEntry[] = []
  let length = checkpoint.text.length
  for (const { seq } of events) {
    signal.throwIfAborted()
    const path = await inclusionPath(hashes, seq - 1, checkpoint.size)
    const event = await readEventBytes(log, seq)
    length += Math.ceil(event.length / 3) * 4 + (path.length + 1) * 45 + 30
    if (length > proofMax) throw tooLong()
    entries.push({ event, index: seq - 1, path })
  }
  const all = [...versions, ...uploads]
  const erased = all.filter((each) => each.erased !== undefined).length
  const text = formatErasure({ erased, versions: all.length, entries, checkpoint: checkpoint.text })
  return { text, versions: versions.length, uploads: uploads.length, pending: all.length - erased }
}

/** The requests, what added their versions or freed parts of their uploads, and what says that the bytes are gone, in the order of the log. */
async function eventsOf(proving: Proving, requests: readonly Seq[]): Promise<RecordedEvent[]> {
  const { log, checkpoint, signal } = proving
  const found: Found = { events: new Map(), contents: new Set(), places: new Set() }
  const { events, contents, places } = found
  for (const seq of requests) {
    if (seq > checkpoint.size) throw outOfRange(seq, checkpoint.size)
    const { event } = await readEvent(log, seq)
    if (event.type !== 'ErasureRequested') throw noRequest(seq)
    events.set(seq, event)
    if (event.data.versions.length === 0) await addUploads(proving, seq, found)
    else await addVersions(proving, event, found)
  }
  for await (const { event } of readLog(log, { from: Math.min(...requests), to: checkpoint.size })) {
    signal.throwIfAborted()
    const gone = [
      ...goneContents(event).filter((id) => contents.delete(id)),
      ...gonePlaces(event).filter((place) => places.delete(place)),
    ]
    if (gone.length > 0) events.set(event.seq, event)
    if (contents.size + places.size === 0) break
  }
  return [...events.values()].sort((a, b) => a.seq - b.seq)
}

interface Found {
  readonly events: Map<Seq, RecordedEvent>
  /** What is to be gone: contents of versions, and places of parts of uploads. */
  readonly contents: Set<string>
  readonly places: Set<string>
}

async function addVersions(
  { log, signal }: Proving,
  { data }: RecordedEvent<'ErasureRequested'>,
  { events, contents }: Found,
): Promise<void> {
  for (const { version } of data.versions) {
    signal.throwIfAborted()
    const added = (await readEvent(log, version)).event
    const id = contentId(addedVersion(added)?.data.content ?? { kind: 'empty' })
    if (id !== undefined) contents.add(id)
    events.set(version, added)
  }
}

async function addUploads({ log, signal }: Proving, request: Seq, { events, places }: Found): Promise<void> {
  const start = (await readEvent(log, request + 1)).event
  events.set(start.seq, start)
  for (const place of startedContents(start)) {
    signal.throwIfAborted()
    places.add(placeName(place))
    events.set(place.freedBy, (await readEvent(log, place.freedBy)).event)
  }
}

const noRequest = (seq: Seq): StorageError =>
  new StorageError('InvalidArgument', `Event ${seq} is no ErasureRequested.`, { details: { ArgumentName: 'requests' } })

const outOfRange = (seq: Seq, size: number): StorageError =>
  new StorageError('MomentOutOfRange', `The log has ${size} events, and event ${seq} is not one of them.`, {
    details: { ArgumentName: 'requests', size },
  })

const tooLong = (): StorageError =>
  new StorageError('InvalidRequest', 'The receipt would be too long.', { hint: 'Make one for fewer requests.' })
