/**
 * The owner's end of a session with a worker. It answers the worker's requests, and holds the worker's reads, snapshots
 * and marks until the worker ends them, or dies.
 */
import {
  type BlobId,
  type Command,
  type DamagedBytes,
  type OwnedLog,
  type RowCursor,
  type RowReader,
  StorageError,
  type StoredEvent,
} from '@varve/core'
import type { Frame, FrameLink } from './frame-link.ts'
import { type HeldSnapshot, hold } from './held-snapshot.ts'
import { packBytes, packEvents, packHashes, packJson, packNumbers, packRows, Unpacker } from './packed.ts'
import { errorOf, type PlainError, plainError } from './plain-error.ts'
import { notice, reply, request, rowAnswer, type SentMoment, type StateNews } from './protocol.ts'
import { receiptFor } from './receipt-for.ts'
import { RowMarks } from './row-marks.ts'

/** For a worker that does not confirm that it has dropped a row, while commits wait for it. */
export interface Stalling {
  /** How long they wait, in milliseconds. @default 5000 */
  readonly stalledMs?: number
  /** Must end the worker, and then the link or session. */
  onStalled(): void
}

type Payload = readonly Uint8Array[]

export class OwnerSession {
  readonly #owner: OwnedLog
  readonly #link: FrameLink
  readonly #number: number
  readonly #snapshots = new Map<number, HeldSnapshot>()
  readonly #cursors = new Map<number, Promise<RowCursor>>()
  readonly #reads = new Map<number, () => void>()
  readonly #marked = new Set<BlobId>()
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #marks: RowMarks
  readonly #removeMarks: (() => void) | undefined
  #sentState = ''
  #ended = false

  /** Begins by sending the state of the store. */
  constructor(owner: OwnedLog, link: FrameLink, number: number, { stalledMs = 5000, onStalled }: Stalling) {
    this.#owner = owner
    this.#link = link
    this.#number = number
    const send = (id: number, hashes: readonly number[] = []) => this.#reply(reply.drop, id, [packHashes(hashes)])
    this.#marks = new RowMarks({ send, stalledMs, onStalled })
    this.#removeMarks = owner.changes?.holders.add(this.#marks)
    this.sendState()
  }

