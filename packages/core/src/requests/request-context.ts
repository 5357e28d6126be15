import type { CommandMeta } from '../commands/command.ts'
import type { ReadSet } from '../commands/read-set.ts'
import type { Actor } from '../events/index.ts'
import type { Ids, Seq } from '../ports/index.ts'
import { type Authorisation, type Place, whileAuthorised } from './authorisation.ts'

/** The caller of a request. */
export interface StoreContext {
  readonly by: Actor
  /** Default: a new id for every command. */
  readonly requestId?: string
  /** Called with the position of the last event of each command of this caller, before the command's promise resolves. */
  readonly committed?: (seq: Seq) => void
  /** Every read and command is compared with the state that this authorisation read. Absent for the store's owner. */
  readonly authorisation?: Authorisation
}

/** The context within one authorised attempt: its read set stays the same until the attempt ends. */
export interface Attempt extends StoreContext {
  readonly readSet?: ReadSet
}

export const commandMeta = ({ by, requestId }: StoreContext, ids: Ids): CommandMeta => ({
  by,
  requestId: requestId ?? ids.next(),
})

/**
 * Runs several reads and a command under one authorisation. All of them are attempted again if the authorisation's rows
 * change before the last of them.
 */
export function attempting<R>(context: Attempt, place: Place, attempt: (context: Attempt) => Promise<R>): Promise<R> {
  const { authorisation, readSet: _before, ...rest } = context
  if (authorisation === undefined) return attempt(context)
  return whileAuthorised(authorisation, place, (readSet) => attempt({ readSet, ...rest }))
}
