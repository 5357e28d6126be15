/**
 * What replicas of a store have confirmed. Bytes that were freed by a later event are not erased yet, because the replica may lack them.
 * The positions are in rows beside the log, so a later opening knows them. Where there is no row, nothing is confirmed.
 */
import type { Seq } from '../ports/index.ts'
import type { ReplicationName } from './job-name.ts'
import type { JobPlaces } from './job-places.ts'
import { type Amount, PinnedBytes } from './pinned-bytes.ts'

/** A replica that an opening writes, and so waits for. */
export interface ReplicaPin {
  /** The job that writes the replica. */
  readonly job: ReplicationName
  /** Bytes that are due for their erasure and may stay for the replica. Of more, the oldest are given up. */
  readonly maxBytes: number
  /** Called when bytes are given up, once until the replica has the events before. */
  readonly onGivenUp?: ((givenUp: Amount) => void) | undefined
}

/** What a store keeps for a replica. */
export interface JobPins {
  /** The bytes that are due for their erasure and that the replica may lack, as the last sweep found them. */
  readonly bytes: number
  /** What was erased since the store was opened, though the replica might lack it: it was more than the store keeps for it. */
  readonly givenUp: Amount
}

/** How often the row of a replica is written while its position advances, in milliseconds. */
const rowEveryMs = 10_000

interface Pinned extends ReplicaPin {
  /** While this process writes the replica. */
  confirmed: Seq | undefined
  /** What the row says. `undefined`: it was not read, or another process may have written it. */
  stored: Seq | undefined
  storedAt: number
  /** Nothing that was freed up to this position is kept any more. */
  givenUpTo: Seq
  givenUp: Amount
}

export interface ReplicaPinsPorts {
  readonly places: JobPlaces
  readonly clock: { monotonic(): number }
  /** Another process may write the replicas. */
  readonly isShared: boolean
}

/** What each replica has confirmed, for which the sweep waits within a budget. */
export class ReplicaPins {
  readonly counted = new PinnedBytes()
  readonly #ports: ReplicaPinsPorts
  readonly #pins: ReadonlyMap<ReplicationName, Pinned>
  #onReleased: () => void = () => undefined

  constructor(ports: ReplicaPinsPorts, pins: readonly ReplicaPin[] = []) {
    this.#ports = ports
    this.#pins = new Map(
      pins.map((pin) => [
        pin.job,
        {
          ...pin,
          confirmed: undefined,
          stored: undefined,
          storedAt: 0,
          givenUpTo: 0,
          givenUp: { contents: 0, bytes: 0 },
        },
      ]),
    )
  }

  get isEmpty(): boolean {
    return this.#pins.size === 0
  }

  get jobs(): readonly ReplicationName[] {
    return [...this.#pins.keys()]
  }

  /** Called when bytes are released that were due before. */
  onReleased(listener: () => void): void {
    this.#onReleased = listener
  }

  /**
   * The position after which replicas need all bytes that were freed. `end`: the last event; a log that lost its end can have other
   * events up to a position that was confirmed.
   */
  async floor(end: Seq): Promise<Seq> {
    let lowest = Number.POSITIVE_INFINITY
    for (const pin of this.#pins.values()) lowest = Math.min(lowest, await this.#floorOf(pin, end))
    return lowest
  }

  /** As `floor`, for one replica. */
  async floorOf(job: ReplicationName, end: Seq): Promise<Seq> {
    const pin = this.#pins.get(job)
    return pin === undefined ? Number.POSITIVE_INFINITY : this.#floorOf(pin, end)
  }

  /** This process writes the replica, which has all events up to the position. */
  async confirm(job: ReplicationName, position: Seq): Promise<void> {
    const pin = this.#pins.get(job)
    if (pin === undefined || pin.confirmed === position) return
    const isBack = position < (pin.confirmed ?? pin.stored ?? 0)
    pin.confirmed = position
    const isDue = pin.stored === undefined || this.#ports.clock.monotonic() - pin.storedAt >= rowEveryMs
    if (isBack || isDue) await this.#store(pin, position)
    if (!this.counted.isEmpty) this.#onReleased()
  }

  /** The replica has nothing of what was erased on purpose up to the position. Other engines may wait for that. */
  async reportErased(job: ReplicationName, upTo: Seq): Promise<void> {
    if (this.#ports.isShared) await this.#ports.places.write(`erased ${job}`, String(upTo))
  }

  /** This process does not write the replica any more. */
  async release(job: ReplicationName): Promise<void> {
    const pin = this.#pins.get(job)
    if (pin?.confirmed === undefined) return
    if (pin.stored !== pin.confirmed) await this.#store(pin, pin.confirmed)
    pin.confirmed = undefined
    if (this.#ports.isShared) pin.stored = undefined
  }

  /** What was freed up to the position is not kept for the replica any more. */
  giveUp(job: ReplicationName, upTo: Seq, { contents, bytes }: Amount): void {
    const pin = this.#pins.get(job)
    if (pin === undefined) return
    const isFirst = (pin.confirmed ?? pin.stored ?? 0) >= pin.givenUpTo
    pin.givenUpTo = Math.max(pin.givenUpTo, upTo)
    pin.givenUp = { contents: pin.givenUp.contents + contents, bytes: pin.givenUp.bytes + bytes }
    if (isFirst) pin.onGivenUp?.({ contents, bytes })
  }

  maxBytesOf(job: ReplicationName): number {
    return this.#pins.get(job)?.maxBytes ?? 0
  }

  /** `undefined` for another job. */
  status(job: string): JobPins | undefined {
    const pin = this.#pins.get(job as ReplicationName)
    if (pin === undefined) return undefined
    const { bytes } = this.counted.after(Math.max(pin.confirmed ?? pin.stored ?? 0, pin.givenUpTo))
    return { bytes, givenUp: pin.givenUp }
  }

  async #floorOf(pin: Pinned, end: Seq): Promise<Seq> {
    const confirmed = pin.confirmed ?? (await this.#storedIn(pin, end))
    return Math.max(confirmed, pin.givenUpTo)
  }

  async #storedIn(pin: Pinned, end: Seq): Promise<Seq> {
    if (pin.stored !== undefined && !this.#ports.isShared) return pin.stored
    const stored = Number((await this.#ports.places.read(`pins ${pin.job}`)) ?? 0)
    const isOfThisLog = Number.isSafeInteger(stored) && stored >= 0 && stored <= end
    if (!isOfThisLog) await this.#store(pin, 0)
    else pin.stored = stored
    return pin.stored ?? 0
  }

  async #store(pin: Pinned, position: Seq): Promise<void> {
    await this.#ports.places.write(`pins ${pin.job}`, String(position))
    pin.stored = position
    pin.storedAt = this.#ports.clock.monotonic()
  }
}
