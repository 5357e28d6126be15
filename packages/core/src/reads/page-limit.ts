import { StorageError } from '../base/errors.ts'

/** @throws StorageError `InvalidArgument` outside of 0 to 1000: a programmer's mistake, since HTTP clamps what clients ask for. */
export function pageLimit(limit = 1000): number {
  if (!Number.isInteger(limit) || limit < 0 || limit > 1000)
    throw new StorageError('InvalidArgument', `A page has 0 to 1000 entries, not ${limit}.`)
  return limit
}
