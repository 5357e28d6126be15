/** The log service as a worker uses it: the owner is in another process, at the other end of a link. */
import {
  type BlobId,
  type SideRows,
  type Command,
  type DamagedBytes,
  HeldRows,
  isStorageError,
  type LogService,
  type Moment,
  type Receipts,
  type RecordedEvent,
  type RowCursor,
  type RowRange,
  type RowReader,
  type RowSnapshot,
  type Seq,
  type Soon,
  StorageError,
  type StoredEvent,
  type StoreState,
} from '@varve/core'
import { systemTimer } from '@varve/adapters'
import type { Frame, FrameLink } from './frame-link.ts'
import { packBytes, packChanges, packJson, packNumbers, unpackHashes, Unpacker } from './packed.ts'
import { errorOf, type PlainError, plainError } from './plain-error.ts'
import { notice, reply, request, rowAnswer, type SentMoment, type StateNews } from './protocol.ts'

/** The memory for rows that are read often, in each worker. */
const heldBytes = { rows: 4 * 1024 * 1024, frames: 8 * 1024 * 1024 }

interface Waiting {
  resolve(payload: Buffer): void
  reject(error: Error): void
}

/** One session. It ends when the store is closed, and its requests cannot continue in the next one. */
export class RemoteOwner implements LogService {
  readonly inFlight = {
    add: (id: BlobId): Promise<unknown> => this.#request(request.mark, Buffer.from(id)),
    delete: (id: BlobId): void => this.#notice(notice.unmark, 0, Buffer.from(id)),
  }
  readonly receipts: Receipts = {
    async ready(signal) {
      signal?.throwIfAborted()
      await this.of(0)
    },
    of: async (seq) => (await this.#request(request.receipt, packNumbers(seq))).toString(),
  }
  readonly log: LogService['log']
  readonly #link: FrameLink
  readonly #session: number
  readonly #waiting = new Map<number, Waiting>()
  readonly #held = new HeldRows(heldBytes, systemTimer)
  readonly #isOwned: () => boolean
  /** Reads whose begin was not sent yet, and their positions. */
  readonly #unsent = new Map<number, Seq | undefined>()
  #state: StoreState = 'open'
  #failure: StorageError | undefined
  #lastId = 0

  /** `isOwned` returns false if the owner's process is gone: another one may then own the log, and kept rows are old. */
  constructor(link: FrameLink, session: number, isOwned: () => boolean = () => true) {
    this.#link = link
    this.#session = session
    this.#isOwned = isOwned
    const newest = this.#reader(() => 0)
    const get = (key: Uint8Array): Soon<Uint8Array | undefined> => this.#held.frame(key, async () => newest.get(key))
    this.log = { ...newest, get, events: (range) => this.#events(range) }
  }

  get state(): StoreState {
    return this.#state
  }

  get failure(): StorageError | undefined {
    return this.#failure
  }

  assertOpen(): void {
    if (this.#state === 'closed') throw closed()
  }

  get changes(): HeldRows | undefined {
    return this.#keepsRows ? this.#held : undefined
  }

  get #keepsRows(): boolean {
    return this.#state !== 'closed' && this.#isOwned()
  }

  /** Handles a frame of the owner in this session. */
  hear({ kind, id, payload }: Frame): void {
    if (kind === reply.drop) return this.#drop(id, unpackHashes(payload))
    if (kind === reply.state) return this.#learn(new Unpacker(payload).json<StateNews>())
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (kind === reply.answer) waiting?.resolve(payload)
    else waiting?.reject(errorOf(new Unpacker(payload).json<PlainError>()))
  }

  /**
   * Ends the session, when another one begins or the other end is gone. Open requests fail, although their commands may
   * have been committed.
   */
  end(): void {
    this.#state = 'closed'
    this.#failure ??= unknownOutcome(closed())
    for (const { reject } of this.#waiting.values()) reject(closed())
    this.#waiting.clear()
  }

  async withSnapshot<R>(work: (rows: RowReader) => Soon<R>): Promise<R> {
    if (this.#keepsRows) return this.#held.withSnapshot(() => this.#snapshot(), work)
    const snapshot = this.#snapshot()
    try {
      return await work(snapshot)
    } finally {
      await snapshot.close()
    }
  }

  #snapshot(): RowSnapshot {
    let snapshot = 0
    return {
      ...this.#reader(() => (snapshot ||= this.#nextId())),
      close: async () => {
        if (snapshot !== 0) this.#notice(notice.closeSnapshot, snapshot)
      },
    }
  }

  /** Frames of the owner keep their order: each row that it sent before is dropped too, wherever it is now. */
  #drop(id: number, hashes: readonly number[]): void {
    if (hashes.length === 0) this.#held.dropAll()
    else this.#held.drop(hashes)
    this.#notice(notice.dropped, id)
  }

  async submit(command: Command, sideRows: SideRows = []): Promise<readonly RecordedEvent[]> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      const answer = await this.#request(request.submit, ...packBytes([packJson(command)]), ...packChanges(sideRows))
      return new Unpacker(answer).json<readonly RecordedEvent[]>()
    } catch (error) {
      if (isStorageError(error, 'StoreFailed')) this.#failure ??= error
      throw error
    }
  }

