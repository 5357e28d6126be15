/**
 * A caller that is not the owner of the store needs an authorisation. Each of its reads and commands carries the read
 * set of that authorisation. The state that answers or decides is compared with it; if it changed, the caller is
 * authorised again.
 */
import type { Soon } from '../base/soon.ts'
import type { ReadSet } from '../commands/read-set.ts'
import { isStorageError, StorageError } from '../base/errors.ts'

/** What a read or a command is about. An authorisation for other keys does not concern it. */
export interface Place {
  readonly bucket?: string
  readonly key?: string
  /** The source of a copy. */
  readonly source?: { readonly bucket: string; readonly key: string }
}

/** What a request was authorised on, so that its commit can compare it and a read can repeat it. */
export interface Authorisation {
  /** The rows that the authorisation read; with a place, only the rows that matter for it. */
  readSet(place?: Place): ReadSet
  /**
   * True if none of these rows can have changed. Synchronous; false if the answer needs a read, and the store then
   * compares the rows. Called before and after a read. @default false
   */
  isFresh?(place?: Place): boolean
  /** Authorises again, from the newest state. Rejects with the refusal. */
  renew(place?: Place): Promise<void>
}

const attemptsMax = 4

/**
 * Runs an attempt under its authorisation. Repeats it when the authorisation's rows changed meanwhile.
 * @throws StorageError `ReadSetChanged` when they changed at every attempt; the errors of `renew` and of the attempt.
 */
export async function whileAuthorised<R>(
  authorisation: Authorisation,
  place: Place | undefined,
  attempt: (readSet: ReadSet) => Soon<R>,
): Promise<R> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt(authorisation.readSet(place))
    } catch (error) {
      if (!isStorageError(error, 'ReadSetChanged') || attempts === attemptsMax) throw error
    }
    await authorisation.renew(place)
  }
}

export const readSetChanged = (): StorageError =>
  new StorageError('ReadSetChanged', 'Permissions changed while the request was carried out, again and again.')
