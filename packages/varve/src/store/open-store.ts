/** Opens a store. The engine is loaded by the first call, and not when a program imports this module. */
import type { Store } from '@varve/core'
import type { StoreParts } from './open-on-parts.ts'
import { type OpenStoreOptions, openStoreOptions, type PartsStoreOptions, partsStoreOptions } from './store-options.ts'

/**
 * Opens the store in `dir`, and creates it if there is none. One process owns a directory at a time. With `readOnly` no
 * file in `dir` is touched, the directory is not locked, and every write is refused with `ReadOnly`.
 * @throws StorageError `StoreLocked` (another owner), `StoreNotFound` (`create: false` and no store, or a directory
 * with other content), `InvalidArgument` (an invalid or unknown option, or a `layout` that does not exist or is not the
 * store's), `UnsupportedFormat` (a newer Varve wrote it),
 * `LogCorrupt`, `AcknowledgedWritesLost`, `JournalFailed`; `AccessDenied`, `ReadOnly` or `NoSpace` if the system refuses the path; the
 * reason of `signal`. An open that fails in one of these ways changes nothing.
 */
export async function openStore(dir: string, options?: OpenStoreOptions): Promise<Store>
/**
 * Opens a store on a journal and blobs of the caller. Several stores can be open on one journal that is not exclusive.
 * The caller closes the parts after the store.
 * @throws StorageError `InvalidArgument`, `UnsupportedFormat`, `LogCorrupt`, `JournalFailed`; the reason of `signal`
 */
export async function openStore(parts: StoreParts, options?: PartsStoreOptions): Promise<Store>
export async function openStore(where: string | StoreParts, options: OpenStoreOptions = {}): Promise<Store> {
  if (typeof where === 'object' && where !== null) {
    const given = partsStoreOptions(options)
    const { openOnParts } = await import('./open-on-parts.ts')
    return openOnParts(where, given)
  }
  const given = openStoreOptions(options)
  if (given.readOnly === true) {
    const { openReadOnly } = await import('./open-read-only.ts')
    return openReadOnly(where, given)
  }
  if (given.follow !== undefined) {
    const { openFollowing } = await import('./open-following.ts')
    return openFollowing(where, given, given.follow)
  }
  const { openOwned } = await import('./open-directory.ts')
  return openOwned(where, given)
}
