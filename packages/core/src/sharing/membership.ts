/**
 * The membership of an engine among the engines on one journal. A member shows that it works by changing its beat row.
 * An engine that others no longer see working loses its membership, and with it every lease and every mark: its commits
 * are refused from then on, however late they arrive, because each of them expects the row of its membership.
 */
import { isStorageError, StorageError } from '../base/errors.ts'
import { byteString, sameBytes } from '../bytes/bytes.ts'
import type { Clock, Hashing, Ids, Journal, RowChange, Seq } from '../ports/index.ts'
import {
  type BeatRow,
  beatTable,
  coordinationRow,
  type EngineId,
  memberTable,
  readableRow,
} from './coordination-rows.ts'
import { assertNoPassage, noPassage } from './passage.ts'

export interface MembershipPorts {
  readonly journal: Journal
  readonly hashing: Hashing
  readonly ids: Ids
  readonly clock: Clock
}

/** How long an engine counts as working after its last sign of life, in milliseconds. */
export const membershipMs = 15_000
/** The interval between two signs of life, in milliseconds. */
export const beatMs = membershipMs / 3

/** Another engine, as its rows show it. */
export interface Member {
  readonly engine: EngineId
  readonly floor: Seq
}

export class Membership {
  readonly #ports: MembershipPorts
  readonly #floor: () => Seq
  readonly #onLost: () => void
  /** The last beat of each other engine, and when it was first seen, by the monotonic clock. */
  readonly #seen = new Map<EngineId, { readonly beat: string; readonly since: number }>()
  #id: EngineId
  #member: RowChange
  #beat: { readonly row: BeatRow; readonly change: RowChange }
  #beatAt = 0
  /** The floor of the last beat that was begun. */
  #publishing: Seq = 0
  #turn: Promise<unknown> = Promise.resolve()
  #left = false

  /** `floor`: the position before which no read in progress began. `onLost`: called when the membership has ended. */
  private constructor(ports: MembershipPorts, floor: () => Seq, onLost: () => void) {
    this.#ports = ports
    this.#floor = floor
    this.#onLost = onLost
    this.#id = ports.ids.next()
    this.#member = this.#memberRow()
    this.#beat = this.#beatRow({ count: 0, floor: 0 })
  }

  static async join(ports: MembershipPorts, floor: () => Seq, onLost: () => void): Promise<Membership> {
    const membership = new Membership(ports, floor, onLost)
    await membership.#join()
    return membership
  }

  get id(): EngineId {
    return this.#id
  }

  /** The row that every commit of this engine expects. */
  get fence(): RowChange {
    return this.#member
  }

  /** True if others may soon count this engine as gone. */
  get isDoubtful(): boolean {
    return this.#ports.clock.monotonic() - this.#beatAt > membershipMs / 2
  }