  fail(cause: unknown): StorageError {
    if (this.#failure === undefined) this.#notice(notice.fail, 0, packJson(plainError(cause)))
    return (this.#failure ??= unknownOutcome(cause))
  }

  /**
   * The begin is sent before the next frame of any kind. Until then the read has only used kept rows, and no commit can
   * remove what they name before this worker has sent a confirmation.
   */
  beginRead(at?: Seq): () => void {
    const id = this.#nextId()
    this.#unsent.set(id, at)
    let ended = false
    return () => {
      if (!ended && !this.#unsent.delete(id)) this.#notice(notice.endRead, id)
      ended = true
    }
  }

  #sendBegun(): void {
    for (const [id, at] of this.#unsent) {
      const payload = at === undefined ? [] : [packNumbers(at)]
      this.#link.send({ kind: notice.beginRead, session: this.#session, id }, ...payload)
    }
    this.#unsent.clear()
  }

  async erased(at: Seq): Promise<void> {
    await this.#request(request.erased, packNumbers(at))
  }

  async heal(damaged: DamagedBytes): Promise<boolean> {
    return new Unpacker(await this.#request(request.heal, packJson(damaged))).number() === 1
  }

  async positionOf(moment: Moment): Promise<Seq> {
    const sent: SentMoment = moment instanceof Date ? { time: moment.getTime() } : moment
    return new Unpacker(await this.#request(request.position, packJson(sent))).number()
  }

  /** `snapshot` is called on first use. */
  #reader(snapshot: () => number): RowReader {
    return {
      get: (key) => this.#row(snapshot(), key),
      getMany: async (keys) =>
        new Unpacker(await this.#request(request.getMany, packNumbers(snapshot()), ...packBytes(keys))).allBytes(),
      cursor: (range) => this.#cursor(snapshot(), range),
    }
  }

  async #row(snapshot: number, key: Uint8Array): Promise<Uint8Array | undefined> {
    const answer = await this.#request(request.get, packNumbers(snapshot), key)
    const bits = answer[0] as number
    if ((bits & rowAnswer.mayKeep) === 0) this.#held.notHeld(key)
    // A copy, since it may be kept: the answer is a part of a larger buffer.
    return (bits & rowAnswer.isThere) === 0 ? undefined : new Uint8Array(answer.subarray(1))
  }

  #cursor(snapshot: number, { gte, lt, reverse = false }: RowRange): RowCursor {
    const id = this.#nextId()
    this.#notice(notice.openCursor, id, packNumbers(snapshot, Number(reverse)), ...packBytes([gte, lt]))
    let open = true
    return {
      next: async (count) => new Unpacker(await this.#request(request.next, packNumbers(id, count))).rows(),
      seek: (key) => this.#notice(notice.seek, id, key),
      close: async () => {
        if (open) this.#notice(notice.closeCursor, id)
        open = false
      },
    }
  }

  async *#events({ from, to }: { readonly from?: Seq; readonly to?: Seq } = {}): AsyncGenerator<StoredEvent> {
    const range = packNumbers(from ?? 1, to ?? Number.POSITIVE_INFINITY)
    yield* new Unpacker(await this.#request(request.events, range)).events()
  }

  #learn({ state, failure }: StateNews): void {
    if (this.#state === 'closed') return
    this.#state = state
    if (failure !== undefined) this.#failure ??= errorOf(failure) as StorageError
  }

  #request(kind: number, ...payload: readonly Uint8Array[]): Promise<Buffer> {
    if (this.#state === 'closed') return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      const id = this.#nextId()
      this.#waiting.set(id, { resolve, reject })
      this.#notice(kind, id, ...payload)
    })
  }

  #notice(kind: number, id: number, ...payload: readonly Uint8Array[]): void {
    if (this.#unsent.size > 0) this.#sendBegun()
    this.#link.send({ kind, session: this.#session, id }, ...payload)
  }

  /** 0 is never used. Numbers repeat after 2^32, when the earlier request with that number has ended. */
  #nextId(): number {
    this.#lastId = (this.#lastId % 0xff_ff_ff_ff) + 1
    return this.#lastId
  }
}

const closed = (): StorageError => new StorageError('StoreClosed', 'The store is closed.')

const unknownOutcome = (cause: unknown): StorageError =>
  new StorageError(
    'StoreFailed',
    'A write failed and its outcome is unknown: the store takes no more writes until it is opened again.',
    {
      cause,
    },
  )
