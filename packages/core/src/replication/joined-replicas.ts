/** Several replicas of one log as the source of a copy: what one lacks, or has damaged, is taken from the next. */
import { isStorageError, StorageError } from '../base/errors.ts'
import { isSealed } from '../bytes/frame.ts'
import type { BroughtBlob } from '../events/brought-blob.ts'
import { decodeEvent } from '../events/event-codec.ts'
import { tipAt } from '../events/log.ts'
import type { BlobStore, Hashing, Seq, SideRowKind, StoredEvent, StoredEvents } from '../ports/index.ts'
import type { LogSource, SourceViews } from '../repair/log-source.ts'
import { sideRowKey } from '../views/side-row-key.ts'
import { replicaCorrupt } from './replica-corrupt.ts'
import { lostEnd } from './replica-ends.ts'
import type { ReplicaReader } from './replica-reader.ts'

/** A replica with its name, which has no secrets. */
export interface NamedReplica {
  readonly name: string
  readonly reader: ReplicaReader
}

/** The replica that reaches furthest is the first one. */
export class JoinedReplicas implements LogSource {
  readonly replicas: readonly NamedReplica[]
  readonly blobs: Pick<BlobStore, 'open'>
  readonly otherBlobs: readonly Pick<BlobStore, 'open'>[]
  readonly #hashing: Hashing
  readonly #failures = new Map<string, number>()

  /** @throws StorageError `ReplicaDiverged` if they are not of one log */
  static async of(replicas: readonly NamedReplica[], hashing: Hashing): Promise<JoinedReplicas> {
    const sorted = replicas.toSorted((a, b) => b.reader.state.head - a.reader.state.head)
    const [longest, ...others] = sorted
    if (longest === undefined) throw new TypeError('There is a replica.')
    for (const other of others) await assertSameLog(longest, other, hashing)
    return new JoinedReplicas(sorted, hashing)
  }

  private constructor(replicas: readonly NamedReplica[], hashing: Hashing) {
    this.replicas = replicas
    this.#hashing = hashing
    const [first, ...others] = replicas.map(({ name, reader }) => this.#counted(name, reader.blobs))
    this.blobs = first as Pick<BlobStore, 'open'>
    this.otherBlobs = others
  }

  /** How often a replica lacked something or had it damaged. */
  failuresOf(name: string): number {
    return this.#failures.get(name) ?? 0
  }

  /** The longest one. */
  get first(): NamedReplica {
    return this.replicas[0] as NamedReplica
  }

  /**
   * The last event.
   * @throws StorageError `ReplicaCorrupt` if the longest replica has a damaged file behind it, which can have events that were counted as written,
   * or if one of them was written further than any of them reaches
   */
  end(): Seq {
    const head = this.first.reader.end()
    const counted = Math.max(...this.replicas.map(({ reader }) => reader.state.counted))
    if (counted > head) throw lostEnd(head, counted)
    return head
  }

  readonly journal: LogSource['journal'] = {
    head: async () => this.first.reader.state.head,
    events: ({ from = 1, to = this.first.reader.state.head } = {}): StoredEvents =>
      // The copy checks each event. With several replicas it is checked here too, to ask the next one for a damaged event.
      this.replicas.length === 1 ? this.first.reader.journal.events({ from, to }) : this.#events(from, to),
  }

  async sideRows(kind: SideRowKind, wanted: readonly BroughtBlob[]): Promise<readonly (Uint8Array | undefined)[]> {
    const values: (Uint8Array | undefined)[] = []
    for (const blob of wanted) values.push(await this.#row(kind, blob))
    return values
  }

  /** A replica that cannot be read is left out. */
  async *views(to: Seq): AsyncGenerator<SourceViews> {
    for (const { name, reader } of this.replicas) {
      try {
        yield* reader.views(to)
      } catch (error) {
        if (!isStorageError(error)) throw error
        this.#count(name)
      }
    }
  }

  /** An event that does not continue the one before is damage like any other. */
  async *#events(from: Seq, to: Seq): AsyncGenerator<StoredEvent> {
    let [next, hash] = [from, undefined as string | undefined]
    let failure: StorageError | undefined
    for (const { name, reader } of this.replicas) {
      if (next > to) return
      if (reader.state.head < next) continue
      try {
        for await (const stored of reader.journal.events({ from: next, to })) {
          const { event, hash: own } = decodeEvent(this.#hashing, stored)
          assertNext({ name, seq: next, prev: hash }, stored.seq, event.prev)
          yield stored
          next++
          hash = own
        }
      } catch (error) {
        if (!isStorageError(error)) throw error
        this.#count(name)
        failure ??= error
      }
    }
    if (next <= to && failure !== undefined) throw failure
  }

  #count(name: string): void {
    this.#failures.set(name, this.failuresOf(name) + 1)
  }

  /** What is opened and turns out to be damaged is not counted: the blob is checked elsewhere. */
  #counted(name: string, blobs: Pick<BlobStore, 'open'>): Pick<BlobStore, 'open'> {
    return {
      open: async (id) => {
        try {
          return await blobs.open(id)
        } catch (error) {
          this.#count(name)
          throw error
        }
      },
    }
  }

  async #row(kind: SideRowKind, blob: BroughtBlob): Promise<Uint8Array | undefined> {
    let failure: StorageError | undefined
    for (const { name, reader } of this.replicas) {
      try {
        const [row] = await reader.sideRows(kind, [blob])
        if (row !== undefined && isSealed(this.#hashing, sideRowKey(kind, blob.id), row)) return row
      } catch (error) {
        if (!isStorageError(error)) throw error
        failure ??= error
      }
      this.#count(name)
    }
    if (failure !== undefined) throw failure
    return undefined
  }
}

/** @throws StorageError `ReplicaCorrupt` for an event that does not follow; `prev` is `undefined` if the hash before is not known */
function assertNext(
  { name, seq, prev }: { readonly name: string; readonly seq: Seq; readonly prev: string | undefined },
  found: Seq,
  foundPrev: string,
): void {
  if (found !== seq || (prev !== undefined && foundPrev !== prev)) throw misplaced(name, seq)
}

const misplaced = (name: string, seq: Seq): StorageError =>
  replicaCorrupt('chain', `Event ${seq} of the replica ${name} does not continue the event before.`)

/** Damage that hides the answer is met again when the events are copied: each of them continues the one before. */
async function assertSameLog(longest: NamedReplica, other: NamedReplica, hashing: Hashing): Promise<void> {
  const [{ state, journal }, { store, head, hash }] = [longest.reader, other.reader.state]
  if (head === 0) return
  if (store === state.store) {
    const found = await tipAt({ journal, hashing }, head).catch((error: unknown) => {
      if (isStorageError(error)) return undefined
      throw error
    })
    if (found === undefined || found.hash === hash) return
  }
  throw new StorageError('ReplicaDiverged', `The replicas ${longest.name} and ${other.name} are not of one log.`)
}
