/** A store whose every effect passes by a step, and which keeps no row in memory: a schedule can stall it wherever it waits. */
import { memoryBlobs, type MemoryBlobMedium, nodeHashing, randomIds } from '@varve/adapters'
import { openEngine, type Store } from '@varve/core'
import { atOnce, plainJournal, type PlainMedium, plainMedium, type Step } from '../../model/plain-journal.ts'
import { noon } from './people.ts'

export const hashing = await nodeHashing()

export class SteppedStore {
  readonly store: Store
  readonly #medium: PlainMedium
  readonly #bytes: MemoryBlobMedium
  readonly #steps: { current: Step }

  private constructor(store: Store, medium: PlainMedium, bytes: MemoryBlobMedium, steps: { current: Step }) {
    this.store = store
    this.#medium = medium
    this.#bytes = bytes
    this.#steps = steps
  }

  /** Empty, or as another is now. */
  static async open(like?: SteppedStore): Promise<SteppedStore> {
    const medium = like === undefined ? plainMedium() : { ...like.#medium }
    const bytes: MemoryBlobMedium = new Map(like === undefined ? [] : like.#bytes)
    const steps = { current: atOnce }
    const step: Step = (effect) => steps.current(effect)
    const blobs = memoryBlobs(bytes)
    const ports = {
      journal: plainJournal(medium, step),
      blobs: {
        ...blobs,
        async write(...args: Parameters<typeof blobs.write>) {
          await step('write blob')
          return blobs.write(...args)
        },
      },
      clock: { now: () => noon, monotonic: () => 0 },
      secret: { read: async () => new Uint8Array(32).fill(7) },
      ids: randomIds,
      hashing,
    }
    const store = await openEngine(ports, { inlineMax: 64, hotBytes: 0, retentionMs: 1e12 })
    return new SteppedStore(store, medium, bytes, steps)
  }

  schedule(step: Step): void {
    this.#steps.current = step
  }
}
