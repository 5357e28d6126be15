/** Replicas as copies that missing or damaged bytes are taken from. Each is opened when something is first wanted of it. */
import { type BlobHandle, type Copy, ReplicaCopy, type SideRowKind, type SoughtBlob, StorageError } from '@varve/core'
import type { OpenReplica, ReplicaPlace } from './replica-address.ts'

/** A copy that is a replica. */
export interface CopyInReplica extends Copy {
  /** The replica, which stays open until the copies are closed. @throws what opening it throws */
  replica(): Promise<OpenReplica>
}

/** Copies that stay open until they are closed. */
export interface ReplicaCopies {
  readonly copies: readonly CopyInReplica[]
  close(): Promise<void>
}

export function replicaCopies(places: readonly ReplicaPlace[]): ReplicaCopies {
  const copies = places.map((place) => new LazyCopy(place))
  return {
    copies,
    close: async () => void (await Promise.allSettled(copies.map((copy) => copy.close()))),
  }
}

interface Opened {
  readonly replica: OpenReplica
  readonly copy: ReplicaCopy
}

class LazyCopy implements CopyInReplica {
  readonly name: string
  readonly #place: ReplicaPlace
  #opening: Promise<Opened> | undefined
  #isClosed = false

  constructor(place: ReplicaPlace) {
    this.#place = place
    this.name = place.name
  }

  async open(id: string): Promise<BlobHandle> {
    return (await this.#opened()).copy.open(id)
  }

  async sideRow(kind: SideRowKind, blob: SoughtBlob): Promise<Uint8Array | undefined> {
    return (await this.#opened()).copy.sideRow(kind, blob)
  }

  async replica(): Promise<OpenReplica> {
    return (await this.#opened()).replica
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await (await this.#opening)?.replica.close()
  }

  #opened(): Promise<Opened> {
    if (this.#isClosed) return Promise.reject(new StorageError('StoreClosed', 'The store is closed.'))
    const opening = (this.#opening ??= this.#open())
    // One that could not be opened is tried again.
    opening.catch(() => (this.#opening = undefined))
    return opening
  }

  async #open(): Promise<Opened> {
    const replica = await this.#place.open({ create: false })
    return { replica, copy: new ReplicaCopy(this.name, replica) }
  }
}
