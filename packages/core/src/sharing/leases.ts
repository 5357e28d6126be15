/**
 * Leases of jobs. A lease is a row that names its holder; it is valid while the holder is a member. Commands of a job
 * expect the row, so an engine that lost a lease while it slept cannot commit anything for the job.
 */
import { isStorageError } from '../base/errors.ts'
import { sameBytes } from '../bytes/bytes.ts'
import type { RowChange, Seq, Timer } from '../ports/index.ts'
import { coordinationRow, type EngineId, type LeaseRow, leaseTable, readableRow } from './coordination-rows.ts'
import type { Membership, MembershipPorts } from './membership.ts'
import { leaseHeld, leaseLost } from './sharing.ts'

export interface LeasePorts extends MembershipPorts {
  /** If absent, a lease that another engine holds is refused at once. */
  readonly timer?: Timer
}

/** Milliseconds between two attempts to get a lease that another engine holds. */
const retryMs = 200

/** What a damaged row means: an engine may take the lease. Once the row is replaced, an earlier holder cannot commit. */
const unknownLease: LeaseRow = { holder: null, epoch: 0 }

interface HeldLease {
  readonly row: LeaseRow
  readonly change: RowChange
  /** The number of runs of the job in this engine. They share the lease. */
  users: number
  /** A change of the row by this engine that is in flight: the journal may have it already. */
  stating?: Promise<void>
}

export class Leases {
  readonly #ports: LeasePorts
  readonly #membership: Membership
  readonly #held = new Map<string, HeldLease>()
  /** Acquiring and giving back, one after another for each job. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(ports: LeasePorts, membership: Membership) {
    this.#ports = ports
    this.#membership = membership
  }

  /** Runs the job while this engine holds its lease. @throws StorageError `LeaseHeld`; the reason of the signal */
  async alone<T>(job: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const lease = await this.#inTurn(job, () => this.#acquire(job, signal))
    try {
      return await work()
    } finally {
      await this.#inTurn(job, () => this.#release(job, lease))
    }
  }

  /** The jobs whose leases this engine holds. */
  get held(): readonly string[] {
    return [...this.#held.keys()]
  }

  /** The row that commands of the job expect. @throws StorageError `LeaseLost` */
  row(job: string): RowChange {
    const held = this.#held.get(job)
    if (held === undefined) throw leaseLost(job)
    return held.change
  }

  /**
   * States in the lease up to which position bytes may be erased now; `undefined`: none.
   * @throws StorageError `LeaseLost`
   */
  async state(job: string, erasing: Seq | undefined): Promise<void> {
    const held = this.#held.get(job)
    if (held === undefined) throw leaseLost(job)
    const { holder, epoch } = held.row
    const next = this.#encoded(job, { holder, epoch, ...(erasing !== undefined && { erasing }) })
    const stating = this.#membership.change([held.change], [next.change]).then(() => void Object.assign(held, next))
    held.stating = stating
    try {
      await stating
    } catch (error) {
      if (!isStorageError(error, 'JournalConflict')) throw error
      if (this.#held.get(job) === held) this.#held.delete(job)
      throw leaseLost(job)
    } finally {
      if (held.stating === stating) delete held.stating
    }
  }

  /** The position up to which a working engine may erase bytes now. Another engine may begin at any moment. */
  async erasing(job: string): Promise<Seq | undefined> {
    const row = (await this.#stored(job))?.row
    if (row?.erasing === undefined || row.holder === null || row.holder === this.#membership.id) return undefined
    return (await this.#membership.working()).has(row.holder) ? row.erasing : undefined
  }

  /** Forgets leases that were taken from this engine. Resolves with whether there were any. */
  async check(): Promise<boolean> {
    let lost = false
    for (const [job, held] of this.#held) {
      if ((await this.#isStored(held)) || this.#held.get(job) !== held) continue
      this.#held.delete(job)
      lost = true
    }
    return lost
  }

  /** What this engine itself is changing says nothing, until it knows the outcome. */
  async #isStored(held: HeldLease): Promise<boolean> {
    for (;;) {
      await held.stating?.catch(() => undefined)
      const { change } = held
      const stored = await this.#ports.journal.get(change.key)
      if (stored !== undefined && sameBytes(stored, change.value as Uint8Array)) return true
      if (held.stating === undefined && held.change === change) return false
    }
  }

  /** The membership has ended, and all leases with it. */
  forgetAll(): void {
    this.#held.clear()
  }

  async #acquire(job: string, signal: AbortSignal | undefined): Promise<HeldLease> {
    const own = this.#held.get(job)
    if (own !== undefined) {
      own.users++
      return own
    }
    for (;;) {
      signal?.throwIfAborted()
      const granted = await this.#tryAcquire(job)
      if (granted !== undefined) return granted
      if (this.#ports.timer === undefined) throw leaseHeld(job)
      await this.#ports.timer.pause(retryMs, signal)
    }
  }

  async #tryAcquire(job: string): Promise<HeldLease | undefined> {
    const stored = await this.#stored(job)
    if (stored?.row.holder !== undefined && stored.row.holder !== null && (await this.#isHeld(stored.row.holder))) {
      return undefined
    }
    const before = stored?.change ?? { key: leaseTable.key(job).bytes, value: null }
    const next = this.#encoded(job, { holder: this.#membership.id, epoch: (stored?.row.epoch ?? 0) + 1 })
    try {
      await this.#membership.change([before], [next.change])
    } catch (error) {
      if (!isStorageError(error, 'JournalConflict')) throw error
      await this.#membership.rejoin()
      return undefined
    }
    const held = { ...next, users: 1 }
    this.#held.set(job, held)
    return held
  }

  /** A lease that this engine took under its membership and does not know any more is free. */
  async #isHeld(holder: EngineId): Promise<boolean> {
    return holder !== this.#membership.id && (await this.#membership.working()).has(holder)
  }

  async #release(job: string, lease: HeldLease): Promise<void> {
    if (--lease.users > 0 || this.#held.get(job) !== lease) return
    this.#held.delete(job)
    try {
      const free = this.#encoded(job, { holder: null, epoch: lease.row.epoch })
      await this.#membership.change([lease.change], [free.change])
    } catch {
      // The lease was lost, or it ends with the membership.
    }
  }

  async #stored(job: string): Promise<{ readonly row: LeaseRow; readonly change: RowChange } | undefined> {
    const { journal, hashing } = this.#ports
    const key = leaseTable.key(job)
    const value = await journal.get(key.bytes)
    return value && { row: readableRow(hashing, key, value) ?? unknownLease, change: { key: key.bytes, value } }
  }

  #encoded(job: string, row: LeaseRow): { readonly row: LeaseRow; readonly change: RowChange } {
    return { row, change: coordinationRow(this.#ports.hashing, leaseTable.key(job), row) }
  }

  #inTurn<T>(job: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#turns.get(job) ?? Promise.resolve()).then(work)
    const turn = done
      .catch(() => undefined)
      .finally(() => {
        if (this.#turns.get(job) === turn) this.#turns.delete(job)
      })
    this.#turns.set(job, turn)
    return done
  }
}
