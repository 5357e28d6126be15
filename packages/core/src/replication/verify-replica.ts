/** Proves that a replica can be restored, without restoring it: every event, and that the bytes which the events brought are there. */
import type { Cancelable } from '../api/types/index.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import { isSealed } from '../bytes/frame.ts'
import { readBlob } from '../content/blob-reader.ts'
import { RunBuffers } from '../content/run-buffers.ts'
import { type Brought, broughtBlob } from '../events/brought-blob.ts'
import type { RecordedEvent } from '../events/index.ts'
import { readLogPages } from '../events/log.ts'
import type { BlobId, Hashing, Seq, SideRowKind } from '../ports/index.ts'
import { sideRowKey } from '../views/side-row-key.ts'
import type { ReplicaReader } from './replica-reader.ts'
import { viewsOf } from './stored-views.ts'

export interface ReplicaCheck extends Cancelable {
  readonly reader: ReplicaReader
  readonly hashing: Hashing
  /** Whether the bytes are read, looked for, or neither. @default `present` */
  readonly blobs?: 'read' | 'present' | 'skip'
  /** Which blobs are looked at. @default all */
  isChosen?(id: BlobId): boolean
  onProgress?(progress: { readonly done: Seq; readonly total: Seq }): void
}

/** Something that a restore would lack. */
export interface ReplicaFinding {
  /** The event that brought it. */
  readonly seq: Seq
  readonly blob: BlobId
  readonly error: StorageError
}

/** What a check of a replica has found. */
export interface ReplicaVerified {
  readonly events: number
  /** The last event of which the replica has the rows of all views, each of them read. 0: there are none, and a restore computes them. */
  readonly views: Seq
  /** Those that were looked at. */
  readonly blobs: number
  /** How many are missing as the log says: they were erased. */
  readonly erased: number
  /** The number of findings. */
  readonly damaged: number
  /** The first of them. */
  readonly findings: readonly ReplicaFinding[]
}

const findingsMax = 1000
/** Of more that are missing, it is not looked whether they were erased. */
const missingMax = 1_000_000

/** @throws StorageError `LogCorrupt` or `ReplicaCorrupt` for damage in the log, before which a restore ends; the reason of `signal` */
export async function verifyReplica(check: ReplicaCheck): Promise<ReplicaVerified> {
  return new ReplicaVerifier(check).run()
}

class ReplicaVerifier {
  readonly #check: ReplicaCheck
  readonly #findings: ReplicaFinding[] = []
  #damaged = 0
  /** What is not there, with the event that brought it: a later event can say that it was erased. */
  readonly #missing = new Map<BlobId, Seq>()
  /** Those of them that are parts. */
  readonly #parts = new Map<string, BlobId>()
  #erased = 0
  #blobs = 0

  constructor(check: ReplicaCheck) {
    this.#check = check
  }

  async run(): Promise<ReplicaVerified> {
    const { reader, hashing, signal, onProgress, blobs = 'present', isChosen = () => true } = this.#check
    const head = reader.end()
    for await (const page of readLogPages({ journal: reader.journal, hashing }, { to: head })) {
      signal?.throwIfAborted()
      const brought = page.flatMap(({ event }) => broughtBlob(event) ?? []).filter(({ id }) => isChosen(id))
      if (blobs !== 'skip') await this.#look(brought, blobs)
      for (const { event } of page) this.#settle(event)
      onProgress?.({ done: page.at(-1)?.event.seq ?? 0, total: head })
    }
    for (const [blob, seq] of this.#missing) this.#note({ seq, blob, error: missingBytes(blob) })
    return {
      events: head,
      views: await viewsOf(reader, head, { hashing, isRead: blobs !== 'skip' }),
      blobs: this.#blobs,
      erased: this.#erased,
      damaged: this.#damaged,
      findings: this.#findings.toSorted((a, b) => a.seq - b.seq),
    }
  }

  #note(finding: ReplicaFinding): void {
    this.#damaged++
    if (this.#findings.length < findingsMax) this.#findings.push(finding)
  }

  /** Bytes that the log says are erased may be missing, and may be there. */
  #settle({ type, data }: RecordedEvent): void {
    if (type === 'PartAdded' && data.content.kind === 'blob' && this.#missing.has(data.content.blob.id))
      this.#parts.set(partOf(data.upload, data.partNumber), data.content.blob.id)
    if (type !== 'ContentsErased') return
    for (const { content, partNumbers = [] } of data.erased) {
      if (content.kind === 'blob') this.#forget(content.blob.id)
      if (content.kind === 'parts')
        for (const number of partNumbers) this.#forget(this.#parts.get(partOf(content.upload, number)))
    }
  }

  #forget(id: BlobId | undefined): void {
    if (id !== undefined && this.#missing.delete(id)) this.#erased++
  }

  async #look(brought: readonly Brought[], how: 'read' | 'present'): Promise<void> {
    for (const blob of brought) {
      this.#blobs++
      const error = await this.#faultOf(blob, how)
      if (error === undefined) continue
      if (error.code === 'BlobMissing' && this.#missing.size < missingMax) this.#missing.set(blob.id, blob.seq)
      else this.#note({ seq: blob.seq, blob: blob.id, error })
    }
  }

  async #faultOf(brought: Brought, how: 'read' | 'present'): Promise<StorageError | undefined> {
    const { content } = brought
    try {
      if (content.sealed !== undefined) await this.#assertRow('keys', brought)
      if (content.blob.inline) await this.#assertRow('inline', brought)
      else await this.#readBlob(brought, how)
      return undefined
    } catch (error) {
      if (isStorageError(error, 'BlobMissing', 'BlobCorrupt', 'ReplicaCorrupt')) return error
      throw error
    }
  }

  async #assertRow(kind: SideRowKind, brought: Brought): Promise<void> {
    const { reader, hashing } = this.#check
    const [frame] = await reader.sideRows(kind, [brought])
    if (frame === undefined) throw missingBytes(brought.id)
    if (!isSealed(hashing, sideRowKey(kind, brought.id), frame)) throw damagedBytes(brought.id)
  }

  async #readBlob({ content: { blob } }: Brought, how: 'read' | 'present'): Promise<void> {
    const { reader, hashing } = this.#check
    const end = how === 'read' ? blob.size : 0
    const options = { blobs: reader.blobs, hashing, buffers: new RunBuffers(), reuseBuffers: true }
    for await (const _ of readBlob(options, blob, { start: 0, end }));
  }
}

const partOf = (upload: Seq, partNumber: number): string => `${upload}/${partNumber}`

const missingBytes = (blob: BlobId): StorageError =>
  bytesFault('BlobMissing', blob, 'The replica does not have these bytes.')
const damagedBytes = (blob: BlobId): StorageError =>
  bytesFault('BlobCorrupt', blob, 'These bytes of the replica are damaged.')

const bytesFault = (code: 'BlobMissing' | 'BlobCorrupt', blob: BlobId, message: string): StorageError =>
  new StorageError(code, message, { details: { blob } })
