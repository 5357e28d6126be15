/**
 * The log of a store that follows another one: it gets the events that the other store has recorded, as they are, and no command adds one.
 * A promotion ends this with one commit, from which on the store records events of its own.
 */
import { StorageError } from '../base/errors.ts'
import { corruptEvent, type DecodedEvent } from '../events/event-codec.ts'
import type { Erasure, Event } from '../events/index.ts'
import type { CommandMeta } from '../commands/command.ts'
import type { ActiveReads } from '../content/active-reads.ts'
import type { BlobId, BlobStore, Confirmation, Reserve, RowChange, Seq, StoredEvent, Timer } from '../ports/index.ts'
import { sameBytes } from '../bytes/bytes.ts'
import { project } from '../views/project.ts'
import { RowTransaction } from '../views/row-transaction.ts'
import { headKey, inlineTable } from '../views/tables.ts'
import type { CommitWriter } from './commit-writer.ts'
import type { CommitWriterOptions } from './commit-writer-options.ts'
import { ErasedBlobs } from './erased-blobs.ts'
import { headRowAt } from './head-state.ts'
import { keepUsage } from './keep-usage.ts'
import { newestState } from './newest-state.ts'
import { followsAnother } from './read-only.ts'
import { type LogEnd, logEndAt } from './recorder.ts'

/** An event of another store, and its bytes. */
export interface ForeignEvent extends DecodedEvent {
  readonly stored: StoredEvent
}

/** Events that follow the end of the log, and the rows beside the log that they brought. The blobs are there already. */
export interface ForeignPage {
  readonly events: readonly ForeignEvent[]
  readonly sideRows: readonly RowChange[]
}

/** Refuses commands while the store follows. */
export class FollowedState implements Confirmation {
  readonly #confirmation: Confirmation | undefined
  readonly #refusal = followsAnother()
  isFollowing = true

  constructor(confirmation: Confirmation | undefined) {
    this.#confirmation = confirmation
  }

  get refusal(): StorageError | undefined {
    return this.isFollowing ? this.#refusal : this.#confirmation?.refusal
  }

  confirmed(seq: Seq): Promise<void> | undefined {
    return this.#confirmation?.confirmed(seq)
  }
}

export interface FollowedLogOptions {
  /** Those of the commit writer. */
  readonly writing: CommitWriterOptions
  readonly writer: CommitWriter
  readonly state: FollowedState
  readonly reads: ActiveReads
  readonly ports: { readonly blobs: Pick<BlobStore, 'delete'>; readonly timer?: Timer; readonly reserve?: Reserve }
}

/** How long an erasure waits for reads that began before it: the other store does not know of them. */
const readsPatienceMs = 10_000
const readsLookMs = 50

export class FollowedLog {
  readonly #options: FollowedLogOptions

  constructor(options: FollowedLogOptions) {
    this.#options = options
  }

  /** The last event. */
  get end(): LogEnd {
    return this.#options.writing.recorder.end
  }

  get isFollowing(): boolean {
    return this.#options.state.isFollowing
  }

  /** Why no command is taken now. */
  get refusal(): StorageError | undefined {
    return this.#options.state.refusal
  }

  /**
   * Commits the page in one batch with all its rows, and erases the bytes that its events erase. If the outcome is unknown, the store fails.
   * @throws StorageError `LogCorrupt` if the events do not continue the log, or `NoSpace` while the disk is nearly full: nothing was
   * changed; `StoreFailed`; the reason of `signal`
   */
  async append(page: ForeignPage, signal?: AbortSignal): Promise<void> {
    const { reads, ports, writer, state } = this.#options
    if (await ports.reserve?.exhausted()) throw nearlyFull()
    const freedBy = lastFreed(page)
    if (freedBy > 0) await this.#readsBefore(freedBy, signal)
    await writer.exclusively(() =>
      reads.erase(freedBy, async () => {
        if (!state.isFollowing) throw notFollowing()
        const erased = await this.#commit(page)
        // Those that stay are found by the sweep for bytes without a name.
        if (erased.length > 0) await ports.blobs.delete(erased).catch(() => undefined)
      }),
    )
  }

