/**
 * Finds the bytes that are erased according to a log: on purpose, or by a sweep after their retention. Parts that no version ever had are
 * treated as erased on purpose: nothing can show them.
 */
import type { BlobContent, Content, Erasure, RecordedEvent } from './index.ts'
import { type LogPorts, readLog } from './log.ts'
import type { BlobId, Seq } from '../ports/index.ts'

/** Bytes that were erased. */
export interface ErasedBytes {
  readonly id: BlobId
  /** Where a replica has them: as a blob, or as rows in files, or both, if a blob has a data key. */
  readonly isBlob: boolean
  readonly hasRows: boolean
  /** The event that says so. */
  readonly seq: Seq
  /** The event that freed them, and behind those that brought them. */
  readonly freedBy: Seq
}

type Erased = readonly Pick<ErasedBytes, 'id' | 'isBlob' | 'hasRows'>[]

export const blobsIn = (erased: Erased): readonly BlobId[] => erased.filter(({ isBlob }) => isBlob).map(({ id }) => id)

export const rowsIn = (erased: Erased): readonly BlobId[] => erased.filter(({ hasRows }) => hasRows).map(({ id }) => id)

export interface ScanStep {
  /** The last event to look at. */
  readonly to: Seq
  /** The time of the last event to look at, in milliseconds since the Unix epoch. @default no limit */
  readonly until?: number
  /** Whether bytes are looked for that are to go at once, or those that a sweep erased after their retention. @default both */
  readonly requested?: boolean
  /** Whether parts that no version ever had count as requested. @default true */
  readonly unseen?: boolean
}

/** One step finds not many more. */
const foundMax = 10_000

/** An erasure of the log, whose bytes are those of an upload if `content` says so. */
interface Found {
  readonly erasure: Erasure
  readonly seq: Seq
}

interface Taken {
  readonly erasure: Erasure
  readonly isRequested: boolean
}

export class ErasureScan {
  /** The last event that was looked at. */
  position: Seq
  readonly #log: LogPorts
  /** Contents that somebody had erased and that are not recorded as erased yet, with the event of the request. */
  readonly #open = new Map<string, Seq>()
  #request: Seq = 0

  constructor(log: LogPorts, position: Seq) {
    this.#log = log
    this.position = position
  }

  /** Another scan that begins behind it finds what this one has not found yet. */
  get resumeAt(): Seq {
    const last = this.#isLastRequest ? this.position - 1 : this.position
    return Math.min(last, ...[...this.#open.values()].map((seq) => seq - 1))
  }

  /** Whether what comes next says what of a request was erased. */
  get hasOpen(): boolean {
    return this.#isLastRequest || this.#open.size > 0
  }

  /** Only the event behind it says of which contents the request is. */
  get #isLastRequest(): boolean {
    return this.#request > 0 && this.#request === this.position
  }

  /** The next bytes. All were found when `position` is `to`, or does not advance. @throws StorageError `LogCorrupt` */
  async next(step: ScanStep): Promise<readonly ErasedBytes[]> {
    const { to, until = Number.POSITIVE_INFINITY } = step
    const found: Found[] = []
    if (this.position >= to) return []
    for await (const { event } of readLog(this.#log, { from: this.position + 1, to })) {
      if (event.at > until) break
      for (const erased of this.#take(event))
        if (await this.#isWanted(erased, step)) found.push({ erasure: erased.erasure, seq: event.seq })
      this.position = event.seq
      if (found.length >= foundMax) break
    }
    const parts = await this.#partsOf(found)
    return found.flatMap((each) => bytesOf(each, parts))
  }

  async #isWanted({ erasure, isRequested }: Taken, { requested, unseen = true }: ScanStep): Promise<boolean> {
    if (requested === undefined) return true
    return requested ? isRequested || (unseen && (await this.#isUnseen(erasure))) : !isRequested
  }

  /** Whether no version ever had the bytes: they are parts of an upload that was aborted, that were replaced, or that were not chosen. */
  async #isUnseen({ freedBy, index }: Erasure): Promise<boolean> {
    // An event that frees parts beside the version that it replaces numbers them from 1.
    if (index > 0) return true
    for await (const { event } of readLog(this.#log, { from: freedBy, to: freedBy }))
      return event.type === 'UploadAborted' || event.type === 'PartAdded'
    return false
  }

  #take({ seq, type, data }: RecordedEvent): readonly Taken[] {
    if (type === 'ErasureRequested') this.#request = seq
    if (type === 'ErasureStarted' && this.#request === seq - 1)
      for (const place of data.contents) this.#open.set(placeOf(place), this.#request)
    if (type !== 'ContentsErased') return []
    return data.erased.map((erasure) => {
      const isRequested = this.#open.has(placeOf(erasure))
      if (erasure.continues !== true) this.#open.delete(placeOf(erasure))
      return { erasure, isRequested }
    })
  }

  /** The parts of the uploads that were erased, by upload and number: the last ones that were added before. */
  async #partsOf(found: readonly Found[]): Promise<ReadonlyMap<string, BlobContent>> {
    const parts = new Map<string, BlobContent>()
    const uploads = new Set(
      found.flatMap(({ erasure: { content } }) => (content.kind === 'parts' ? content.upload : [])),
    )
    if (uploads.size === 0) return parts
    const from = [...uploads].reduce((first, upload) => Math.min(first, upload), Number.MAX_SAFE_INTEGER)
    for await (const { event } of readLog(this.#log, { from, to: this.position })) {
      if (event.type !== 'PartAdded' || !uploads.has(event.data.upload)) continue
      const { content, upload, partNumber } = event.data
      if (content.kind === 'blob') parts.set(partOf(upload, partNumber), content)
    }
    return parts
  }
}

const placeOf = ({ freedBy, index }: Pick<Erasure, 'freedBy' | 'index'>): string => `${freedBy}/${index}`
const partOf = (upload: Seq, partNumber: number): string => `${upload}/${partNumber}`

function bytesOf({ erasure, seq }: Found, parts: ReadonlyMap<string, BlobContent>): readonly ErasedBytes[] {
  const { content, partNumbers = [], freedBy } = erasure
  const contents: readonly (Content | undefined)[] =
    content.kind === 'parts' ? partNumbers.map((number) => parts.get(partOf(content.upload, number))) : [content]
  return contents.flatMap((each) => {
    if (each?.kind !== 'blob') return []
    const { blob, sealed } = each
    return { id: blob.id, isBlob: !blob.inline, hasRows: blob.inline || sealed !== undefined, seq, freedBy }
  })
}
