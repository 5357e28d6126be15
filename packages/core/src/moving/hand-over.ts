/**
 * Hands the log of an open store over to a store elsewhere, to which it was moved: what the first store is asked to write
 * from then on is written there. Reads that have begun go on where they are.
 */
import { StorageError } from '../base/errors.ts'
import type { Store } from '../api/store.ts'
import type { Command } from '../commands/command.ts'
import { writtenBlob } from '../commands/written-blob.ts'
import { transactionConflict } from '../concurrency/provisional-positions.ts'
import type { Write } from '../engine/decide-write.ts'
import type { Engine } from '../engine/engine.ts'
import type { CommitListener } from '../engine/commit-listeners.ts'
import type { StoreCommit } from '../engine/known-log.ts'
import { engineOf } from '../engine/engine-of.ts'
import type { BlobRef, RecordedEvent } from '../events/index.ts'
import type { BlobId } from '../ports/index.ts'
import { copyBlob } from '../repair/copy-blob.ts'
import type { CopiedParts } from '../repair/log-source.ts'
import type { MoveSource } from './places.ts'

type OpenStore = Pick<Store, 'owner'>

/** The parts of a store that this process owns, for moving it while it is open. */
export function openedParts(store: OpenStore): Pick<MoveSource, 'journal' | 'blobs' | 'secret'> {
  const { journal, blobs, secret } = engineOf(store).ports
  return { journal, blobs, ...(secret && { secret }) }
}

/** Calls back for each commit of a store that this process owns, before anyone learns of it. Returns a function that ends it. */
export const tapCommits = (store: OpenStore, tap: CommitListener<StoreCommit>): (() => void) =>
  engineOf(store).writer.known.tap(tap)

/**
 * Runs `move` while the store commits nothing: writes wait for it. If it rejects, they go on here. Otherwise they go on in
 * the store that it resolves with.
 * @throws what `move` throws; StorageError `StoreFailed`, `StoreClosed`
 */
export async function handOver(store: OpenStore, move: () => Promise<OpenStore>): Promise<void> {
  const engine = engineOf(store)
  if (engine.sharing.isShared) throw new StorageError('InvalidRequest', 'Other engines write to the log of this store.')
  const { journal, blobs } = engine.ports
  await engine.writer.exclusively(() =>
    engine.beside.heldBack(async () => {
      if (engine.isHalted) throw engine.failure ?? moved()
      const next = engineOf(await move())
      engine.beside.refuse(moved())
      engine.writer.handOver((write) => takeOver(next, write, { journal, blobs }))
    }),
  )
}

/** Whether nothing is read from the store or received for it, so that closing it ends nothing. */
export function isAtRest(store: OpenStore): boolean {
  const { reads, requests } = engineOf(store)
  return reads.oldest === Number.POSITIVE_INFINITY && requests.openIntakes.isEmpty
}

const moved = (): StorageError => new StorageError('StoreClosed', 'The store was moved. Please try again.')

/** Commits a write of the engine before this one, and brings the bytes that only that one has. */
async function takeOver(
  engine: Engine,
  { commands, transaction }: Write,
  from: CopiedParts,
): Promise<readonly RecordedEvent[]> {
  // What it has read is known only where it began.
  if (transaction !== undefined) throw transactionConflict()
  if (commands.some(({ command }) => isOfJob(command))) throw moved()
  const blobs = commands.flatMap(({ command }) => writtenBlob(command) ?? [])
  const ids = blobs.map(({ id }) => id)
  try {
    for (const blob of blobs) await bring(engine, blob, from)
    const events = await engine.writer.submitWrite({ commands })
    for (const id of ids) engine.inFlight.delete(id)
    return events
  } catch (error) {
    // What cannot be removed now is an orphan, which the sweep finds.
    void release(engine, ids).catch(() => undefined)
    throw error
  }
}

async function release(engine: Engine, ids: readonly BlobId[]): Promise<void> {
  if (ids.length > 0) await engine.releaseMarks(ids)
}

async function bring(engine: Engine, blob: BlobRef, { blobs }: CopiedParts): Promise<void> {
  const { hashing } = engine.ports
  await engine.inFlight.add(blob.id)
  const fault = await copyBlob({ from: blobs, into: engine.ports.blobs, hashing }, blob)
  if (fault !== undefined) throw fault
}

const tasks: ReadonlySet<Command['type']> = new Set<Command['type']>(['StartTask', 'ContinueTask', 'EndTask'])

/** The next store has jobs of its own, and goes on with the tasks. */
const isOfJob = ({ type, meta }: Command): boolean => meta.job !== undefined || tasks.has(type)
