/**
 * A caller that is not the owner of the store may only do what was authorised. What it was authorised on goes with each of its
 * reads and commands, and is compared in the state that answers or decides. If it has changed, it is authorised again.
 */
import type { ReadSet } from '../commands/read-set.ts'
import { isStorageError, StorageError } from '../base/errors.ts'

/** What a read or a command is about: what was authorised for other keys does not concern it. */
export interface Place {
  readonly bucket?: string
  readonly key?: string
  /** Of a copy. */
  readonly source?: { readonly bucket: string; readonly key: string }
}

/** What a request was authorised on, so that its commit can compare it and a read can repeat it. */
export interface Authorisation {
  /** What was read to authorise; with a place, for what is done there. */
  readSet(place?: Place): ReadSet
  /**
   * Whether nothing of that can have changed. False where one would have to look, which the store then does. Asked without a
   * wait, before and after. @default false
   */
  isFresh?(place?: Place): boolean
  /** Authorises again, from what is stored now. Rejects with what refuses it. */
  renew(place?: Place): Promise<void>
}

const attemptsMax = 4

/**
 * Attempts something as it is authorised, and again when that has changed meanwhile.
 * @throws StorageError `ReadSetChanged` when it changed each time; what `renew` and the attempt reject with.
 */
export async function whileAuthorised<R>(
  authorisation: Authorisation,
  place: Place | undefined,
  attempt: (readSet: ReadSet) => Promise<R>,
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
  new StorageError(
    'ReadSetChanged',
    'Permissions changed while the request was carried out, again and again. Please try again.',
  )
