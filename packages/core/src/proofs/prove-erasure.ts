/** Makes the receipt of an erasure. */
import { StorageError } from '../base/errors.ts'
import { type LogPorts, readEvent, readEventBytes, readLog } from '../events/log.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { contentId } from '../views/contents.ts'
import { addedVersion, erasureFacts, goneContents } from './erasure-facts.ts'
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
  /** Those of them whose bytes are not gone yet, because reads in progress use them. */
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
  const { versions } = erasureFacts(events)
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
  const erased = versions.filter((version) => version.erased !== undefined).length
  const text = formatErasure({ erased, versions: versions.length, entries, checkpoint: checkpoint.text })
  return { text, versions: versions.length, pending: versions.length - erased }
}

/** The requests, what added their versions, and what says that the bytes are gone, in the order of the log. */
async function eventsOf({ log, checkpoint, signal }: Proving, requests: readonly Seq[]): Promise<RecordedEvent[]> {
  const events = new Map<Seq, RecordedEvent>()
  const contents = new Set<string>()
  for (const seq of requests) {
    if (seq > checkpoint.size) throw outOfRange(seq, checkpoint.size)
    const { event } = await readEvent(log, seq)
    if (event.type !== 'ErasureRequested') throw noRequest(seq)
    events.set(seq, event)
    for (const { version } of event.data.versions) {
      signal.throwIfAborted()
      const added = (await readEvent(log, version)).event
      const id = contentId(addedVersion(added)?.data.content ?? { kind: 'empty' })
      if (id !== undefined) contents.add(id)
      events.set(version, added)
    }
  }
  for await (const { event } of readLog(log, { from: Math.min(...requests), to: checkpoint.size })) {
    signal.throwIfAborted()
    const gone = goneContents(event).filter((id) => contents.delete(id))
    if (gone.length > 0) events.set(event.seq, event)
    if (contents.size === 0) break
  }
  return [...events.values()].sort((a, b) => a.seq - b.seq)
}

const noRequest = (seq: Seq): StorageError =>
  new StorageError('InvalidArgument', `Event ${seq} is no ErasureRequested.`, { details: { ArgumentName: 'requests' } })

const outOfRange = (seq: Seq, size: number): StorageError =>
  new StorageError('MomentOutOfRange', `The log has ${size} events, and event ${seq} is not one of them.`, {
    details: { ArgumentName: 'requests', size },
  })

const tooLong = (): StorageError =>
  new StorageError('InvalidRequest', 'The receipt would be too long: make one for fewer requests.')
