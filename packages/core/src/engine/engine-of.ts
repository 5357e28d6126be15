import { StorageError } from '../base/errors.ts'
import { Engine } from './engine.ts'

/** The engine of an open store. @throws StorageError `InvalidRequest` if another process owns the log */
export function engineOf({ owner }: { readonly owner: unknown }): Engine {
  if (owner instanceof Engine) return owner
  throw new StorageError('InvalidRequest', 'The log of this store is not open in this process.')
}
