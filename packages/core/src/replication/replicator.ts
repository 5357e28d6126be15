/**
 * Writes a replica of a log, file by file, in one term. A file of events is written when all bytes that its events brought are there, so
 * a replica never names bytes that it does not have. The writer reports a file as written only if it then finds no later term.
 */
import { StorageError } from '../base/errors.ts'
import { tipAt } from '../events/log.ts'
import type { BlobId, BlobStore, Hashing, Journal, Seq } from '../ports/index.ts'
import { BlobBringer } from '../repair/bring-blobs.ts'
import { haveSameEvent } from '../sharing/passage.ts'
import { loadEpochs } from '../views/epochs.ts'
import { committedRows } from '../views/row-reader.ts'
import { gatherPart } from './gather-part.ts'
import type { LiveParts } from './live-parts.ts'
import { factsOf, type GatheredPart } from './part-gatherer.ts'
import type { PartFacts } from './part-form.ts'
import { replicaCorrupt } from './replica-corrupt.ts'
import { EndRecorder, readEnds } from './replica-ends.ts'
import type { LinePart } from './replica-line.ts'
import { partName } from './replica-names.ts'
import { type ReplicaPorts, ReplicaReader } from './replica-reader.ts'
import { readReplicaState, type ReplicaState } from './replica-state.ts'
import { assertTermGoesOn, type Claim, type ClaimOptions, claimTerm, startTerm } from './terms.ts'
import { createPart } from './write-part.ts'

/** The store whose log is replicated. */
export interface ReplicatedStore {
  readonly journal: Journal
  readonly blobs: Pick<BlobStore, 'open'>
}

/** What is replicated, where to, and who writes. */
export interface Replication extends ClaimOptions {
  readonly from: ReplicatedStore
  readonly into: ReplicaPorts
  readonly hashing: Hashing
  /** What the store has committed since. Absent: all is read from its journal. */
  readonly live?: Pick<LiveParts, 'from' | 'take'>
}

/** The writer of a replica in one term. */
export class Replicator {
  readonly #options: Replication
  readonly #claim: Claim
  readonly #ends: EndRecorder
  #store: string
  #position: Seq
  #hash: string

  /**
   * Claims a replica and finds out how far it is.
   * @throws StorageError `ReplicaHeld`, `ReplicaDiverged`, `ReplicaCorrupt`, `NotImplemented`; what the ports throw
   */
  static async begin(options: Replication): Promise<{ readonly replicator: Replicator; readonly state: ReplicaState }> {
    const { files } = options.into
    const before = await readReplicaState(options.into)
    await branchOf(options, before)
    const claim = await claimTerm(files, options)
    // The writer before may have written until now.
    const state = await readReplicaState(options.into)
    const { position, hash } = await branchOf(options, state)
    await startTerm(files, claim, { from: position + 1, prev: hash, before: state.starts })
    // What an earlier writer left would keep the blob from being written again, and may be bytes that were erased since.
    await options.into.blobs.discardUnfinished()
    const ends = new EndRecorder(files, claim.term, await readEnds(files))
    return { replicator: new Replicator({ options, claim, ends }, { ...state, position, hash }), state }
  }

  private constructor(
    { options, claim, ends }: { readonly options: Replication; readonly claim: Claim; readonly ends: EndRecorder },
    { store, position, hash }: { readonly store: string; readonly position: Seq; readonly hash: string },
  ) {
    this.#options = options
    this.#claim = claim
    this.#ends = ends
    this.#store = store
    this.#position = position
    this.#hash = hash
  }

  /** The last event that the replica has. */
  get position(): Seq {
    return this.#position
  }

  /** The hash of the first event of the log; empty if the replica has none. */
  get store(): string {
    return this.#store
  }

  get term(): number {
    return this.#claim.term
  }

