/**
 * A replica in which a restore left blobs. What it lacks is missing for good, so it says so only while it is the replica of the restored
 * log: an empty one at the same address, as where a disk is not mounted, is a failure, and so is that of another store.
 */
import {
  type BlobHandle,
  type BlobId,
  isStorageError,
  ReplicaReader,
  readReplicaState,
  StorageError,
  tipAt,
} from '@varve/core'
import type { HeldEvent } from './filling-note.ts'
import type { OpenReplica } from './replica-address.ts'
import type { CopyInReplica } from './replica-copies.ts'

export class FillingSource {
  readonly #copy: CopyInReplica
  readonly #held: HeldEvent
  #looking: Promise<void> | undefined

  /** @param held an event that the replica must have */
  constructor(copy: CopyInReplica, held: HeldEvent) {
    this.#copy = copy
    this.#held = held
  }

  /** @throws StorageError `BlobMissing` if the right replica lacks it; `BlobFailed` for another replica, or one that cannot be read */
  async open(id: BlobId): Promise<BlobHandle> {
    try {
      return await this.#copy.open(id)
    } catch (error) {
      if (!isStorageError(error, 'BlobMissing')) throw this.#unreadable(error)
    }
    try {
      await this.#lookAnew()
      // A disk that was mounted since has the blob now.
      return await this.#copy.open(id)
    } catch (error) {
      throw this.#unreadable(error)
    }
  }

  /** Looks at the log of the replica. A look that began before the blob was missed may have met another disk; others share one. */
  async #lookAnew(): Promise<void> {
    await this.#looking?.catch(() => undefined)
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    return this.#looking
  }

  async #look(): Promise<void> {
    const found = await hashAt(await this.#copy.replica(), this.#held.seq)
    if (found === undefined || (this.#held.hash !== undefined && found !== this.#held.hash)) throw this.#other(found)
  }

  /** A replica that cannot be opened has other errors than a store of blobs. */
  #unreadable(error: unknown): unknown {
    if (isStorageError(error, 'BlobMissing', 'BlobFailed', 'KeyUnavailable', 'TooManyOpenFiles')) return error
    const message = `The replica ${this.#copy.name} cannot be read, and has bytes of the store.`
    return new StorageError('BlobFailed', message, { cause: error })
  }

  #other(found: string | undefined): StorageError {
    const { name } = this.#copy
    const { seq } = this.#held
    const what = found === undefined ? `has no event ${seq}` : `has another event ${seq}`
    const message = `The replica ${name} ${what}: it is not the one that has the bytes of the store, or it has lost its end.`
    return new StorageError('BlobFailed', message)
  }
}

/** The hash of an event. `undefined`: the replica has none at this position. @throws StorageError `ReplicaCorrupt`, `LogCorrupt` and the like */
async function hashAt(replica: OpenReplica, seq: number): Promise<string | undefined> {
  const state = await readReplicaState(replica)
  if (state.head < seq) return undefined
  if (state.head === seq) return state.hash
  const { journal } = new ReplicaReader(replica, state)
  return (await tipAt({ journal, hashing: replica.hashing }, seq)).hash
}
