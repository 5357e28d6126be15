/**
 * Reads everything that is stored, at a rate that leaves room for requests, and reports damage before the bytes are
 * needed. It checks each item separately, in small steps that do not block other work; `verify` compares items with
 * each other.
 */
import { later } from '../bytes/bytes.ts'
import { isSealed } from '../bytes/frame.ts'
import { fromHex, toHex } from '../bytes/hex.ts'
import { checkContent } from '../content/check-content.ts'
import { RunBuffers } from '../content/run-buffers.ts'
import { keyspaceRange } from '../keyspaces/keyspace-keys.ts'
import type { Row, RowRange, Seq } from '../ports/index.ts'
import type { Engine } from '../engine/engine.ts'
import { readEvent } from '../events/log.ts'
import type { Cancelable } from '../api/types/index.ts'
import { checkRow } from '../views/row-codec.ts'
import { viewRange } from '../views/tables.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import { Findings } from '../verify/findings.ts'
import { readableEpochs } from '../verify/readable-epochs.ts'
import { type NamedBlob, namingRows } from '../verify/naming-rows.ts'
import type { Divergence, VerifyReport } from '../verify/report.ts'
import { isErasure, isUnrestoredFault, nameFault } from '../verify/verify-bytes.ts'
import { verifyLog } from '../verify/verify-log.ts'
import { wasHealed } from '../verify/was-healed.ts'
import { corruptRow } from '../verify/verify-views.ts'
import { Pace } from './pace.ts'

/** The current part of a scrub. */
export type ScrubStage = 'log' | 'rows' | 'bytes'

/** How far a scrub has come. Pass it to the next scrub to continue there. */
export interface ScrubPosition {
  readonly stage: ScrubStage
  /** A position in the log, or the key of a row in hex; empty for the beginning of the stage. */
  readonly after: string
}

export interface ScrubOptions extends Cancelable {
  /** The maximum read rate in bytes per second, on average. Default: no limit. */
  readonly bytesPerSecond?: number
  /** Continues at the position of an earlier scrub. Default: from the beginning. */
  readonly from?: ScrubPosition
  /** Called after each step. */
  onProgress?(progress: ScrubProgress): void
  /** Called with each divergence as it is found. */
  onDivergence?(divergence: Divergence): void
}

/** The progress of a scrub, and the number of its findings so far. */
export interface ScrubProgress {
  readonly position: ScrubPosition
  /** Bytes read by this scrub so far. */
  readonly bytes: number
  readonly found: number
}

/** What a scrub checked and found. */
export type ScrubReport = Omit<VerifyReport, 'tip'>

const eventsPerStep = 500
const rowsPerStep = 500
const blobsPerStep = 32

/**
 * @throws StorageError `StoreClosed`, `JournalFailed`; the reason of `signal`.
 * @throws StorageError `InvalidArgument` for a rate without a timer, and for an invalid position.
 */
export async function scrub(engine: Engine, options: ScrubOptions = {}): Promise<ScrubReport> {
  engine.assertOpen()
  checkOptions(engine, options)
  const pass = new Pass(engine, options)
  const { stage, after } = options.from ?? { stage: 'log', after: '' }
  const stages: readonly ScrubStage[] = ['log', 'rows', 'bytes']
  for (const next of stages.slice(stages.indexOf(stage))) await pass.run(next, next === stage ? after : '')
  return pass.findings.report()
}

function checkOptions({ ports }: Engine, { bytesPerSecond, from }: ScrubOptions): void {
  if (bytesPerSecond !== undefined) {
    if (!(bytesPerSecond > 0))
      throw new StorageError('InvalidArgument', `A rate is a number of bytes above 0, not ${bytesPerSecond}.`)
    if (ports.timer === undefined)
      throw new StorageError('InvalidArgument', 'A store without a timer cannot keep to a rate.')
  }
  if (from === undefined) return
  const valid = from.stage === 'log' ? /^\d{0,15}$/ : /^([0-9a-f]{2})*$/
  if (!['log', 'rows', 'bytes'].includes(from.stage) || !valid.test(from.after)) {
    throw new StorageError('InvalidArgument', 'Not the position of a scrub.')
  }
}

class Pass {
  readonly findings: Findings
  readonly #engine: Engine
  readonly #options: ScrubOptions
  readonly #pace: Pace
  readonly #buffers = new RunBuffers()

  constructor(engine: Engine, options: ScrubOptions) {
    this.#engine = engine
    this.#options = options
    this.findings = new Findings(options)
    this.#pace = new Pace(engine.ports.timer, options.bytesPerSecond, options.signal)
  }

  async run(stage: ScrubStage, after: string): Promise<void> {
    const { journal, hashing } = this.#engine.ports
    this.findings.epochs = await readableEpochs(journal, hashing)
    switch (stage) {
      case 'log':
        return this.#log(Number(after) + 1)
      case 'rows':
        return this.#rows(after === '' ? viewRange.gte : following(fromHex(after)))
      case 'bytes':
        return this.#bytes(after === '' ? undefined : fromHex(after))
    }
  }