  /** @throws StorageError `ReplicaHeld` if another writer took the replica over */
  assertGoesOn(): Promise<void> {
    return assertTermGoesOn(this.#options.into.files, this.#claim)
  }

  /**
   * Writes the next events into one file. `to`: the last event that the journal is known to have.
   * @throws StorageError `ReplicaHeld` if another writer took the replica over; what the ports throw
   */
  async copy(to: Seq): Promise<Copied> {
    const { from, into, hashing } = this.#options
    const start = this.#position + 1
    const gathered = await this.#gather(start, to)
    const bringer = new BlobBringer({ from: from.blobs, into: into.blobs, hashing })
    await bringer.bring(gathered.blobs)
    const part = await this.#write(gathered, gathered.absent + bringer.absent)
    await Promise.all([this.#ends.record(part.facts.to), this.assertGoesOn()])
    this.#store = part.facts.store
    this.#hash = part.facts.last
    this.#position = part.facts.to
    const { name, size, facts } = part
    const { hasRequests } = gathered
    const absentIds = [...gathered.absentIds, ...bringer.absentIds]
    return { kind: 'log', level: 0, from: start, to: facts.to, term: facts.term, name, size, hasRequests, absentIds }
  }

  #gather(from: Seq, to: Seq): Promise<GatheredPart> {
    const { live, hashing, into: ports } = this.#options
    const { journal } = this.#options.from
    const prev = this.#hash
    const taken = live?.take({ from, prev })
    // What is here is not read as well.
    const end = Math.min(to, (live?.from ?? Number.POSITIVE_INFINITY) - 1)
    return taken ?? gatherPart({ journal, hashing, ports, from, to: end, prev })
  }

  /** @throws StorageError `ReplicaCorrupt` if there is a file of this position and term: after a failure, a writer begins another term */
  async #write(gathered: GatheredPart, absent: number): Promise<WrittenPart> {
    const { into } = this.#options
    const { term } = this
    const { blocks, store = this.#store } = gathered
    const facts = factsOf(gathered, { store, term, absent })
    const name = partName({ kind: 'log', level: 0, from: facts.from, term })
    const size = await createPart(into, name, facts, blocks)
    if (size !== undefined) return { name, size, facts }
    throw replicaCorrupt('place', `The replica has a file ${name}, which this writer has not written.`, name)
  }
}

/** A file that was written. */
export interface Copied extends LinePart {
  /** Whether one of its events may say that bytes are to leave the replica at once. */
  readonly hasRequests: boolean
  /** Of the bytes that its events brought and that were not found, the first ones: erased or lost. */
  readonly absentIds: readonly BlobId[]
}

interface WrittenPart {
  readonly name: string
  readonly size: number
  readonly facts: PartFacts
}

/**
 * Where the log goes on in the replica.
 * @throws StorageError `ReplicaDiverged` if the replica has events that this log does not have
 */
async function branchOf(
  { from, into, hashing, takeOver = false }: Replication,
  state: ReplicaState,
): Promise<{ readonly position: Seq; readonly hash: string }> {
  const head = await from.journal.head()
  // What the replica has lost is written again by a store that has it.
  const assertNotOlder = (): void => {
    if (head < state.counted && !takeOver) throw diverged('ahead')
  }
  if (state.head === 0) {
    assertNotOlder()
    return { position: 0, hash: '' }
  }
  const log = { journal: from.journal, hashing }
  if (head === 0 || (await tipAt(log, 1)).hash !== state.store) throw diverged('store')
  if (head >= state.head && (await tipAt(log, state.head)).hash === state.hash) {
    assertNotOlder()
    return { position: state.head, hash: state.hash }
  }
  const reader = new ReplicaReader(into, state)
  const branch = takeOver && (await leftBranch(from.journal, reader, hashing))
  if (branch) return branch
  throw diverged(head < state.head && (await haveSameEvent(reader.journal, from.journal, head)) ? 'ahead' : 'branch')
}

/** A store that was restored from the replica goes on from where its epoch began. What the replica has behind it stays there, as a branch. */
async function leftBranch(
  journal: Journal,
  reader: ReplicaReader,
  hashing: Hashing,
): Promise<{ readonly position: Seq; readonly hash: string } | undefined> {
  const epochs = await loadEpochs(committedRows(journal, hashing))
  for (const { since } of epochs.toReversed()) {
    const seq = since - 1
    if (seq < 1 || seq > reader.state.head) continue
    if (await haveSameEvent(reader.journal, journal, seq))
      return { position: seq, hash: (await tipAt({ journal, hashing }, seq)).hash }
  }
  return undefined
}

const divergences = {
  store: 'The replica is one of another store.',
  ahead: 'The replica has later events than this store, which is an older copy of it or has lost its end.',
  branch: 'The replica has other events than this store, which was restored from an earlier moment or is a copy.',
} as const

const diverged = (kind: keyof typeof divergences): StorageError =>
  new StorageError('ReplicaDiverged', divergences[kind], { details: { kind } })
