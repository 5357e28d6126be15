/** Holds acknowledgements back until a replica has what was written. */
import { type Confirmation, isStorageError, type Seq, StorageError } from '@varve/core'

/** What is done with writes while the replica does not confirm them. */
export type WhenBehind = 'refuse' | 'continue'

export interface GateOptions {
  /** The address of the replica, without parameters. */
  readonly name: string
  readonly whenBehind: WhenBehind
  readonly patienceMs: number
}

interface Waiting {
  readonly seq: Seq
  resolve(): void
  reject(error: StorageError): void
}

export class ReplicaGate implements Confirmation {
  readonly #options: GateOptions
  readonly #waiting = new Set<Waiting>()
  #position: Seq = 0
  /** The replica did not confirm in time, and has not everything yet. */
  #isLapsed = false
  /** What an opening itself writes cannot wait for a job that begins after it. */
  #hasBegun = false
  #wake: () => void = () => undefined

  constructor(options: GateOptions) {
    this.#options = options
  }

  get refusal(): StorageError | undefined {
    return this.#isLapsed && this.#options.whenBehind === 'refuse' ? this.#error('refused') : undefined
  }

  confirmed(seq: Seq): Promise<void> | undefined {
    if (!this.#hasBegun || seq <= this.#position) return undefined
    if (this.#isLapsed) return this.#options.whenBehind === 'continue' ? undefined : this.#rejected()
    this.#wake()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#lapse(), this.#options.patienceMs)
      timer.unref()
      const waiting: Waiting = {
        seq,
        resolve: () => this.#settled(waiting, timer, resolve),
        reject: (error) => this.#settled(waiting, timer, () => reject(error)),
      }
      this.#waiting.add(waiting)
    })
  }

  /** From now on writes wait. */
  begin(): void {
    this.#hasBegun = true
  }

  /** Resolves when a write waits. One caller at a time. */
  wanted(): Promise<void> {
    if (this.#waiting.size > 0) return Promise.resolve()
    return new Promise((resolve) => (this.#wake = resolve))
  }

  /** The replica has all events up to `position`. `head`: the last one that there is. */
  advance(position: Seq, head: Seq): void {
    this.#position = Math.max(this.#position, position)
    if (position >= head) this.#isLapsed = false
    for (const waiting of this.#waiting) if (waiting.seq <= this.#position) waiting.resolve()
  }

  /** The replica is given up: it confirms nothing any more. */
  giveUp(): void {
    this.#lapse()
  }

  #lapse(): void {
    this.#isLapsed = true
    for (const waiting of this.#waiting) {
      if (this.#options.whenBehind === 'continue') waiting.resolve()
      else waiting.reject(this.#error('unconfirmed'))
    }
  }

  #settled(waiting: Waiting, timer: NodeJS.Timeout, settle: () => void): void {
    clearTimeout(timer)
    this.#waiting.delete(waiting)
    settle()
  }

  #rejected(): Promise<never> {
    return Promise.reject(this.#error('unconfirmed'))
  }

  #error(kind: 'unconfirmed' | 'refused'): StorageError {
    const { name } = this.#options
    const message =
      kind === 'refused'
        ? `Writes are refused: the replica ${name} has to confirm them, and does not.`
        : `The write is on disk, but the replica ${name} has not confirmed it in time.`
    return new StorageError('NotReplicated', message, { details: { kind } })
  }
}

/** The port of a store that waits for all of these. */
export function confirming(gates: readonly Confirmation[]): { readonly confirmation?: Confirmation } {
  if (gates.length === 0) return {}
  const confirmation: Confirmation = {
    get refusal() {
      return gates.map(({ refusal }) => refusal).find((refusal) => refusal !== undefined)
    },
    confirmed(seq) {
      const waits = gates.flatMap((gate) => gate.confirmed(seq) ?? [])
      return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined)
    },
  }
  return { confirmation }
}

/** Refuses writes from when on the store knows that another one was promoted in its place. */
export class Deposition implements Confirmation {
  refusal: StorageError | undefined

  confirmed(): undefined {
    return undefined
  }

  /** `error`: why the replica is given up. */
  by(error: unknown): void {
    if (!isStorageError(error, 'ReplicaHeld') || error.details['promoted'] !== true) return
    const { details } = error
    const message = `Writes are refused: ${String(details['holder'])} was promoted in place of this store, and writes its replica.`
    this.refusal = new StorageError('ReplicaHeld', message, { details: { ...details, kind: 'promoted' } })
  }
}
