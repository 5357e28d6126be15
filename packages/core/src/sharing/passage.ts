/**
 * The move of a store from one journal to another. The journal that it goes to is `arriving` until the move has ended, and
 * no engine opens it before. The one that it came from is `departed`: no engine commits to it any more. A `copy` follows a
 * store that stays where it is, and no engine commits to it either: ids that it gave out would be given out there too.
 *
 * Every engine on a shared journal joins its members in a commit that expects no such row, and each of its commits expects
 * its membership. So after `depart` has ended the members, a commit that is still on its way is refused.
 */
import { isStorageError, StorageError } from '../base/errors.ts'
import { sameBytes } from '../bytes/bytes.ts'
import type { Hashing, Journal, RowChange } from '../ports/index.ts'
import {
  beatTable,
  coordinationRow,
  jobPlaceTable,
  memberTable,
  type PassageRow,
  passageKey,
  readableRow,
  readCoordinationRow,
} from './coordination-rows.ts'

const promotionKey = jobPlaceTable.key('promotion')

export interface PassagePorts {
  readonly journal: Journal
  readonly hashing: Hashing
}

/** A commit expects it unless the store is being moved, or was moved. */
export const noPassage: RowChange = { key: passageKey.bytes, value: null }

/** `undefined` for a store that stays where it is. @throws StorageError `RowCorrupt` */
export async function passageOf({ journal, hashing }: PassagePorts): Promise<PassageRow | undefined> {
  const frame = await journal.get(passageKey.bytes)
  return frame && readCoordinationRow(hashing, passageKey, frame)
}

/**
 * What was moved away, a copy, and what follows another store, can be read where nothing else is done.
 * @throws StorageError `StoreNotFound`: `details.kind` is `arriving`, `departed` or `copy`, and `details.peer` the other place; `ReadOnly`
 * for a store that follows another one (`following`)
 */
export async function assertNoPassage(ports: PassagePorts, { readOnly = false } = {}): Promise<void> {
  const passage = await passageOf(ports)
  if (passage?.state === 'arriving' || (passage !== undefined && !readOnly)) throw passing(passage)
}

/** @throws StorageError `InvalidRequest` for a store that does not follow another one; `StoreNotFound` as `assertNoPassage` */
export async function assertFollowing(ports: PassagePorts): Promise<void> {
  const passage = await passageOf(ports)
  if (passage === undefined)
    throw new StorageError('InvalidRequest', 'The store follows no replica.', { details: { kind: 'promoted' } })
  if (passage.state !== 'following') throw passing(passage)
}

/** From now on the store that has arrived follows the other one: only engines that follow open the journal. */
export async function beginFollowing({ journal, hashing }: PassagePorts, peer: string): Promise<void> {
  await journal.commit({ events: [], rows: [coordinationRow(hashing, passageKey, { state: 'following', peer })] })
}

/**
 * A store moves from where it is whole, to one place: to the one where it went already, if that move was cut.
 * @throws as `assertNoPassage`
 */
export async function assertMayGoTo(peer: string, ports: PassagePorts): Promise<void> {
  const passage = await passageOf(ports)
  if (passage !== undefined && !isTo(peer, passage)) throw passing(passage)
}

const isTo = (peer: string, passage: PassageRow): boolean => passage.state === 'departed' && passage.peer === peer

const passingMessages: Readonly<Record<PassageRow['state'], (peer: string) => string>> = {
  arriving: (peer) => `The move of the store from ${peer} has not ended.`,
  departed: (peer) => `The store was moved to ${peer}.`,
  copy: (peer) => `This is a copy of the store in ${peer}.`,
  following: (peer) => `The store follows the replica ${peer}.`,
}

const passingHints: Readonly<Record<PassageRow['state'], string>> = {
  arriving: 'Go on with the move: run `varve migrate --to` again.',
  departed: 'Open the store in its new place.',
  copy: 'Open it with `readOnly`, or restore a store from it with `varve restore-store`.',
  following: 'Follow on with `varve follow`, or make it an ordinary store with `varve promote`.',
}

const passing = ({ state, peer }: PassageRow): StorageError =>
  new StorageError(state === 'following' ? 'ReadOnly' : 'StoreNotFound', passingMessages[state](peer), {
    details: { kind: state, peer },
    hint: passingHints[state],
  })