  /** Sends the state of the store, if it changed. */
  sendState(): void {
    const { state, failure } = this.#owner
    // The worker would take a state of an ended session for the start of another one.
    if (this.#ended || this.#sentState === state) return
    this.#sentState = state
    const news: StateNews = { state, ...(failure && { failure: plainError(failure) }) }
    this.#reply(reply.state, 0, [packJson(news)])
  }

  /** Handles a frame of the worker in this session. */
  hear(frame: Frame): void {
    const answer = this.#answerTo(frame)
    if (answer === undefined) return this.#take(frame)
    const settled = answer
      .then((payload) => this.#reply(reply.answer, frame.id, payload))
      .catch((error: unknown) => {
        // Sent first, so that the worker knows the state of the store when it receives the refusal.
        this.sendState()
        this.#reply(reply.refusal, frame.id, [packJson(plainError(error))])
      })
      .finally(() => this.#underWay.delete(settled))
    this.#underWay.add(settled)
  }

  /**
   * Releases everything that the worker held, when the worker has died or begins another session. Resolves with the
   * blobs that it left without a name.
   */
  async end(): Promise<readonly BlobId[]> {
    this.#ended = true
    this.#removeMarks?.()
    this.#marks.end()
    for (const release of this.#reads.values()) release()
    await Promise.all(this.#underWay)
    for (const id of this.#cursors.keys()) this.#closeCursor(id)
    for (const { release } of this.#snapshots.values()) release()
    const left = [...this.#marked]
    if (left.length > 0) await this.#owner.releaseMarks(left)
    return left
  }

  /** Returns `undefined` for a frame without an answer. */
  #answerTo({ kind, payload }: Frame): Promise<Payload> | undefined {
    switch (kind) {
      case request.get:
        return this.#get(new Unpacker(payload))
      case request.getMany:
        return this.#getMany(new Unpacker(payload))
      case request.next:
        return this.#next(new Unpacker(payload))
      case request.events:
        return this.#events(new Unpacker(payload))
      case request.submit:
        return this.#submit(new Unpacker(payload))
      case request.mark:
        return this.#mark(payload.toString())
      case request.position:
        return this.#position(new Unpacker(payload))
      case request.erased:
        return this.#erased(new Unpacker(payload))
      case request.heal:
        return this.#heal(new Unpacker(payload))
      case request.receipt:
        return receiptFor(this.#owner, new Unpacker(payload).number())
      default:
        return undefined
    }
  }

  #take({ kind, id, payload }: Frame): void {
    switch (kind) {
      case notice.openCursor:
        return this.#openCursor(id, new Unpacker(payload))
      case notice.seek: {
        const key = new Uint8Array(payload)
        return void this.#cursors.get(id)?.then((cursor) => cursor.seek(key), ignored)
      }
      case notice.closeCursor:
        return this.#closeCursor(id)
      case notice.closeSnapshot:
        this.#snapshots.get(id)?.release()
        return void this.#snapshots.delete(id)
      case notice.fail:
        this.#owner.fail(errorOf(new Unpacker(payload).json<PlainError>()))
        return this.sendState()
      case notice.beginRead:
        return void this.#reads.set(
          id,
          this.#owner.beginRead(payload.length === 0 ? undefined : payload.readDoubleBE(0)),
        )
      case notice.endRead:
        this.#reads.get(id)?.()
        return void this.#reads.delete(id)
      case notice.unmark:
        return this.#unmark(payload.toString())
      case notice.dropped:
        return this.#marks.confirm(id)
    }
  }

  async #get(question: Unpacker): Promise<Payload> {
    const snapshot = question.number()
    // Before the row is read: a commit that settles meanwhile may not be in it.
    const settled = this.#owner.changes?.settled ?? 0
    const rows = this.#rows(snapshot)
    const state = this.#snapshots.get(snapshot)?.state ?? settled
    const key = new Uint8Array(question.rest())
    const row = await (await rows).get(key)
    return this.#markedRow(key, row, state)
  }

  /**
   * Whether the worker may keep the row is decided and marked in one step, so each commit is either seen here or announced. If
   * it is announced before the row is sent, the worker does not keep the row, since it had requested it before.
   */
  #markedRow(key: Uint8Array, row: Uint8Array | undefined, state: number): Payload {
    const { changes, state: storeState } = this.#owner
    const mayKeep =
      changes !== undefined && storeState !== 'closed' && !this.#ended && !changes.isTouchedSince(key, state)
    if (mayKeep) this.#marks.mark(key)
    const first = Uint8Array.of((row === undefined ? 0 : rowAnswer.isThere) + (mayKeep ? rowAnswer.mayKeep : 0))
    return row === undefined ? [first] : [first, row]
  }

  async #getMany(question: Unpacker): Promise<Payload> {
    const rows = this.#rows(question.number())
    const keys = question.allBytes().map((key) => new Uint8Array(key as Buffer))
    return packBytes(await (await rows).getMany(keys))
  }

  async #next(question: Unpacker): Promise<Payload> {
    const cursor = await this.#cursors.get(question.number())
    if (cursor === undefined) throw new TypeError('There is no such cursor.')
    return packRows(await cursor.next(question.number()))
  }

  async #events(question: Unpacker): Promise<Payload> {
    const range = { from: question.number(), to: question.number() }
    const events: StoredEvent[] = []
    for await (const event of this.#owner.log.events(range)) events.push(event)
    return packEvents(events)
  }

  async #submit(question: Unpacker): Promise<Payload> {
    const command = JSON.parse((question.bytes() as Buffer).toString('utf8')) as Command
    const sideRows = question.changes()
    this.#owner.assertOpen()
    // Only the owner counts the disk space that the log needs.
    if (sideRows.length > 0) await this.#owner.assertRoom()
    const events = await this.#owner.submit(command, sideRows)
    const named = blobOf(command)
    if (named !== undefined) this.#unmark(named)
    return [packJson(events)]
  }

  async #position(question: Unpacker): Promise<Payload> {
    const sent = question.json<SentMoment>()
    return [packNumbers(await this.#owner.positionOf(typeof sent === 'object' ? new Date(sent.time) : sent))]
  }

  async #erased(question: Unpacker): Promise<Payload> {
    await this.#owner.erased(question.number())
    return []
  }

  async #heal(question: Unpacker): Promise<Payload> {
    return [packNumbers(Number((await this.#owner.heal?.(question.json<DamagedBytes>())) === true))]
  }

  async #mark(id: BlobId): Promise<Payload> {
    this.#owner.assertOpen()
    await this.#owner.inFlight.add(id)
    this.#marked.add(id)
    return []
  }

  #unmark(id: BlobId): void {
    this.#owner.inFlight.delete(id)
    this.#marked.delete(id)
  }

  #openCursor(id: number, question: Unpacker): void {
    const [snapshot, reverse] = [question.number(), question.number() === 1]
    const [gte, lt] = [new Uint8Array(question.bytes() as Buffer), new Uint8Array(question.bytes() as Buffer)]
    const cursor = this.#rows(snapshot).then((rows) => rows.cursor({ gte, lt, reverse }))
    cursor.catch(ignored)
    this.#cursors.set(id, cursor)
  }

  #closeCursor(id: number): void {
    this.#cursors
      .get(id)
      ?.then((cursor) => cursor.close(), ignored)
      .catch(ignored)
    this.#cursors.delete(id)
  }

  /** 0 reads the latest committed state. Any other number reads the state at the time of its first use. */
  async #rows(snapshot: number): Promise<RowReader> {
    this.#owner.assertOpen()
    if (snapshot === 0) return this.#owner.log
    const held = this.#snapshots.get(snapshot) ?? hold(this.#owner)
    this.#snapshots.set(snapshot, held)
    return held.rows
  }

  #reply(kind: number, id: number, payload: Payload): void {
    this.#link.send({ kind, session: this.#number, id }, ...payload)
  }
}

/** Refuses a request of an ended session, or of an unknown worker. */
export function refuse(link: FrameLink, { kind, session, id }: Frame): void {
  if (kind >= notice.openCursor) return
  const closed = new StorageError('StoreClosed', 'The store is closed.')
  link.send({ kind: reply.refusal, session, id }, packJson(plainError(closed)))
}

function blobOf({ type, data }: Command): BlobId | undefined {
  const content = type === 'PutObject' ? data.facts.content : type === 'UploadPart' ? data.content : undefined
  return content?.kind === 'blob' && !content.blob.inline ? content.blob.id : undefined
}

const ignored = (): void => undefined
