/** Joins the files of a replica as they come, and deletes those that were joined. */
import { isStorageError } from '../base/errors.ts'
import type { LinePart, LinePiece } from './replica-line.ts'
import { dueForMerge, type Merge, mergeParts } from './merge-parts.ts'
import type { ReplicaState } from './replica-state.ts'
import type { BlobId } from '../ports/index.ts'
import { type Rewritten, withoutRows } from './without-rows.ts'

/** From which files rows are taken. */
export interface Withdrawal {
  isSought(part: LinePart): boolean
  /** Called before a file is deleted. */
  beforeDeletion(): Promise<void>
}

/** Keeps the number of files small while they are written. */
export class ReplicaUpkeep {
  readonly #ports: Merge
  #log: readonly LinePiece[]
  #rows: readonly LinePart[]
  /** Files of branches that were left. */
  #left: readonly LinePart[]
  /** A reader may still read these. */
  #replaced: readonly LinePart[]

  constructor(ports: Merge, state: ReplicaState) {
    this.#ports = ports
    const replaced = new Set(state.replaced)
    this.#log = state.log
    this.#rows = state.rows.filter((part) => !replaced.has(part))
    this.#replaced = state.replaced
    const known = new Set([...state.replaced, ...state.log.map(({ part }) => part)])
    this.#left = [...state.logParts.filter((part) => !known.has(part)), ...state.left]
  }

  /** The number of files that have the log. */
  get files(): number {
    return this.#log.length
  }

  /** The names of all files. */
  get names(): readonly string[] {
    return [...this.#parts, ...this.#replaced].map(({ name }) => name)
  }

  get #parts(): readonly LinePart[] {
    return [...this.#log.map(({ part }) => part), ...this.#left, ...this.#rows]
  }

  /** A file that was written. */
  add(part: LinePart): void {
    this.#log = [...this.#log, { part, from: part.from, to: part.to }]
  }

  /**
   * Joins files once, and deletes those that the call before has joined. False if there is nothing to join.
   * @throws StorageError `ReplicaCorrupt` if they are damaged; what the target throws
   */
  async merge(): Promise<boolean> {
    const due = dueForMerge(this.#log, this.#ports.atOnce)
    if (due === undefined) return false
    await this.deleteReplaced()
    const { log, rows, replaced } = await mergeParts(this.#ports, due, this.#rows)
    const gone = new Set(replaced)
    const at = this.#log.findIndex(({ part }) => gone.has(part))
    const before = this.#log.slice(0, at)
    const after = this.#log.slice(at + due.length)
    this.#log = [...before, { part: log, from: log.from, to: log.to }, ...after]
    this.#rows = [...this.#rows.filter((part) => !gone.has(part)), ...(rows ? [rows] : [])]
    this.#replaced = replaced
    return true
  }

  /**
   * Takes rows out of the files. Each file is there until the one that takes its place is.
   * @throws StorageError `ReplicaCorrupt` if they are damaged; what the target throws
   */
  async withdraw(ids: ReadonlySet<BlobId>, { isSought, beforeDeletion }: Withdrawal): Promise<void> {
    await this.deleteReplaced()
    for (const part of this.#parts) {
      // Events are in other files than short bytes, except in files of level 0.
      if (part.kind === 'log' && part.level > 0) continue
      if (!isSought(part)) continue
      const rewritten = await this.#without(part, ids)
      if (rewritten === undefined) continue
      await beforeDeletion()
      this.#put(part, rewritten.part)
      await this.#ports.files.delete([part.name])
    }
  }

  /** Nobody can read a damaged file of a branch that was left, and it is no reason to stop. */
  #without(part: LinePart, ids: ReadonlySet<BlobId>): Promise<Rewritten | undefined> {
    return withoutRows(this.#ports, part, ids).catch((error: unknown) => {
      if (this.#left.includes(part) && isStorageError(error, 'ReplicaCorrupt')) return undefined
      throw error
    })
  }

  #put(part: LinePart, other: LinePart | undefined): void {
    const instead = (parts: readonly LinePart[]): readonly LinePart[] =>
      parts.flatMap((each) => (each === part ? (other ?? []) : each))
    this.#log = this.#log.map((piece) => (piece.part === part && other ? { ...piece, part: other } : piece))
    this.#left = instead(this.#left)
    this.#rows = instead(this.#rows)
  }

  /** Deletes files that others have taken the place of. */
  async deleteReplaced(): Promise<void> {
    const names = this.#replaced.map(({ name }) => name)
    if (names.length > 0) await this.#ports.files.delete(names)
    this.#replaced = []
  }
}
