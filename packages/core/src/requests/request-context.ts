import type { CommandMeta } from '../commands/command.ts'
import type { ReadSet } from '../commands/read-set.ts'
import type { Actor } from '../events/index.ts'
import type { Ids } from '../ports/index.ts'
import { type Authorisation, type Place, whileAuthorised } from './authorisation.ts'

/** The caller of a request. */
export interface StoreContext {
  readonly by: Actor
  /** Default: a fresh one for every command. */
  readonly requestId?: string
  /** Every read and command is compared with the state it was authorised on. Absent: the owner of the store calls. */
  readonly authorisation?: Authorisation
}

/** Within one attempt of something that was authorised: what it was authorised on stays the same until it is over. */
export interface Attempt extends StoreContext {
  readonly readSet?: ReadSet
}

export const commandMeta = ({ by, requestId }: StoreContext, ids: Ids): CommandMeta => ({
  by,
  requestId: requestId ?? ids.next(),
})

/**
 * Several reads and a command that belong together, as they were authorised once: they are all attempted again when that has
 * changed before the last of them.
 */
export function attempting<R>(context: Attempt, place: Place, attempt: (context: Attempt) => Promise<R>): Promise<R> {
  const { authorisation, ...rest } = context
  if (authorisation === undefined) return attempt(context)
  return whileAuthorised(authorisation, place, (readSet) => attempt({ ...rest, readSet }))
}
