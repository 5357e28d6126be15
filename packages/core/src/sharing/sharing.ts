/** How an engine coordinates with other engines on its journal: alone, or as one of several. */
import { StorageError } from '../base/errors.ts'
import type { BlobMarks } from '../content/content-writer.ts'
import type { BlobId, RowChange, Secret, Seq } from '../ports/index.ts'

/** The marks of blobs that are written and that no commit names yet. */
export interface Marks extends BlobMarks {
  /** Whether an engine has marked the blob. Call it before reading the row that names the blob. */
  has(id: BlobId): boolean | Promise<boolean>
  /** Whether this engine marked the blob and the mark no longer protects it: no commit may name the blob. */
  isLost(id: BlobId): boolean
}

/** An engine among those on its journal. */
export interface SharingStatus {
  /** How many engines use the journal, with this one. */
  readonly members: number
  /** The jobs whose leases this engine holds. */
  readonly leases: readonly string[]
}

export interface Sharing {
  /** False if no other engine can commit to the journal. */
  readonly isShared: boolean
  readonly marks: Marks
  /** The secret of a store whose ports have none; absent if this engine needs no common one. */
  readonly secret?: Secret
  /**
   * The rows that a commit of this engine expects. With a job: also that this engine still holds its lease.
   * @throws StorageError `LeaseLost`
   */
  fence(job?: string): readonly RowChange[]
  /** Runs work as the only engine that runs this job. @throws StorageError `LeaseHeld`; the reason of the signal */
  alone<T>(job: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /**
   * Protects reads from the sweeps of other engines: `undefined` if they are protected, or a promise that resolves when
   * they are. `at`: the position of a read that was registered before.
   */
  protect(at?: Seq): Promise<void> | undefined
  /** Runs an erasure of bytes that were freed up to a position that no read of any engine needs, at most `upTo`. */
  erasing<T>(upTo: Seq, work: (horizon: Seq) => Promise<T>): Promise<T>
  /**
   * After a conflict: joins again if another engine ended the membership of this one, and forgets leases that others
   * took. Resolves with whether there was any of that.
   */
  checkRights(): Promise<boolean>
  /** Shows the other engines that this one works. */
  beat(): Promise<void>
  /** Ends the membership, so that no commit of this engine that is under way can be carried out any more, and joins again. */
  renew(): Promise<void>
  /** Removes what engines left in the journal that are gone. */
  clearStaleMarks(): Promise<void>
  /** Absent: there are no other engines. */
  status?(): Promise<SharingStatus>
  /** Gives back what this engine holds. Its later commits are refused. */
  leave(): Promise<void>
}

/** Guards commits against other engines. */
export interface CommitGuard {
  /**
   * The rows that each commit expects. Shows that this engine works, if that is due: computing views takes minutes.
   * @throws StorageError `LeaseLost`
   */
  rows(): Promise<readonly RowChange[]>
  /** Call it after a conflict, before the next attempt. */
  check(): Promise<unknown>
}

/** A guard for the commits of a job. Absent if there are no other engines. */
export function guardOf(sharing: Sharing, job: string): CommitGuard | undefined {
  if (!sharing.isShared) return undefined
  return {
    async rows() {
      await sharing.protect()
      return sharing.fence(job)
    },
    check: () => sharing.checkRights(),
  }
}

/** The job under which views are computed again. No other engine reads or writes views meanwhile. */
export const viewsJob = 'views'

/** The only engine on its journal: what it does needs no agreement. */
export function soleEngine(): Sharing {
  const marked = new Set<BlobId>()
  return {
    isShared: false,
    marks: {
      add: (id) => void marked.add(id),
      delete: (id) => marked.delete(id),
      has: (id) => marked.has(id),
      isLost: () => false,
    },
    fence: () => [],
    alone: (_job, work) => work(),
    protect: () => undefined,
    erasing: (upTo, work) => work(upTo),
    checkRights: async () => false,
    beat: async () => undefined,
    renew: async () => undefined,
    clearStaleMarks: async () => undefined,
    leave: async () => undefined,
  }
}

export const leaseLost = (job: string): StorageError =>
  new StorageError('LeaseLost', 'Another engine took over before this was committed. Nothing was changed.', {
    details: { job },
  })

export const leaseHeld = (job: string): StorageError =>
  new StorageError('LeaseHeld', `Another engine on this journal runs the job ${job}.`, {
    details: { job },
  })
