/**
 * Moves a store to other parts. Most is copied while engines write to the source; then the source takes no more commits,
 * the rest is copied, and the target can be opened. A move that was interrupted goes on with another call.
 */
import { StorageError } from '../base/errors.ts'
import type { BlobStore, Ids, Journal, Secret } from '../ports/index.ts'
import { copyKeyspaces } from '../repair/copy-keyspaces.ts'
import { copyLog, type LogCopied, type LogCopy } from '../repair/copy-log.ts'
import { bringCommonSecret, commonSecret } from '../sharing/common-secret.ts'
import { beginArrival, depart, endPassage, haveSameEvent, passageOf } from '../sharing/passage.ts'
import { examine } from '../verify/examine.ts'
import { isLeftover, type VerifyOptions } from '../verify/report.ts'

/** A place that a store is moved from. */
export interface MoveSource {
  /** What the target says of it, and its own errors: without secrets. */
  readonly name: string
  readonly journal: Journal
  readonly blobs: BlobStore
  /** @default the secret in the journal */
  readonly secret?: Secret
  /** It is a copy of the log, whose owner goes on, so the store cannot leave from here. @default false */
  readonly isCopy?: boolean
}

/** A place that a store is moved to. */
export interface MoveTarget {
  readonly name: string
  readonly journal: Journal
  readonly blobs: BlobStore
  /** Keeps the secret of the store. @default in the journal */
  bringSecret?(secret: Uint8Array): Promise<void>
  /** Called before the target can be opened: makes durable what writes leave to it. */
  markReady?(): Promise<void>
}

/** What is moved, and where. */
export interface LogMove extends Pick<LogCopy, 'hashing' | 'signal' | 'onProgress'> {
  readonly from: MoveSource
  readonly into: MoveTarget
  readonly ids: Ids
  readonly onCheck?: VerifyOptions['onProgress']
  /** Called when the source takes no more commits. */
  onDeparted?(): void
}

/** What a call of `moveLog` did. */
export interface LogMoved extends Omit<LogCopied, 'absent'> {
  /** False if the source is a copy: its owner may have written more. */
  readonly isWhole: boolean
  /** The position of the last event. */
  readonly head: number
}

/** So few are copied in less than a second. */
const restMax = 500
const passesMax = 10
const checksMax = 2

/**
 * @throws StorageError `InvalidArgument` if there is another store in the target; `LogCorrupt`, `BlobMissing` and the like if
 * the source is damaged: then it is as it was; what the ports throw; the reason of `signal`
 */
export async function moveLog(move: LogMove): Promise<LogMoved> {
  const { from, into, hashing, onDeparted } = move
  const sum = { events: 0, blobs: 0, bytes: 0 }
  const pass = async (): Promise<LogCopied> => {
    const copied = await copyLog(move)
    sum.events += copied.events
    sum.blobs += copied.blobs
    sum.bytes += copied.bytes
    return copied
  }
  if (await hasArrived(move)) {
    await leave(move)
    return { ...sum, isWhole: true, head: await into.journal.head() }
  }
  await beginArrival({ journal: into.journal, hashing }, from.name)
  await bringSecret(move)
  await follow(pass)
  if (from.isCopy === true) return { ...sum, isWhole: false, head: await into.journal.head() }
  for (let left = checksMax, problem = await problemIn(move); problem !== undefined; problem = await problemIn(move)) {
    if (left-- === 0) throw problem
    // What is missing may have been erased by an event that is not copied yet.
    await follow(pass)
  }
  await bringKeyspaces(move)
  const { absent } = await pass()
  await depart({ journal: from.journal, hashing }, into.name)
  onDeparted?.()
  try {
    const last = await pass()
    await bringKeyspaces(move)
    const problem = absent + last.absent > 0 ? await problemIn(move) : undefined
    if (problem !== undefined) throw problem
  } catch (error) {
    // It goes on where it was, and the move can be tried again.
    await endPassage(from).catch(() => undefined)
    throw error
  }
  await into.markReady?.()
  await endPassage(into)
  return { ...sum, isWhole: true, head: await into.journal.head() }
}

/** An earlier call was interrupted when all was there. */
async function leave(move: LogMove): Promise<void> {
  const { from, into, hashing } = move
  const problem = await problemIn(move)
  if (problem !== undefined) throw problem
  await depart({ journal: from.journal, hashing }, into.name)
  if ((await passageOf({ journal: into.journal, hashing })) === undefined) return
  await endPassage(from)
  throw new StorageError('InvalidArgument', 'The store is there already: both places are the same.', {
    details: { ArgumentName: 'to' },
  })
}

/** @throws StorageError `RowCorrupt` */
async function bringKeyspaces({ from, into, hashing, signal }: LogMove): Promise<void> {
  const ends = { from: from.journal, into: into.journal, to: await into.journal.head() }
  const [damaged] = await copyKeyspaces({ ...ends, hashing, ...(signal && { signal }) })
  if (damaged === undefined) return
  const message = `The keyspace ${damaged} is damaged: drop it, or repair the store, before you move it.`
  throw new StorageError('RowCorrupt', message, { details: { kind: 'keyspace', keyspace: damaged } })
}

/** Whether an earlier call was interrupted after everything was there. */
async function hasArrived({ hashing, from, into }: LogMove): Promise<boolean> {
  const head = await from.journal.head()
  if (head === 0 || (await passageOf({ journal: into.journal, hashing })) !== undefined) return false
  return (await into.journal.head()) >= head && haveSameEvent(from.journal, into.journal, head)
}

async function bringSecret({ from, into, hashing, ids }: LogMove): Promise<void> {
  const secret = await (from.secret?.read() ?? commonSecret({ journal: from.journal, hashing, ids }))
  if (into.bringSecret !== undefined) await into.bringSecret(secret)
  else await bringCommonSecret({ journal: into.journal, hashing }, secret)
}

/** Copies until little is left, or until it is clear that others write faster. */
async function follow(pass: () => Promise<LogCopied>): Promise<void> {
  for (let count = 0; count < passesMax; count++) if ((await pass()).events <= restMax) return
}

/** Looks whether all is there that the events need. The bytes themselves were checked as they were copied. */
async function problemIn({ into, hashing, signal, onCheck }: LogMove): Promise<StorageError | undefined> {
  const { report } = await examine(
    { journal: into.journal, blobs: into.blobs, hashing },
    { views: 'check', blobs: 'present', ...(signal && { signal }), ...(onCheck && { onProgress: onCheck }) },
  )
  const first = report.divergences.find((divergence) => !isLeftover(divergence))
  if (first === undefined) return undefined
  const message = `What was copied is not whole, and the store stays where it is: ${first.message}`
  return new StorageError('LogCorrupt', message, { details: { kind: 'migration', found: first.kind } })
}
