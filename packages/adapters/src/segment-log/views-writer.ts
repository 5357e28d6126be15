/**
 * Brings the views up to the log, in the background and a batch at a time. A batch contains only what is durable in the
 * log, records its position, and is synced. So the views are never ahead of the log, and a batch in the views implies
 * all batches before it. (An unsynced database may lose an older change and keep a newer one.)
 */
import type { RowChange } from '@varve/core'
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import { rowKey, rowKeyOf } from '../journal-kit/key-spaces.ts'
import type { LevelBatch, LevelDatabase } from '../level-journal/level-database.ts'
import type { LayerEntry, RowState } from './layer.ts'
import type { LogPosition } from './format/log-position.ts'
import { isPlace } from './long-values.ts'
import { count, type Overlay, type ViewsBatch } from './overlay.ts'
import { keyOf } from '../journal-kit/row-name.ts'
import {
  decodeRow,
  encodeEventPlace,
  encodePlace,
  encodePosition,
  encodeShort,
  encodeUsage,
  eventPlaceKey,
  positionKey,
  type SegmentUsage,
  usageKey,
} from './format/view-entries.ts'

export interface ViewsWriterOptions {
  readonly db: LevelDatabase
  readonly gate: JournalGate
  readonly overlay: Overlay
  /** By segment; kept up to date. */
  readonly usage: Map<number, SegmentUsage>
  /** A batch is written when its rows take this many bytes, or its part of the log takes `batchLogBytes`. */
  readonly batchBytes: number
  readonly batchLogBytes: number
  /** Called after each batch. */
  readonly onWritten: () => void
}

/** Commits wait when this many batches have gathered. */
const batchesMax = 4
/** After this many rows other tasks run. */
const rowsAtOnce = 256
const keysPerRead = 1000

export class ViewsWriter {
  readonly #options: ViewsWriterOptions
  #position: LogPosition
  #turn: Promise<void> | undefined

  constructor(options: ViewsWriterOptions) {
    this.#options = options
    this.#position = options.overlay.active.end
  }

  /** How far the views follow the log. */
  get position(): LogPosition {
    return this.#position
  }

  /** Begins to write if a batch has gathered. */
  nudge(): void {
    if (this.#turn === undefined && this.#gathered() >= 1 && !this.#options.gate.failed) void this.#begin()
  }

  /** Resolves when memory has space for more changes. */
  async room(): Promise<void> {
    while (this.#turn !== undefined && this.#gathered() >= batchesMax) await this.#turn
  }

  /** Resolves when the views have everything that was in the log before the call, or the journal failed. */
  async writeAll(): Promise<void> {
    while (this.#turn !== undefined) await this.#turn
    const { logBytes } = this.#options.overlay.active
    if (logBytes > 0 && !this.#options.gate.failed) await this.#begin()
  }

  /** Records that a segment has `values` bytes of values left, after the `before` bytes of dead ones were left out. */
  async noteReclaimed(segment: number, values: number, before: number): Promise<void> {
    while (this.#turn !== undefined) await this.#turn
    const { db, usage } = this.#options
    const left = { values, dead: Math.max(0, (usage.get(segment)?.dead ?? 0) - before) }
    usage.set(segment, left)
    await this.#take(async () => {
      const batch = db.batch()
      batch.put(usageKey(segment), encodeUsage(segment, left))
      await batch.write({ sync: true })
    })
  }

  /**
   * Puts rows that are not in the log, durable and visible when it resolves. They are lost with the views. The layers
   * in memory never have their keys, so readers look for them here.
   */
  async putOutside(rows: readonly RowChange[]): Promise<void> {
    const batch = this.#options.db.batch()
    for (const { key, value } of rows) {
      if (value === null) batch.del(rowKey(key))
      else batch.put(rowKey(key), encodeShort(value))
    }
    await batch.write({ sync: true })
  }

  /** The gathered changes, as a share of a batch. */
  #gathered(): number {
    const { overlay, batchBytes, batchLogBytes } = this.#options
    const { layer, logBytes } = overlay.active
    return Math.max(layer.bytes / batchBytes, logBytes / batchLogBytes)
  }

  #begin(): Promise<void> {
    return this.#take(async () => {
      const pending = this.#options.overlay.freeze()
      await this.#write(pending)
      this.#position = pending.end
      this.#options.overlay.thaw()
      this.#options.onWritten()
    })
  }

  /** Never rejects: a failure ends all commits, and they report it. */
  async #take(work: () => Promise<void>): Promise<void> {
    const turn = work().catch((cause: unknown) => void this.#options.gate.fail(cause))
    this.#turn = turn
    await turn
    if (this.#turn === turn) this.#turn = undefined
  }

  async #write(pending: ViewsBatch): Promise<void> {
    const { db, usage } = this.#options
    await this.#countRemoved(pending)
    const batch = db.batch()
    for (const [i, entry] of pending.layer.entries().entries()) {
      if (i % rowsAtOnce === rowsAtOnce - 1) await othersFirst()
      putRow(batch, entry)
    }
    for (const place of pending.eventPlaces) batch.put(eventPlaceKey(place.seq), encodeEventPlace(place))
    for (const segment of new Set([...pending.written.keys(), ...pending.dead.keys()])) {
      const { values, dead } = usage.get(segment) ?? { values: 0, dead: 0 }
      const counted = {
        values: values + (pending.written.get(segment) ?? 0),
        dead: dead + (pending.dead.get(segment) ?? 0),
      }
      usage.set(segment, counted)
      batch.put(usageKey(segment), encodeUsage(segment, counted))
    }
    batch.put(positionKey, encodePosition(pending.end))
    await batch.write({ sync: true })
  }

  /** Counts the long values of rows that are about to be removed, and of rows that were never visible. */
  async #countRemoved({ layer, dead }: ViewsBatch): Promise<void> {
    const removed: Uint8Array[] = []
    for (const { name, states } of layer.entries()) {
      for (const { found } of states.slice(0, -1)) if (isPlace(found)) count(dead, found)
      if ((states.at(-1) as RowState).found === null) removed.push(keyOf(name))
    }
    for (let i = 0; i < removed.length; i += keysPerRead) {
      const keys = removed.slice(i, i + keysPerRead)
      const entries = await this.#options.db.getMany(keys.map(rowKey), {})
      for (const [j, entry] of entries.entries()) {
        const found = entry === undefined ? undefined : decodeRow(keys[j] as Uint8Array, entry)
        if (isPlace(found)) count(dead, found)
      }
    }
  }
}

function putRow(batch: LevelBatch, { name, states }: LayerEntry): void {
  const { found } = states.at(-1) as RowState
  const key = rowKey(keyOf(name))
  if (found === null) batch.del(key)
  else batch.put(key, isPlace(found) ? encodePlace(rowKeyOf(key), found) : encodeShort(found))
}

const othersFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
