/**
 * Moves a store to other parts. Most is copied while engines write to the source; then the source takes no more commits,
 * the rest is copied, and the target can be opened. A move that was interrupted goes on with another call.
 */
import { StorageError } from '../base/errors.ts'
import { assertMayGoTo, beginArrival, depart, endPassage, haveSameEvent, passageOf } from '../sharing/passage.ts'
import { LogMover } from './log-mover.ts'
import type { LogMove, LogMoved } from './places.ts'

const checksMax = 2

/**
 * @throws StorageError `InvalidArgument` if there is another store in the target; `StoreNotFound` if the source went
 * elsewhere, or has not arrived itself; `LogCorrupt`, `BlobMissing` and the like if the source is damaged: then it is as it
 * was; what the ports throw; the reason of `signal`
 */
export async function moveLog(move: LogMove): Promise<LogMoved> {
  const { from, into, hashing } = move
  const mover = new LogMover(move)
  await assertMayGoTo(into.name, { journal: from.journal, hashing })
  if (from.fence === undefined && (await hasArrived(move))) {
    await leave(mover)
    return mover.moved(true)
  }
  const wasBegun = await beginArrival({ journal: into.journal, hashing }, { from: from.name, to: into.name })
  // Blobs are copied under their own names, which a cut copy may have taken for unfinished ones.
  if (wasBegun) await into.blobs.discardUnfinished()
  await mover.bringSecret()
  await mover.follow()
  if (from.isCopy === true) return mover.moved(false)
  if (from.fence !== undefined) return departFenced(mover, from.fence)
  await departShared(mover)
  return mover.moved(true)
}

/** The engines on the journal are its members, or there are none. */
async function departShared(mover: LogMover): Promise<void> {
  const { from, into, hashing, onDeparted } = mover.move
  await assertWhole(mover)
  await mover.bringQuietKeyspaces()
  await mover.follow()
  await depart({ journal: from.journal, hashing }, into.name)
  onDeparted?.()
  try {
    await mover.pass()
    await mover.bringKeyspaces()
    const problem = mover.absent.count > 0 ? await mover.problem() : undefined
    if (problem !== undefined) throw problem
  } catch (error) {
    // It goes on where it was, and the move can be tried again.
    await endPassage(from).catch(() => undefined)
    throw error
  }
  await into.markReady?.()
  await endPassage(into)
}

/** An engine has the journal for itself, and holds its commits back for as long as the end of the move takes. */
async function departFenced(mover: LogMover, fence: NonNullable<LogMove['from']['fence']>): Promise<LogMoved> {
  let moved: LogMoved | undefined
  const end = async (): Promise<boolean> => {
    moved = await finish(mover)
    return moved !== undefined
  }
  for (let left = checksMax; ; left--) {
    await assertWhole(mover)
    await mover.bringQuietKeyspaces()
    await mover.follow()
    if ((await fence(end)) && moved !== undefined) return moved
    const problem = left === 0 ? await mover.problem() : undefined
    if (problem !== undefined) throw problem
  }
}

/** `undefined`, and nothing has changed, if bytes may be missing: looking at all of them takes too long here. */
async function finish(mover: LogMover): Promise<LogMoved | undefined> {
  const { from, into, hashing, signal, onMoving, onDeparted } = mover.move
  await mover.pass()
  if (await mover.mayMissBytes()) return undefined
  await mover.bringKeyspaces()
  await into.markReady?.()
  const moved = await mover.moved(true)
  onMoving?.(moved)
  signal?.throwIfAborted()
  try {
    await depart({ journal: from.journal, hashing }, into.name)
  } catch (error) {
    await endPassage(from).catch(() => undefined)
    throw error
  }
  // From here on the store is in the target, even if the end of its passage cannot be written now.
  onDeparted?.()
  await endPassage(into)
  return moved
}

/** Looks whether all is there. What is missing may have been erased by an event that is not copied yet. */
async function assertWhole(mover: LogMover): Promise<void> {
  for (let left = checksMax, problem = await mover.problem(); problem !== undefined; problem = await mover.problem()) {
    if (left-- === 0) throw problem
    await mover.follow()
  }
}

/** An earlier call was interrupted when all was there. */
async function leave(mover: LogMover): Promise<void> {
  const { from, into, hashing } = mover.move
  const problem = await mover.problem()
  if (problem !== undefined) throw problem
  await depart({ journal: from.journal, hashing }, into.name)
  if ((await passageOf({ journal: into.journal, hashing })) === undefined) return
  await endPassage(from)
  throw new StorageError('InvalidArgument', 'The store is there already: both places are the same.', {
    details: { ArgumentName: 'to' },
  })
}

/** Whether an earlier call was interrupted after everything was there. */
async function hasArrived({ hashing, from, into }: LogMove): Promise<boolean> {
  const head = await from.journal.head()
  if (head === 0 || (await passageOf({ journal: into.journal, hashing })) !== undefined) return false
  return (await into.journal.head()) >= head && haveSameEvent(from.journal, into.journal, head)
}