/** The names of both places, without secrets. */
interface Journey {
  readonly from: string
  readonly to: string
}

/**
 * Begins the move into an empty journal, or goes on with it. Resolves with whether it was begun before.
 * @throws StorageError `InvalidArgument` if the journal has another store
 */
export async function beginArrival(ports: PassagePorts, { from, to }: Journey): Promise<boolean> {
  const passage = await passageOf(ports)
  if (passage?.state === 'arriving') return true
  if (passage !== undefined) throw passing(passage)
  const arriving = coordinationRow(ports.hashing, passageKey, { state: 'arriving', peer: from })
  try {
    await ports.journal.commit({ expectedHead: 0, expectedRows: [noPassage], events: [], rows: [arriving] })
    return false
  } catch (error) {
    if (isStorageError(error, 'JournalConflict')) throw occupied(to)
    throw error
  }
}

/** Says of the arrival that all of its events are there, when it is committed with the last of them. */
export const endArrival = (
  hashing: Hashing,
  peer: string,
  end: Required<Pick<PassageRow, 'restored' | 'lost'>>,
): RowChange => coordinationRow(hashing, passageKey, { state: 'arriving', peer, ...end })

const occupied = (place: string): StorageError =>
  new StorageError('InvalidArgument', `There is a store already where this one is to go: ${place}.`, {
    details: { ArgumentName: 'to' },
  })

/** From now on engines open the journal: the store has arrived in it, or stays in it. */
export async function endPassage({ journal }: Pick<PassagePorts, 'journal'>): Promise<void> {
  await journal.commit({ events: [], rows: [noPassage] })
}

/** From now on the journal can be read, and written by none but the next call that copies the store. */
export async function settleCopy({ journal, hashing }: PassagePorts, peer: string): Promise<void> {
  await journal.commit({ events: [], rows: [coordinationRow(hashing, passageKey, { state: 'copy', peer })] })
}

/** Ends the following in the commit that promotes the store. It is noted, so that the store is told from one that never followed. */
export const endFollowing = (hashing: Hashing, peer: string): readonly RowChange[] => [
  noPassage,
  coordinationRow(hashing, promotionKey, { text: peer }),
]

/** The replica that the store followed before it was promoted; `undefined` if it was not. */
export async function promotedFrom({ journal, hashing }: PassagePorts): Promise<string | undefined> {
  const frame = await journal.get(promotionKey.bytes)
  return frame && readableRow(hashing, promotionKey, frame)?.text
}

/**
 * From now on no engine commits to the journal: its log does not grow any more.
 * @throws as `assertNoPassage`, if another move was first
 */
export async function depart({ journal, hashing }: PassagePorts, peer: string): Promise<void> {
  const departed = coordinationRow(hashing, passageKey, { state: 'departed', peer })
  try {
    await journal.commit({ expectedRows: [noPassage], events: [], rows: [departed] })
  } catch (error) {
    if (!isStorageError(error, 'JournalConflict')) throw error
    await assertMayGoTo(peer, { journal, hashing })
  }
  // No engine can join now, so each pass leaves fewer members.
  for (let members = await memberKeys(journal); members.length > 0; members = await memberKeys(journal)) {
    const beats = members.map((key) => beatTable.key(memberTable.engine(key)).bytes)
    const gone = [...members, ...beats].map((key): RowChange => ({ key, value: null }))
    await journal.commit({ events: [], rows: gone, outsideLog: true })
  }
}

async function memberKeys(journal: Journal): Promise<readonly Uint8Array[]> {
  const cursor = journal.cursor(memberTable.range)
  try {
    return (await cursor.next(100)).map(([key]) => key)
  } finally {
    await cursor.close()
  }
}

type ReadLog = Pick<Journal, 'events'>

/** Whether both logs have the same event at this position, and so the same events before it. */
export async function haveSameEvent(one: ReadLog, other: ReadLog, seq: number): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((journal) => storedAt(journal, seq)))
  return a !== undefined && b !== undefined && sameBytes(a, b)
}

async function storedAt(journal: ReadLog, seq: number): Promise<Uint8Array | undefined> {
  for await (const { bytes } of journal.events({ from: seq, to: seq })) return bytes
  return undefined
}
