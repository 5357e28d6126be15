/**
 * Salvages everything of a damaged log that can be proved, also after the damage. Every position is kept: an
 * `EventLost` replaces each lost event. Events that depend on a lost event are lost too, so that views computed from
 * the new log agree with the salvaged events. Keyspaces are left out: they may contain what events have lost.
 */
import type { Epoch } from '../base/epoch.ts'
import { isStorageError } from '../base/errors.ts'
import { type LooseEvent, looseEvent } from '../events/loose-event.ts'
import type { EventLost, RecordedEvent } from '../events/index.ts'
import type { Hashing, Seq, StoredEvent } from '../ports/index.ts'
import { headRowAt } from '../engine/head-state.ts'
import { bringViews } from '../engine/open-log.ts'
import { readEvent } from '../events/log.ts'
import { type LogEnd, logEndAt, logStart, Recorder, type Recording } from '../engine/recorder.ts'
import { project } from '../views/project.ts'
import { committedRows } from '../views/row-reader.ts'
import { RowTransaction } from '../views/row-transaction.ts'
import { headKey } from '../views/tables.ts'
import { type Adopted, missingFor, withoutMissing } from './dependencies.ts'
import { moveBytes, moveEvents, type TransplantOptions } from './transplant.ts'

export interface SalvageOptions extends TransplantOptions {
  /** The last event before any damage. */
  readonly soundTo: Seq
  /** Positions whose events are readable, but are not the events that were written there. */
  readonly doubted: ReadonlySet<Seq>
  /** Present if the log once had events after `to`: the epoch that begins, so that their ids are not given out again. */
  readonly epoch?: Epoch | undefined
}

/** An event that could not be saved. */
export interface LostEvent extends EventLost {
  readonly seq: Seq
  /** The type of the event, if it is known. */
  readonly type?: string
  readonly bucket?: string
  readonly key?: string
}

/** The events that a salvage lost. */
export interface Salvaged {
  readonly lost: readonly LostEvent[]
}

const eventsPerCommit = 256
const actor = { id: 'varve', name: 'salvage' }

/** @throws StorageError `LogCorrupt` if an event up to `soundTo` is damaged. */
export async function salvage(options: SalvageOptions): Promise<Salvaged> {
  const { into, hashing, soundTo, to } = options
  await moveEvents({ ...options, to: soundTo })
  await bringViews({ journal: into, hashing })
  const salvager = new Salvager(options, await endOf(options))
  for await (const [seq, stored] of positions(options)) await salvager.take(seq, stored)
  if (options.epoch !== undefined) await salvager.begin(options.epoch)
  await salvager.flush()
  await moveBytes({ ...options, to })
  return salvager
}

async function endOf({ into, hashing, soundTo }: SalvageOptions): Promise<LogEnd> {
  return soundTo === 0 ? logStart : logEndAt(await readEvent({ journal: into, hashing }, soundTo))
}

type Place = readonly [seq: Seq, stored: StoredEvent | undefined]

/** Every position after `soundTo`, with its stored event. Events after an unreadable place may be whole. */
export async function* positions({
  from,
  soundTo,
  to,
  signal,
}: Pick<SalvageOptions, 'from' | 'soundTo' | 'to' | 'signal'>): AsyncGenerator<Place> {
  let next = soundTo + 1
  for (let skip = 1; next <= to; skip *= 2) {
    try {
      for await (const stored of from.events({ from: next, to })) {
        signal?.throwIfAborted()
        while (next < stored.seq) yield [next++, undefined]
        yield [next++, stored]
        skip = 1
      }
      while (next <= to) yield [next++, undefined]
    } catch (error) {
      if (!isStorageError(error, 'JournalFailed', 'LogCorrupt')) throw error
      for (let count = skip; count > 0 && next <= to; count--) yield [next++, undefined]
    }
  }
}

class Salvager implements Salvaged {
  readonly lost: LostEvent[] = []
  readonly #options: SalvageOptions
  readonly #hashing: Hashing
  readonly #recorder: Recorder
  readonly #adopted: Adopted = new Map()
  /** By bucket, the last lost event that named it. */
  readonly #lostIn = new Map<string, Seq>()
  #rows: RowTransaction
  #events: Uint8Array[] = []