  /** Reads events in slices, so that no long iterator makes LevelDB keep obsolete files. */
  async #log(from: Seq): Promise<void> {
    const { ports, writer } = this.#engine
    const end = writer.committed
    const events = (range: { readonly from?: Seq; readonly to?: Seq } = {}) => this.#slices(range.from ?? 1, end)
    const subject = { ports: { ...ports, journal: { ...ports.journal, events } }, end, rows: ports.journal, isInFlight }
    await verifyLog(subject, this.#options.signal ? { signal: this.#options.signal } : {}, this.findings, { from })
  }

  async *#slices(from: Seq, end: Seq) {
    for (let next = from; next <= end; next += eventsPerStep) {
      let size = 0
      for await (const stored of this.#engine.ports.journal.events({
        from: next,
        to: Math.min(next + eventsPerStep - 1, end),
      })) {
        size += stored.bytes.length
        yield stored
      }
      await this.#step({ stage: 'log', after: String(Math.min(next + eventsPerStep - 1, end)) }, size)
    }
  }

  /** The views, then the keyspaces. */
  async #rows(from: Uint8Array): Promise<void> {
    const { hashing } = this.#engine.ports
    await this.#rowsIn(viewRange, from, ([key, frame]) => intact(() => checkRow(hashing, key, frame)))
    await this.#rowsIn(keyspaceRange, from, ([key, frame]) => isSealed(hashing, key, frame))
  }

  async #rowsIn(range: RowRange, from: Uint8Array, isIntact: (row: Row) => boolean): Promise<void> {
    const { journal } = this.#engine.ports
    for (let gte = later(range.gte, from); ; ) {
      const cursor = journal.cursor({ ...range, gte })
      const page = await cursor.next(rowsPerStep)
      await cursor.close()
      const last = page.at(-1)
      if (last === undefined) return
      let size = 0
      for (const row of page) {
        const [key, frame] = row
        size += key.length + frame.length
        this.findings.rows++
        if (!isIntact(row)) this.findings.note(corruptRow(key))
      }
      gte = following(last[0])
      await this.#step({ stage: 'rows', after: toHex(last[0]) }, size)
    }
  }

  async #bytes(from: Uint8Array | undefined): Promise<void> {
    const { journal, hashing } = this.#engine.ports
    for (let place = from; ; ) {
      const batch: NamedBlob[] = []
      for await (const named of namingRows(
        journal,
        hashing,
        (key) => this.findings.note(corruptRow(fromHex(key))),
        place,
      )) {
        if (batch.push(named) === blobsPerStep) break
      }
      const last = batch.at(-1)
      if (last === undefined) return
      for (const named of batch) {
        await this.#blob(named)
        await this.#step({ stage: 'bytes', after: toHex(named.place) }, 0)
      }
      place = last.place
    }
  }

  /** Registers a read meanwhile. Content that was removed or erased since it was listed is no damage. */
  async #blob(named: NamedBlob): Promise<void> {
    const { ports, reads, writer } = this.#engine
    const release = reads.begin(writer.committed)
    try {
      if ((await ports.journal.get(named.place)) === undefined) return
      const { blobs, hashing, journal: rows } = ports
      const onBytes = (count: number) => {
        this.findings.bytes += count
        return this.#pace.spend(count)
      }
      const faults = await checkContent(
        { blobs, hashing, rows, onBytes, buffers: this.#buffers, signal: this.#options.signal },
        named,
      )
      if (faults.length === 0) this.findings.blobs++
      for (const fault of faults) {
        if (isErasure(named, fault) || (await isUnrestoredFault(rows, hashing, named, fault))) continue
        // A commit since the first look may have recorded the erasure.
        if (fault.kind === 'DataKeyMissing' && (await ports.journal.get(named.place)) === undefined) continue
        if (await wasHealed(this.#engine.healer?.heal, named, fault)) this.findings.healed++
        else this.findings.note(await nameFault((seq) => readEvent(ports, seq), named, fault))
      }
    } finally {
      release()
    }
  }

  async #step(position: ScrubPosition, bytes: number): Promise<void> {
    this.#engine.assertOpen()
    this.findings.bytes += bytes
    this.#options.onProgress?.({ position, bytes: this.findings.bytes, found: this.findings.found })
    await this.#pace.spend(bytes)
  }
}

const isInFlight = (): boolean => false

/** The next key after this one. */
const following = (key: Uint8Array): Uint8Array => Uint8Array.of(...key, 0)

function intact(decode: () => unknown): boolean {
  try {
    decode()
    return true
  } catch (error) {
    if (isStorageError(error, 'RowCorrupt')) return false
    throw error
  }
}