  /** The highest floor that other engines may see, now or when a beat arrives that is on its way. */
  get publishedFloor(): Seq {
    return Math.max(this.#beat.row.floor, this.#publishing)
  }

  /** Shows that this engine works, and publishes its floor. Joins again if the membership has ended. */
  beat(alsoRows: readonly RowChange[] = []): Promise<void> {
    return this.#inTurn(() => this.#beatOnce(alsoRows))
  }

  /** Joins again if another engine ended the membership. Resolves with whether it did. */
  rejoin(): Promise<boolean> {
    return this.#inTurn(() => this.#rejoinIfLost())
  }

  /** Ends the membership, and joins again. Commits of this engine that are still on their way are refused. */
  renew(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#left) return
      await this.#endOwn([])
      await this.#joinAgain()
    })
  }

  /** Ends the membership. Commits of this engine that are still on their way are refused. */
  leave(rows: readonly RowChange[]): Promise<void> {
    return this.#inTurn(async () => {
      this.#left = true
      await this.#endOwn(rows)
    })
  }

  /** The other members. Ends the membership of those that do not work any more. */
  async others(): Promise<readonly Member[]> {
    const cursor = this.#ports.journal.cursor(memberTable.range)
    const members: Member[] = []
    const stored = new Set<EngineId>()
    try {
      for (let rows = await cursor.next(100); rows.length > 0; rows = await cursor.next(100)) {
        for (const [key, value] of rows) {
          const engine = memberTable.engine(key)
          if (engine === this.#id) continue
          stored.add(engine)
          const member = await this.#workingMember(engine, { key, value })
          if (member !== undefined) members.push(member)
        }
      }
    } finally {
      await cursor.close()
    }
    for (const engine of this.#seen.keys()) if (!stored.has(engine)) this.#seen.delete(engine)
    return members
  }

  /** The engines that work, with this one. */
  async working(): Promise<ReadonlySet<EngineId>> {
    return new Set([this.#id, ...(await this.others()).map(({ engine }) => engine)])
  }

  /**
   * Changes rows as a member.
   * @throws StorageError `JournalConflict` if an expected row or the membership has changed; `StoreClosed` after `leave`
   */
  async change(expected: readonly RowChange[], rows: readonly RowChange[]): Promise<void> {
    if (this.#left) throw new StorageError('StoreClosed', 'The store is closed.')
    await this.#commit([this.#member, ...expected], rows)
  }

  /** Another member, or `undefined` if it left, or does not work any more: then its membership is ended. */
  async #workingMember(engine: EngineId, member: RowChange): Promise<Member | undefined> {
    const { journal, hashing } = this.#ports
    const key = beatTable.key(engine)
    const frame = await journal.get(key.bytes)
    if (frame === undefined && (await journal.get(member.key)) === undefined) return undefined
    const beat = frame && readableRow(hashing, key, frame)
    if (!(await this.#isGone(engine, frame, beat))) return { engine, floor: beat?.floor ?? 0 }
    if (await this.#end(member, { key: key.bytes, value: frame ?? null })) return undefined
    // It showed a sign of life meanwhile.
    return { engine, floor: 0 }
  }

  async #commit(expectedRows: readonly RowChange[], rows: readonly RowChange[]): Promise<void> {
    await this.#ports.journal.commit({ expectedRows, events: [], rows, outsideLog: true })
  }

  async #endOwn(rows: readonly RowChange[]): Promise<void> {
    const gone = [this.#member, this.#beat.change].map(({ key }): RowChange => ({ key, value: null }))
    try {
      await this.#commit([this.#member], [...gone, ...rows])
    } catch (error) {
      // Another engine has ended it.
      if (!isStorageError(error, 'JournalConflict')) throw error
    }
  }

  async #join(): Promise<void> {
    const beat = this.#beatRow({ count: 0, floor: 0, ...(await this.#expiry()) })
    try {
      await this.#commit([{ key: this.#member.key, value: null }, noPassage], [this.#member, beat.change])
    } catch (error) {
      if (isStorageError(error, 'JournalConflict')) await assertNoPassage(this.#ports)
      throw error
    }
    this.#beat = beat
    this.#beatAt = this.#ports.clock.monotonic()
  }

  async #beatOnce(alsoRows: readonly RowChange[]): Promise<void> {
    if (this.#left) return
    const begun = this.#ports.clock.monotonic()
    const count = this.#beat.row.count + 1
    const floor = this.#floor()
    this.#publishing = floor
    const beat = this.#beatRow({ count, floor, ...(await this.#expiry()) })
    try {
      await this.#commit([this.#member, this.#beat.change], [beat.change, ...alsoRows])
    } catch (error) {
      if (!isStorageError(error, 'JournalConflict')) throw error
      await this.#joinAgain()
      return this.#beatOnce([])
    }
    this.#beat = beat
    this.#beatAt = begun
  }

  async #rejoinIfLost(): Promise<boolean> {
    const { key, value } = this.#member
    const stored = await this.#ports.journal.get(key)
    if (this.#left || (stored !== undefined && sameBytes(stored, value as Uint8Array))) return false
    await this.#joinAgain()
    return true
  }

  /** Under another id: leases and marks of the ended membership stay void. */
  async #joinAgain(): Promise<void> {
    this.#id = this.#ports.ids.next()
    this.#member = this.#memberRow()
    this.#onLost()
    await this.#join()
  }

  /** Resolves with whether the membership was ended: not if the member shows a sign of life meanwhile. */
  async #end(member: RowChange, beat: RowChange): Promise<boolean> {
    const rows = [member, beat].map(({ key }): RowChange => ({ key, value: null }))
    try {
      await this.change([member, beat], rows)
      return true
    } catch (error) {
      if (isStorageError(error, 'JournalConflict')) return false
      throw error
    }
  }

  /**
   * By the journal's clock, if it has one and has not been set back. Otherwise by the time for which this engine has seen
   * the beat unchanged: no clock of another machine is trusted.
   */
  async #isGone(engine: EngineId, frame: Uint8Array | undefined, row: BeatRow | undefined): Promise<boolean> {
    const { journal, clock } = this.#ports
    const left = row?.expires === undefined ? undefined : row.expires - ((await journal.now?.()) ?? Number.NaN)
    if (left !== undefined && left <= membershipMs) return left < 0
    const [beat, now] = [frame === undefined ? '' : byteString(frame), clock.monotonic()]
    const seen = this.#seen.get(engine)
    if (seen?.beat === beat) return now - seen.since > membershipMs
    this.#seen.set(engine, { beat, since: now })
    return false
  }

  async #expiry(): Promise<Pick<BeatRow, 'expires'>> {
    const now = await this.#ports.journal.now?.()
    return now === undefined ? {} : { expires: now + membershipMs }
  }

  #memberRow(): RowChange {
    return coordinationRow(this.#ports.hashing, memberTable.key(this.#id), { engine: this.#id })
  }

  #beatRow(row: BeatRow) {
    return { row, change: coordinationRow(this.#ports.hashing, beatTable.key(this.#id), row) }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }
}