  /**
   * Records an event as the first one of its own, and commits it with `rows`. From then on the store takes commands.
   * @throws as `append`
   */
  async promote(event: Event, meta: CommandMeta, rows: readonly RowChange[]): Promise<DecodedEvent> {
    const { writer, state } = this.#options
    return writer.exclusively(async () => {
      if (!state.isFollowing) throw notFollowing()
      const { recorder } = this.#options.writing
      const before = recorder.end
      const { bytes, event: recorded, facts } = recorder.record(event, meta, recorder.now())
      const { hash, seq } = recorder.end
      recorder.rewind(before)
      const own = { event: recorded, facts, hash, size: bytes.length, stored: { seq, bytes } }
      await this.#commit({ events: [own], sideRows: rows })
      state.isFollowing = false
      return own
    })
  }

  /** Resolves with the blobs that nothing names any more. */
  async #commit({ events, sideRows }: ForeignPage): Promise<readonly BlobId[]> {
    const { writing, writer } = this.#options
    if (writer.failure !== undefined) throw writer.failure
    const { journal, hashing, hot, openParts, recorder } = writing
    const end = this.#endAfter(events)
    const rows = new RowTransaction(newestState(journal, hashing, hot).rows, hashing, openParts)
    const erased = new ErasedBlobs()
    for (const foreign of events) {
      const { event } = foreign
      if (event.type === 'ContentsErased') await erased.add(rows, event.data.erased)
      await project(rows, foreign)
    }
    rows.assertReadable()
    rows.put(headKey, headRowAt(end))
    // The page may have brought them too.
    const gone = [...erased.inline.map((id) => inlineTable.key(id)), ...erased.dataKeys]
    const dropped = gone.map((key): RowChange => ({ key, value: null }))
    const changes = [...rows.changes(), ...without(sideRows, dropped), ...dropped]
    const commit = hot.commitStarts(changes)
    await hot.holders.drop(changes)
    try {
      const stored = events.map((event) => event.stored.bytes)
      await journal.commit({ expectedHead: recorder.end.seq, events: stored, rows: changes })
    } catch (error) {
      throw writer.fail(error)
    }
    hot.commitSettled(commit)
    keepUsage(rows, hot, commit)
    recorder.rewind(end)
    await this.#committed(events, rows)
    return erased.stored
  }

  async #committed(events: readonly ForeignEvent[], rows: RowTransaction): Promise<void> {
    const { known, recorder, writeWitness } = this.#options.writing
    known.extend(recorder.end, () => rows.changedNames())
    await writeWitness?.(recorder.end)
    known.publish(events.map(({ event }) => event))
  }

  #endAfter(events: readonly ForeignEvent[]): LogEnd {
    let { end } = this
    for (const foreign of events) {
      const { seq, prev } = foreign.event
      if (seq !== end.seq + 1) throw corruptEvent(end.seq + 1, 'gap')
      if (prev !== end.hash) throw corruptEvent(seq, 'chain')
      end = logEndAt(foreign)
    }
    return end
  }

  async #readsBefore(freedBy: Seq, signal: AbortSignal | undefined): Promise<void> {
    const { reads, ports } = this.#options
    const { timer } = ports
    if (timer === undefined) return
    for (let waited = 0; reads.oldest < freedBy && waited < readsPatienceMs; waited += readsLookMs)
      await timer.pause(readsLookMs, signal)
  }
}

/** The last event that freed what the page erases; 0 if it erases nothing. */
function lastFreed({ events }: ForeignPage): Seq {
  let last = 0
  for (const { event } of events) {
    if (event.type !== 'ContentsErased') continue
    for (const { freedBy } of event.data.erased as readonly Erasure[]) last = Math.max(last, freedBy)
  }
  return last
}

const without = (rows: readonly RowChange[], gone: readonly RowChange[]): readonly RowChange[] =>
  gone.length === 0 ? rows : rows.filter(({ key }) => !gone.some((other) => sameBytes(other.key, key)))

const nearlyFull = (): StorageError =>
  new StorageError('NoSpace', 'The disk is nearly full: the store follows on when there is room again.')

const notFollowing = (): StorageError =>
  new StorageError('InvalidRequest', 'The store follows no replica any more.', { details: { kind: 'promoted' } })
