/**
 * Finds what a replica has behind a position. While one writer goes on, the next file is looked for by its name, and files are rarely listed.
 *
 * Only what counts is found: after a file was read, no later term may be claimed. Then the file was there before any later claim, so a
 * later writer finds it too and goes on behind it. While a claimant has not begun, it is unknown what counts, and nothing is found.
 */
import { type LogPorts, tipAt } from '../events/log.ts'
import type { Seq } from '../ports/index.ts'
import { haveSameEvent } from '../sharing/passage.ts'
import type { LinePart, LineStart } from './replica-line.ts'
import { diverged } from './replica-diverged.ts'
import { logPrefix, parsePartName, partName } from './replica-names.ts'
import { isGoneFile } from './replica-corrupt.ts'
import { type ReplicaPorts, ReplicaReader } from './replica-reader.ts'
import { readReplicaState, type ReplicaState } from './replica-state.ts'
import { StoredPart } from './stored-part.ts'
import { type Claim, isClaimed, readClaims, readStarts } from './terms.ts'

/** Who writes, and which terms count. */
interface Known {
  readonly starts: readonly LineStart[]
  /** The last term that was claimed, which has begun. */
  readonly term: number
  readonly writer: Claim | undefined
}

/** After so many looks in vain, the files are listed. */
const looksInVain = 8
/** Writers may come and go between two reads. */
const looksMax = 5

const nothingElse = { rows: [], damaged: [], replaced: [], left: [], hasLeft: false } as const

export class ReplicaTail {
  readonly #ports: ReplicaPorts
  readonly #log: LogPorts
  #known: Known | undefined
  #inVain = 0
  #writer: Claim | undefined
  #awaited: Claim | undefined

  /** `log`: the log that follows. */
  constructor(ports: ReplicaPorts, log: LogPorts) {
    this.#ports = ports
    this.#log = log
  }

  /** The writer of what was found last. */
  get writer(): Claim | undefined {
    return this.#writer
  }

  /** A writer that has claimed the replica and has not begun. */
  get awaited(): Claim | undefined {
    return this.#awaited
  }

  /** Looks at everything the next time, as after a failure. */
  forget(): void {
    this.#known = undefined
  }

  /**
   * Reads what comes behind `position`, the end of the log that follows. `undefined` if there is nothing.
   * @throws StorageError `ReplicaDiverged` if the log has events that the replica does not have; `ReplicaCorrupt`; what the target throws
   */
  async next(position: Seq): Promise<ReplicaReader | undefined> {
    const known = this.#known
    if (known === undefined) return this.#look(position)
    const part = await this.#partAt(position + 1, known)
    if (await isClaimed(this.#ports.files, known.term + 1)) return this.#look(position)
    if (part !== undefined) return this.#found(part, known)
    return (await this.#hasLater(position, known)) ? this.#look(position) : undefined
  }

  async #partAt(from: Seq, { term }: Known): Promise<StoredPart | undefined> {
    try {
      // Its size is not known, and it is not large.
      return await StoredPart.open(this.#ports, { name: partName({ kind: 'log', level: 0, from, term }), size: 0 })
    } catch (error) {
      if (isGoneFile(error)) return undefined
      throw error
    }
  }

  #found(read: StoredPart, { starts }: Known): ReplicaReader {
    const { from, to, term, last: hash, store } = read.facts
    const part: LinePart = { kind: 'log', level: 0, from, to, term, name: read.name, size: 0 }
    this.#inVain = 0
    const state = {
      log: [{ part, from, to }],
      logParts: [part],
      ...nothingElse,
      starts,
      head: to,
      counted: to,
      hash,
      store,
    }
    return new ReplicaReader(this.#ports, state, { read, look: this.#lookOfReader })
  }

  /** Whether there are later events in other files: what was written was joined meanwhile, or written again without what was erased. */
  async #hasLater(position: Seq, { term }: Known): Promise<boolean> {
    this.#inVain++
    if (this.#inVain % looksInVain !== 2) return false
    for await (const { name } of this.#ports.files.list(logPrefix)) {
      const part = parsePartName(name)
      if (part?.term === term && (part.to ?? part.from) > position) return true
    }
    return false
  }

  async #look(position: Seq): Promise<ReplicaReader | undefined> {
    this.#known = undefined
    const settled = await this.#settledState()
    if (settled === undefined) return undefined
    const { state, known } = settled
    const reader = new ReplicaReader(this.#ports, state, { look: this.#lookOfReader })
    await this.assertContinued(position, reader)
    if (state.head === position) reader.end()
    this.#known = known
    this.#writer = known.writer
    if (state.head === position) return undefined
    this.#inVain = 0
    return reader
  }

  /** What counted when a reader began still counts, and is in other files. */
  readonly #lookOfReader = async (): Promise<ReplicaState | undefined> => (await this.#settledState())?.state

  /** The state, in which all counts; `undefined` while a writer has not begun. */
  async #settledState(): Promise<{ readonly state: ReplicaState; readonly known: Known } | undefined> {
    const { files } = this.#ports
    for (let look = 1; look <= looksMax; look++) {
      const { last: term, newest: writer } = await readClaims(files)
      const { starts } = await readStarts(files)
      this.#awaited = (starts.at(-1)?.term ?? 0) < term ? writer : undefined
      if (this.#awaited !== undefined) return undefined
      const state = await readReplicaState(this.#ports)
      if (!(await isClaimed(files, term + 1))) return { state, known: { starts, term, writer } }
    }
    return undefined
  }

  /** @throws StorageError `ReplicaDiverged` */
  async assertContinued(position: Seq, { state, journal }: ReplicaReader): Promise<void> {
    const { store, head } = state
    if (Math.min(position, head) > 0 && (await tipAt(this.#log, 1)).hash !== store) throw diverged('store')
    const shared = Math.min(position, head)
    if (shared > 0 && !(await haveSameEvent(journal, this.#log.journal, shared))) throw diverged('branch')
    if (head < position) throw diverged('ahead')
  }
}
