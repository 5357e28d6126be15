import type {
  Commit,
  Journal,
  Row,
  RowCursor,
  RowRange,
  RowSnapshot,
  RowSnapshotOptions,
  Seq,
  StoredEvent,
} from '../ports/index.ts'

/** A copy of a log. */
export interface EventSource {
  /** Without secrets. */
  readonly name: string
  readonly journal: Pick<Journal, 'events'>
}

/** Damaged or missing events that follow each other. */
export interface DamagedRun {
  readonly from: Seq
  readonly to: Seq
}

/** Events that a source has for a damaged run. */
export interface MendedRun extends DamagedRun {
  readonly source: EventSource
}

/** A journal with other events in the places of damaged ones. It is only read. */
export class MendedJournal implements Journal {
  readonly #journal: Journal
  readonly #runs: readonly MendedRun[]
  readonly #head: Seq

  constructor(journal: Journal, runs: readonly MendedRun[], head: Seq) {
    this.#journal = journal
    this.#runs = runs
    this.#head = head
  }

  async head(): Promise<Seq> {
    return this.#head
  }

  async *events({
    from = 1,
    to = this.#head,
  }: {
    readonly from?: Seq
    readonly to?: Seq
  } = {}): AsyncGenerator<StoredEvent> {
    let next = from
    for (const run of this.#runs) {
      if (run.to < next) continue
      if (run.from > to) break
      if (next < run.from) yield* this.#journal.events({ from: next, to: run.from - 1 })
      const [first, last] = [Math.max(next, run.from), Math.min(to, run.to)]
      yield* run.source.journal.events({ from: first, to: last })
      next = last + 1
    }
    if (next <= to) yield* this.#journal.events({ from: next, to })
  }

  get(key: Uint8Array): ReturnType<Journal['get']> {
    return this.#journal.get(key)
  }

  getMany(keys: readonly Uint8Array[]): Promise<readonly (Row[1] | undefined)[]> {
    return this.#journal.getMany(keys)
  }

  cursor(range: RowRange): RowCursor {
    return this.#journal.cursor(range)
  }

  snapshot(options?: RowSnapshotOptions): RowSnapshot | Promise<RowSnapshot> {
    return this.#journal.snapshot(options)
  }

  commit(_commit: Commit): Promise<void> {
    return Promise.reject(new TypeError('A mended log is only read.'))
  }

  close(): Promise<void> {
    return this.#journal.close()
  }
}
