/**
 * Clears what deleted buckets left: aborts their uploads, a few in each commit, so that other commands can commit in
 * between, and removes the versions of dropped forks. The views list the buckets with remaining uploads, so the work
 * continues after a crash when the store is opened again.
 */
import { isStorageError } from '../base/errors.ts'
import type { CommandMeta } from '../commands/command.ts'
import type { Seq } from '../ports/index.ts'
import { firstRows } from '../reads/row-walk.ts'
import type { DeletedBucketRow, UploadRow } from '../views/rows.ts'
import { deletedBucketTable, uploadTable } from '../views/tables.ts'
import type { Engine } from '../engine/engine.ts'
import { clearDroppedForks } from './dropped-forks.ts'
import type { Jobs } from './jobs.ts'

/** The number of uploads in one commit: small, so that other commands wait only briefly. */
const groupSize = 50
const cleanupActor = { id: 'varve', name: 'cleanup' }

interface Group {
  readonly deleted: Seq
  readonly uploads: readonly { readonly key: string; readonly upload: Seq }[]
  readonly last: boolean
  /** The key at which the next group begins. */
  readonly end: Uint8Array
}

export class DeletedBuckets {
  readonly #engine: Engine
  readonly #jobs: Jobs
  #running: Promise<void> | undefined
  #again = false

  constructor(engine: Engine, jobs: Jobs) {
    this.#engine = engine
    this.#jobs = jobs
  }

  /** Resolves when nothing is left. Calls during a run share it. */
  async clear(): Promise<void> {
    this.#again = this.#running !== undefined
    const running = (this.#running ??= this.#jobs.run('deleted-buckets', () => this.#run()))
    try {
      await running
    } finally {
      // If another engine does the work, the run never began.
      if (this.#running === running) this.#running = undefined
    }
  }

  /** As `clear`, unless another engine does it now. */
  async clearUnlessHeld(): Promise<void> {
    await this.clear().catch((error: unknown) => {
      if (!isStorageError(error, 'LeaseHeld')) throw error
    })
  }

  /** Resolves when no run is in progress. */
  async idle(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }

  async #run(): Promise<void> {
    const { turns } = this.#engine
    try {
      do {
        this.#again = false
        for (let group = await this.#nextGroup(); group !== undefined; group = await this.#nextGroup(group)) {
          await this.#abort(group)
          await turns.pass()
        }
        await clearDroppedForks(this.#engine, () => this.#meta)
      } while (this.#again)
    } finally {
      this.#running = undefined
    }
  }

  async #abort({ deleted, uploads, last }: Group): Promise<void> {
    const data = { deleted, uploads, last }
    await this.#engine.writer.submit({ type: 'ClearDeletedBucket', data, meta: this.#meta })
  }

  get #meta(): CommandMeta {
    return { by: cleanupActor, requestId: this.#engine.ports.ids.next(), job: 'deleted-buckets' }
  }

  /** Continues after the previous group, because a database is slow to skip deleted rows. */
  async #nextGroup(before?: Group): Promise<Group | undefined> {
    if (this.#engine.state !== 'open') return undefined
    const { hashing } = this.#engine.ports
    return this.#engine.withSnapshot(async (rows) => {
      const [bucket] = await firstRows<DeletedBucketRow>(rows, hashing, deletedBucketTable.range, 1)
      if (bucket === undefined) return undefined
      // Reading one more than the group size shows whether this group is the last.
      const deleted = deletedBucketTable.deleted(bucket.key)
      const all = uploadTable.range(bucket.row)
      const range = before?.deleted === deleted ? { ...all, gte: before.end } : all
      const found = await firstRows<UploadRow>(rows, hashing, range, groupSize + 1)
      if (found.length === 0) return undefined
      const uploads = found.slice(0, groupSize).map(({ key, row }) => ({
        key: uploadTable.objectKey(key),
        upload: row.seq,
      }))
      const end = found[groupSize]?.key ?? all.lt
      return { deleted, uploads, last: found.length <= groupSize, end }
    })
  }
}
