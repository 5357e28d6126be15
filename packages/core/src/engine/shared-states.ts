/**
 * The newest state of a shared journal, for the commit writer. It takes no snapshot: a commit expects the head row of the state in which
 * it was decided, so it is refused if any row that was read has changed meanwhile.
 */
import type { Command } from '../commands/command.ts'
import { byteString, sameBytes } from '../bytes/bytes.ts'
import type { Hashing, Journal, RowChange, Seq, Tip } from '../ports/index.ts'
import type { Sharing } from '../sharing/sharing.ts'
import type { HotRows } from '../views/hot-rows.ts'
import type { RowKey } from '../views/row-key.ts'
import { committedRows } from '../views/row-reader.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable, currentTable, headKey, isOfBucket } from '../views/tables.ts'
import { HeadState } from './head-state.ts'
import type { NewestRows } from './newest-rows.ts'
import type { NewestState } from './newest-state.ts'
import type { Recorder } from './recorder.ts'
import { SharedReader } from './shared-reader.ts'

export interface SharedStatesOptions {
  readonly journal: Journal
  readonly hashing: Hashing
  readonly hot: HotRows
  readonly newest: NewestRows
  /** At the end of the log that this engine knows, when a state is taken. */
  readonly recorder: Pick<Recorder, 'end'>
  readonly sharing: Pick<Sharing, 'protect'>
}

/** The rows of this many buckets and owners are asked for before commands need them. */
const bucketRowsMax = 32
/** So many rows are asked for before they are needed, at most. */
const expectedMax = 256

export class SharedStates {
  readonly #options: SharedStatesOptions
  /** The head row at a position, as it is stored. */
  #head: { readonly seq: Seq; readonly frame: Uint8Array } | undefined
  /** Keys that the last attempt has read from the journal. */
  #last: readonly Uint8Array[] = []
  /** Keys that an attempt has read that was refused: the next one reads them too. */
  #again: readonly Uint8Array[] = []
  /** Keys of rows of buckets and owners that attempts have read, by their names. */
  readonly #ofBuckets = new Map<string, Uint8Array>()
  #seen: Seq | undefined

  constructor(options: SharedStatesOptions) {
    this.#options = options
  }

  /** The end of a log that moved while an attempt read its rows, if it is known. */
  get seen(): Seq | undefined {
    return this.#seen
  }

  /**
   * The state at the end of the log that this engine knows, when the writer has decided nothing after it. Its reads throw `StateMoved` if
   * the log has another end.
   */
  async take(commands: readonly Command[]): Promise<NewestState> {
    await this.#options.sharing.protect()
    const { hashing, hot, newest, journal, recorder } = this.#options
    const base = recorder.end
    this.#seen = undefined
    const reader = new SharedReader({
      newest,
      hot,
      snapshot: () => journal.snapshot({ forWriter: true }),
      accept: (head) => (this.#isOf(base, head) ? { seq: base.seq, hot: hot.settled } : undefined),
      expected: this.#expected(commands),
      isFixed: true,
    })
    const headRow = (): Uint8Array | undefined => (this.#head?.seq === base.seq ? this.#head.frame : undefined)
    return {
      rows: committedRows(reader, hashing),
      get head() {
        return { key: headKey.bytes, value: headRow() ?? null }
      },
      async confirm(isExpected) {
        if (!isExpected || headRow() === undefined) await reader.confirm()
      },
      close: () => {
        this.#learn(reader.keys)
        return reader.close()
      },
    }
  }

  /** This engine has committed a state with this head row. */
  committed({ seq }: Tip, changes: readonly RowChange[]): void {
    const frame = changes.findLast(({ key }) => key === headKey.bytes)?.value
    this.#head = frame ? { seq, frame } : undefined
    this.#again = []
  }

  /** The last attempt was refused: the head row may be another one. */
  refused(): void {
    this.#head = undefined
    this.#again = this.#last
  }

  /** Whether a head row belongs to a whole state after `base`, the end of the log. */
  #isOf(base: Tip, frame: Uint8Array | undefined): boolean {
    if (frame === undefined) return false
    if (this.#head?.seq === base.seq && sameBytes(this.#head.frame, frame)) return true
    const head = new HeadState(this.#options.hashing, frame)
    this.#seen = head.seq
    if (!head.isComplete || head.seq !== base.seq || this.#head?.seq === base.seq) return false
    head.assertAfter(base)
    this.#head = { seq: base.seq, frame }
    return true
  }

  /** Rows that an attempt will probably read, and that are not in memory. */
  #expected(commands: readonly Command[]): readonly Uint8Array[] {
    const { hot } = this.#options
    const keys = new Map([...this.#ofBuckets, ...this.#again.map((key) => [byteString(key), key] as const)])
    for (const { data } of commands) {
      if (keys.size > expectedMax || !('key' in data && 'bucket' in data)) break
      for (const { name, bytes } of this.#rowsOf(data)) keys.set(name, bytes)
    }
    return [...keys.values()].filter((key) => hot.find(key, hot.settled) === undefined)
  }

  #rowsOf({ bucket, key }: { readonly bucket: string; readonly key: string }): readonly RowKey<unknown>[] {
    const { hot } = this.#options
    const ofBucket = bucketTable.key(bucket)
    const known = hot.find(ofBucket.bytes, hot.settled) as BucketRow | undefined
    if (known === undefined) return [ofBucket, currentTable.key(bucket, key)]
    // With versioning, a write needs no other version.
    return known.versioning === 'Enabled' ? [] : [currentTable.key(bucket, key)]
  }

  #learn(keys: readonly Uint8Array[]): void {
    this.#last = keys
    for (const key of keys) if (isOfBucket(key)) this.#ofBuckets.set(byteString(key), key)
    for (const [name] of this.#ofBuckets) {
      if (this.#ofBuckets.size <= bucketRowsMax) return
      this.#ofBuckets.delete(name)
    }
  }
}
