/**
 * Commits in the order of their arrival, a group at a time: while one group is written the next one gathers. Each
 * commit is compared with the head and the rows that it will follow, so of two commits for one state the first one
 * wins.
 */
import type { Commit, RowReader, Seq } from '@varve/core'
import { assertWellFormed } from './expectations.ts'
import { GroupState } from './group-state.ts'
import type { JournalGate } from './journal-gate.ts'

interface Pending {
  readonly commit: Commit
  resolve(): void
  reject(error: unknown): void
}

export interface CommitTurnOptions {
  readonly gate: JournalGate
  readonly head: () => Seq
  /** The newest committed rows. */
  readonly rows: Pick<RowReader, 'getMany'>
  /** Makes a group durable and visible. A rejection ends all commits. */
  readonly write: (commits: readonly Commit[]) => Promise<void>
}

/** A group is one buffer, so its size is bounded; a single larger commit forms a group of its own. */
const groupBytesMax = 4 * 1024 * 1024
const groupMax = 1024

export class CommitTurn {
  readonly #options: CommitTurnOptions
  readonly #queue: Pending[] = []
  #turn: Promise<void> | undefined

  constructor(options: CommitTurnOptions) {
    this.#options = options
  }

  commit(commit: Commit): Promise<void> {
    return new Promise((resolve, reject) => {
      assertWellFormed(commit)
      this.#options.gate.assertWritable()
      this.#queue.push({ commit, resolve, reject })
      this.#turn ??= this.#run()
    })
  }

  async idle(): Promise<void> {
    while (this.#turn !== undefined) await this.#turn
  }

  /** Runs `work` between groups: no commit is written meanwhile. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    // Nothing may begin between the last look and the work: it would be written to what the work replaces.
    while (this.#turn !== undefined) await this.#turn
    const working = work()
    const settled = working.then(
      () => undefined,
      () => undefined,
    )
    this.#turn = settled.then(() => this.#run())
    return working
  }

  async #run(): Promise<void> {
    // Waits one tick, so that commits that arrive together form one group.
    await Promise.resolve()
    while (this.#queue.length > 0) await this.#commitGroup(this.#takeGroup())
    this.#turn = undefined
  }

  #takeGroup(): Pending[] {
    let bytes = 0
    let count = 0
    while (count < this.#queue.length && count < groupMax && bytes < groupBytesMax) {
      bytes += sizeOf((this.#queue[count] as Pending).commit)
      count++
    }
    return this.#queue.splice(0, count)
  }

  async #commitGroup(group: readonly Pending[]): Promise<void> {
    const { gate, head, rows, write } = this.#options
    const state = new GroupState(head(), rows)
    const fitting: Pending[] = []
    const refused: (() => void)[] = []
    for (const pending of group) {
      try {
        const reading = state.take(pending.commit)
        // Only commits that expect rows wait for them.
        if (reading !== undefined) await reading
        fitting.push(pending)
      } catch (error) {
        refused.push(() => pending.reject(error))
      }
    }
    try {
      gate.assertWritable()
      const commits = fitting.map(({ commit }) => commit).filter((commit) => !isEmpty(commit))
      if (commits.length > 0) await write(commits)
    } catch (error) {
      for (const { reject } of group) reject(error)
      return
    }
    for (const { resolve } of fitting) resolve()
    for (const refuse of refused) refuse()
  }
}

const isEmpty = ({ events, rows }: Commit): boolean => events.length + rows.length === 0

function sizeOf({ events, rows }: Commit): number {
  let size = 0
  for (const bytes of events) size += bytes.length
  for (const { key, value } of rows) size += key.length + (value?.length ?? 0)
  return size
}
