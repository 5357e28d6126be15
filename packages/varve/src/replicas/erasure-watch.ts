/** Lets an erasure on purpose wait until a replica has removed the bytes too. */
import type { ErasureCopies, Seq } from '@varve/core'

/** How long an erasure waits for the replicas. */
const patienceMs = 10_000
/** How often it looks what another engine has reported, which writes the replica. */
const lookMs = 100

interface Waiting {
  readonly seq: Seq
  settle(isRemoved: boolean): void
}

export class ErasureWatch {
  readonly #waiting = new Set<Waiting>()
  readonly #patienceMs: number
  #removedUpTo: Seq = 0
  /** The replica has let an erasure wait in vain: the next ones do not wait until it advances. */
  #isLapsed = false
  #hasEnded = false
  /** Another engine may write the replica: what it has reported. */
  #reported: (() => Promise<Seq>) | undefined
  /** An erasure waits that no turn has begun for. */
  #isWanted = false
  #wake: () => void = () => undefined

  constructor(patience = patienceMs) {
    this.#patienceMs = patience
  }

  /** From now on another engine may write the replica. `reported`: up to where it has nothing of what was erased. */
  watchOthers(reported: () => Promise<Seq>): void {
    this.#reported = reported
  }

  /** Resolves to whether the replica has nothing of what was erased up to `seq`. */
  async removed(seq: Seq): Promise<boolean> {
    await this.#look()
    if (seq <= this.#removedUpTo) return true
    if (this.#isLapsed || this.#hasEnded) return false
    this.#want()
    return new Promise((resolve) => {
      const lapse = (): void => {
        this.#isLapsed = true
        waiting.settle(false)
      }
      const timer = setTimeout(lapse, this.#patienceMs)
      const looking = this.#reported && setInterval(() => void this.#look(), lookMs)
      const waiting: Waiting = {
        seq,
        settle: (isRemoved) => {
          clearTimeout(timer)
          clearInterval(looking)
          this.#waiting.delete(waiting)
          resolve(isRemoved)
        },
      }
      this.#waiting.add(waiting)
    })
  }

  /** Resolves when an erasure waits that no turn has begun for. One caller at a time. */
  async wanted(): Promise<void> {
    if (!this.#isWanted) await new Promise<void>((resolve) => (this.#wake = resolve))
  }

  /** A turn begins, which removes what was erased up to now. */
  begin(): void {
    this.#isWanted = false
  }

  /** The replica has nothing of what was erased up to `seq`. */
  advance(seq: Seq): void {
    if (seq > this.#removedUpTo) {
      this.#removedUpTo = seq
      this.#isLapsed = false
      for (const waiting of this.#waiting) if (waiting.seq <= seq) waiting.settle(true)
    }
    // They came during the turn.
    if (this.#waiting.size > 0) this.#want()
  }

  /** The replica is not written any more. */
  end(): void {
    this.#hasEnded = true
    for (const waiting of this.#waiting) waiting.settle(false)
  }

  async #look(): Promise<void> {
    const reported = await this.#reported?.().catch(() => undefined)
    if (reported !== undefined && reported > this.#removedUpTo) this.advance(reported)
  }

  #want(): void {
    this.#isWanted = true
    this.#wake()
  }
}

interface Watched {
  readonly place: { readonly name: string }
  readonly erasures: ErasureWatch
}

/** The port of a store with these replicas. */
export const erasureCopies = (replicas: readonly Watched[]): { readonly erasureCopies?: ErasureCopies } =>
  replicas.length === 0 ? {} : { erasureCopies: { behind: (seq) => namesBehind(replicas, seq) } }

async function namesBehind(replicas: readonly Watched[], seq: Seq): Promise<readonly string[]> {
  const names = await Promise.all(
    replicas.map(async ({ place, erasures }) => ((await erasures.removed(seq)) ? [] : [place.name])),
  )
  return names.flat()
}
