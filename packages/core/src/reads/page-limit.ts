import { StorageError } from '../base/errors.ts'

/** @throws StorageError `InvalidArgument` outside 0 to 1000. HTTP clamps the limits of clients before. */
export function pageLimit(limit = 1000): number {
  if (!Number.isInteger(limit) || limit < 0 || limit > 1000)
    throw new StorageError('InvalidArgument', `limit must be a whole number from 0 to 1000, not ${limit}.`)
  return limit
}
