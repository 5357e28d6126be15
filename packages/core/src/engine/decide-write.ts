/** Decides one write of a commit group: records the events of its commands, and computes their rows. */
import { isStorageError, StorageError } from '../base/errors.ts'
import { inTurn, type Soon, soonOrFailed, whenThere } from '../base/soon.ts'
import type { Command } from '../commands/command.ts'
import { ProvisionalPositions, transactionConflict } from '../concurrency/provisional-positions.ts'
import type { RecentWrites } from '../concurrency/recent-writes.ts'
import type { TransactionReads } from '../concurrency/transaction-reads.ts'
import { decide } from '../decide/rules.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Hashing, Seq } from '../ports/index.ts'
import { readSetChanged } from '../requests/authorisation.ts'
import type { SideRows } from '../requests/log-service.ts'
import type { Sharing } from '../sharing/sharing.ts'
import { project } from '../views/project.ts'
import type { RowTransaction } from '../views/row-transaction.ts'
import { isUnchanged } from '../views/tracked-rows.ts'
import { assertRights } from './commit-rights.ts'
import type { Recorder, Recording } from './recorder.ts'

/** What is committed all or nothing: one command or several, perhaps those of a transaction. */
export interface Write {
  readonly commands: readonly WrittenCommand[]
  readonly transaction?: TransactionBasis
}

export interface WrittenCommand {
  readonly command: Command
  readonly sideRows: SideRows
}

/** What the commands of a transaction are based on. */
export interface TransactionBasis {
  /** The position of the state that it read. */
  readonly since: Seq
  readonly reads: TransactionReads
  /** The events that each of its commands has got in that state, with provisional positions. */
  readonly seen: readonly (readonly RecordedEvent[])[]
}

/** The result of a write. A refusal also waits for the commit: it may depend on earlier writes of the group. */
export interface Decided<P extends Write> {
  readonly pending: P
  readonly recordings: readonly Recording[]
  readonly refusal?: unknown
}

interface DecideOptions {
  readonly recorder: Recorder
  readonly hashing: Hashing
  readonly sharing: Sharing
  readonly recent: Pick<RecentWrites, 'mayHaveChanged'>
}

/** Decides the writes of a group, one after another. @throws as `decideWrite` does */
export async function decideWrites<P extends Write>(
  options: DecideOptions,
  rows: RowTransaction,
  group: readonly P[],
): Promise<Decided<P>[]> {
  const decided: Decided<P>[] = []
  for (const pending of group) {
    const deciding = decideWrite(options, rows, pending)
    decided.push(deciding instanceof Promise ? await deciding : deciding)
  }
  return decided
}

/** @throws what a read of the medium throws: then no write can be decided */
export function decideWrite<P extends Write>(
  options: DecideOptions,
  rows: RowTransaction,
  pending: P,
): Soon<Decided<P>> {
  const { recorder } = options
  const { end } = recorder
  rows.savepoint()
  const recordAll = (): Soon<Decided<P>> =>
    whenThere(recordWrite(options, rows, pending), (recordings) => {
      rows.assertReadable()
      return { pending, recordings }
    })
  return soonOrFailed(recordAll, (error) => {
    // Only a failed read of the medium stops the store. Other errors refuse this write alone and undo its changes.
    if (rows.fault !== undefined) throw error
    rows.rollBack()
    recorder.rewind(end)
    return { pending, recordings: [], refusal: refusalOf(pending, error) }
  })
}

function recordWrite(
  options: DecideOptions,
  rows: RowTransaction,
  { commands, transaction }: Write,
): Soon<readonly Recording[]> {
  const [first] = commands
  if (transaction !== undefined) return recordTransaction(options, rows, commands, transaction)
  return commands.length === 1 && first !== undefined
    ? record(options, rows, first)
    : recordEach(options, rows, commands)
}

async function recordTransaction(
  options: DecideOptions,
  rows: RowTransaction,
  commands: readonly WrittenCommand[],
  transaction: TransactionBasis,
): Promise<readonly Recording[]> {
  const { since, reads, seen } = transaction
  if (options.recent.mayHaveChanged(reads, since) || reads.includesAny(rows.changedNames())) throw transactionConflict()
  const positions = new ProvisionalPositions()
  const recordings: Recording[] = []
  for (const [i, { command, sideRows }] of commands.entries()) {
    const own = await record(options, rows, { command: positions.resolve(command), sideRows })
    positions.learn(
      seen[i] ?? [],
      own.map(({ event }) => event),
    )
    recordings.push(...own)
  }
  return recordings
}

async function recordEach(
  options: DecideOptions,
  rows: RowTransaction,
  commands: readonly WrittenCommand[],
): Promise<readonly Recording[]> {
  const recordings: Recording[] = []
  for (const command of commands) recordings.push(...(await record(options, rows, command)))
  return recordings
}

/** Records the events of the command, and checks that they can be read back. */
function record(
  { recorder, hashing, sharing }: DecideOptions,
  rows: RowTransaction,
  { command, sideRows }: WrittenCommand,
): Soon<readonly Recording[]> {
  assertSideRows(sideRows)
  const time = recorder.decisionTime()
  const { readSet } = command.meta
  if (sharing.isShared) assertRights(sharing, command)
  return whenThere(readSet === undefined || isUnchanged(rows, readSet), (isSame) => {
    if (!isSame) throw readSetChanged()
    return whenThere(decide(rows, command, hashing, time), (events) => {
      const recordings = events.map((event) => recorder.record(event, command.meta, time.at))
      const projecting = recordings.map((recording) => () => project(rows, recording))
      return whenThere(inTurn(projecting), () => recordings)
    })
  })
}

/** A transaction that was allowed in its own state is refused here only because that state has changed. */
const refusalOf = ({ transaction }: Write, error: unknown): unknown =>
  transaction === undefined || !isStorageError(error) || isStorageError(error, 'RowCorrupt', 'TransactionConflict')
    ? asRefusal(error)
    : transactionConflict(error)

/** An error without a code comes from a value that no rule expected. */
const asRefusal = (error: unknown): unknown =>
  isStorageError(error)
    ? error
    : new StorageError('InternalError', 'The command could not be carried out; nothing was changed.', { cause: error })

/** Side rows go to the journal unchanged, so they must be valid journal rows. */
function assertSideRows(sideRows: SideRows): void {
  for (const { key, value } of sideRows) {
    if (key instanceof Uint8Array && (value === null || value instanceof Uint8Array)) continue
    throw new StorageError('InvalidArgument', 'Rows that come with a command are bytes under keys that are bytes.')
  }
}
