/** Decides one command of a commit group: records its events, and computes their rows. */
import { isStorageError, StorageError } from '../base/errors.ts'
import type { Command } from '../commands/command.ts'
import { decide } from '../decide/rules.ts'
import type { Hashing } from '../ports/index.ts'
import { readSetChanged } from '../requests/authorisation.ts'
import type { SideRows } from '../requests/log-service.ts'
import type { Sharing } from '../sharing/sharing.ts'
import { project } from '../views/project.ts'
import type { RowTransaction } from '../views/row-transaction.ts'
import { isUnchanged } from '../views/tracked-rows.ts'
import { assertRights } from './commit-rights.ts'
import type { Recorder, Recording } from './recorder.ts'

export interface PendingCommand {
  readonly command: Command
  readonly sideRows: SideRows
}

/** The result of a command. A refusal also waits for the commit: it may depend on earlier commands of the group. */
export interface Decided<P extends PendingCommand> {
  readonly pending: P
  readonly recordings: readonly Recording[]
  readonly refusal?: unknown
}

interface DecideOptions {
  readonly recorder: Recorder
  readonly hashing: Hashing
  readonly sharing: Sharing
}

/** @throws what a read of the medium throws: then no command can be decided */
export async function decideCommand<P extends PendingCommand>(
  options: DecideOptions,
  rows: RowTransaction,
  pending: P,
): Promise<Decided<P>> {
  const { recorder } = options
  const { end } = recorder
  rows.savepoint()
  try {
    const recordings = await record(options, rows, pending)
    return { pending, recordings }
  } catch (error) {
    // Only a failed read of the medium stops the store. Other errors refuse this command alone and undo its changes.
    if (rows.fault !== undefined) throw error
    rows.rollBack()
    recorder.rewind(end)
    return { pending, recordings: [], refusal: asRefusal(error) }
  }
}

/** Records the events of the command, and checks that they and their rows can be read back. */
async function record(
  { recorder, hashing, sharing }: DecideOptions,
  rows: RowTransaction,
  { command, sideRows }: PendingCommand,
): Promise<readonly Recording[]> {
  assertSideRows(sideRows)
  const time = recorder.decisionTime()
  const { readSet } = command.meta
  if (sharing.isShared) assertRights(sharing, command)
  if (readSet !== undefined && !(await isUnchanged(rows, readSet))) throw readSetChanged()
  const events = await decide(rows, command, hashing, time)
  const recordings = events.map((event) => recorder.record(event, command.meta, time.at))
  for (const recording of recordings) await project(rows, recording)
  rows.assertReadable()
  return recordings
}

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