  constructor(options: SalvageOptions, end: LogEnd) {
    this.#options = options
    this.#hashing = options.hashing
    this.#recorder = new Recorder({ logTime: (after) => after, locksAt: () => 0 }, options.hashing, end)
    this.#rows = this.#newRows()
  }

  async take(seq: Seq, stored: StoredEvent | undefined): Promise<void> {
    const loose = stored && !this.#options.doubted.has(seq) ? looseEvent(this.#hashing, stored) : undefined
    if (loose?.event === undefined) this.#lose(seq, this.#damage(stored), loose)
    else await this.#keep(loose.event, loose)
    if (this.#events.length === eventsPerCommit) await this.flush()
  }

  async begin(epoch: Epoch): Promise<void> {
    const { seq, hash, at } = this.#recorder.end
    const data = { epoch, from: { seq, hash }, reason: 'salvaged' } as const
    const recording = this.#record({ type: 'EpochBegun', data }, { by: actor, requestId: 'salvage', at })
    await project(this.#rows, recording)
    this.#events.push(recording.bytes)
  }

  async flush(): Promise<void> {
    if (this.#events.length === 0) return
    const { into } = this.#options
    this.#rows.put(headKey, headRowAt(this.#recorder.end))
    await into.commit({ expectedHead: await into.head(), events: this.#events, rows: this.#rows.changes() })
    this.#events = []
    this.#rows = this.#newRows()
  }

  /** Keeps the event, if it and all that it needs can be kept. */
  async #keep(event: RecordedEvent, loose: LooseEvent): Promise<void> {
    const missing = await missingFor(this.#rows, event)
    if (missing === undefined) {
      const { end } = this.#recorder
      this.#rows.savepoint()
      try {
        const recording = this.#record(await withoutMissing(this.#rows, event, this.#adopted), event)
        await project(this.#rows, recording)
        this.#rows.assertReadable()
        this.#events.push(recording.bytes)
        return
      } catch (error) {
        if (this.#rows.fault !== undefined) throw error
        this.#rows.rollBack()
        this.#recorder.rewind(end)
      }
    }
    const dependsOn = missing?.madeBy ?? this.#lostIn.get(loose.bucket ?? '') ?? this.lost.at(-1)?.seq
    this.#lose(event.seq, { reason: 'dependent', ...(dependsOn !== undefined && { dependsOn }) }, loose)
  }

  #lose(seq: Seq, data: EventLost, { type, bucket, key }: LooseEvent = {}): void {
    const about = { ...(type && { type }), ...(bucket && { bucket }), ...(key && { key }) }
    this.lost.push({ seq, ...about, ...data })
    if (bucket !== undefined && !this.#lostIn.has(bucket)) this.#lostIn.set(bucket, seq)
    const { at } = this.#recorder.end
    this.#events.push(this.#record({ type: 'EventLost', data }, { by: actor, requestId: 'salvage', at }).bytes)
  }

  #record(
    event: Pick<RecordedEvent, 'type' | 'data'>,
    { by, requestId, at, epoch }: Pick<RecordedEvent, 'by' | 'requestId' | 'at' | 'epoch'>,
  ): Recording {
    const recorded = { type: event.type, data: event.data } as RecordedEvent
    // The event that began its epoch may be lost.
    if (epoch !== undefined) this.#recorder.rewind({ ...this.#recorder.end, epoch })
    return this.#recorder.record(recorded, { by, requestId }, Math.max(at, this.#recorder.end.at))
  }

  #damage(stored: StoredEvent | undefined): EventLost {
    if (stored === undefined) return { reason: 'missing' }
    return { reason: 'damaged', bytes: stored.bytes.length, sha256: this.#hashing.sha256(stored.bytes) }
  }

  #newRows(): RowTransaction {
    return new RowTransaction(committedRows(this.#options.into, this.#hashing), this.#hashing)
  }
}
