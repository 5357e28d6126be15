/**
 * Marks of blobs in the journal, so that no engine takes a blob for an orphan while another engine writes it. A mark is
 * durable before its blob exists. It is removed some time after a commit has named the blob, or after it was deleted.
 */
import { isStorageError } from '../base/errors.ts'
import type { BlobId, Hashing, Journal, RowChange } from '../ports/index.ts'
import { RowKey } from '../views/row-key.ts'
import { coordinationRow, type MarkRow, markTable, readableRow } from './coordination-rows.ts'
import type { Membership } from './membership.ts'
import type { Marks } from './sharing.ts'

/** The number of marks that are read, and removed, at a time. */
const pageRows = 500
/** How many conflicts in a row may have no cause that can be found. */
const unexplainedMax = 3

export class DurableMarks implements Marks {
  readonly #ports: { readonly journal: Journal; readonly hashing: Hashing }
  readonly #membership: Membership
  readonly #marked = new Set<BlobId>()
  readonly #lost = new Set<BlobId>()
  #waiting: BlobId[] = []
  #released: BlobId[] = []
  #writing: Promise<void> | undefined

  constructor(ports: { readonly journal: Journal; readonly hashing: Hashing }, membership: Membership) {
    this.#ports = ports
    this.#membership = membership
  }

  /** Marks that arrive together become durable in one commit. */
  add(id: BlobId): Promise<void> {
    this.#marked.add(id)
    this.#waiting.push(id)
    return (this.#writing ??= this.#write())
  }

  delete(id: BlobId): void {
    if (this.#marked.delete(id)) this.#released.push(id)
    this.#lost.delete(id)
  }

  isLost(id: BlobId): boolean {
    return this.#lost.has(id)
  }

  async has(id: BlobId): Promise<boolean> {
    if (this.#marked.has(id)) return true
    const { journal, hashing } = this.#ports
    const key = markTable.key(id)
    const frame = await journal.get(key.bytes)
    if (frame === undefined) return false
    const mark = readableRow(hashing, key, frame)
    // The blob of a damaged mark is kept: an engine may be writing it.
    return mark === undefined || (await this.#membership.working()).has(mark.engine)
  }

  /** Commits the removal of the rows of released marks. If that fails, a later call removes them. */
  async removeReleased(commit: (rows: readonly RowChange[]) => Promise<void>): Promise<void> {
    const ids = this.#released.splice(0)
    try {
      await commit(ids.map((id) => ({ key: markTable.key(id).bytes, value: null })))
    } catch (error) {
      this.#released.push(...ids)
      throw error
    }
  }

  /** The membership has ended: other engines may delete the marked blobs. */
  loseAll(): void {
    for (const id of this.#marked) this.#lost.add(id)
    this.#marked.clear()
    this.#released = []
  }

  /** Removes the marks of engines that are gone. */
  async clearStale(): Promise<void> {
    const { journal, hashing } = this.#ports
    const cursor = journal.cursor(markTable.range)
    try {
      for (let rows = await cursor.next(pageRows); rows.length > 0; rows = await cursor.next(pageRows)) {
        const working = await this.#membership.working()
        const stale = rows.filter(([bytes, frame]) => {
          const mark = readableRow(hashing, new RowKey<MarkRow>(bytes), frame)
          return mark !== undefined && !working.has(mark.engine)
        })
        if (stale.length > 0)
          await this.#membership.change(
            [],
            stale.map(([key]) => ({ key, value: null })),
          )
      }
    } finally {
      await cursor.close()
    }
  }

  async #write(): Promise<void> {
    // Wait one tick, so that marks of one turn form one commit.
    await Promise.resolve()
    const ids = this.#waiting
    this.#waiting = []
    this.#writing = undefined
    for (let unexplained = 0; ; unexplained++) {
      const marks = ids
        .filter((id) => this.#marked.has(id))
        .map((id) => coordinationRow(this.#ports.hashing, markTable.key(id), { engine: this.#membership.id }))
      try {
        return await this.removeReleased((released) => this.#membership.change([], [...released, ...marks]))
      } catch (error) {
        if (!isStorageError(error, 'JournalConflict') || unexplained > unexplainedMax) throw error
      }
      if (await this.#membership.rejoin()) unexplained = 0
      // The blobs of these marks do not exist yet, so the new membership can mark them.
      for (const id of ids) if (this.#lost.delete(id)) this.#marked.add(id)
    }
  }
}
