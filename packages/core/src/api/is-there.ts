/** Whether something is there: asks for it, and takes some errors as "no". */
import { type ErrorCode, isStorageError } from '../base/errors.ts'

const absent = ['NoSuchKey', 'NoSuchVersion', 'MethodNotAllowed'] as const

/** Objects; a delete marker is none. The bucket must be there. */
export const isObjectThere = (head: Promise<unknown>): Promise<boolean> => isThere(head, absent)

export const isBucketThere = (head: Promise<unknown>): Promise<boolean> => isThere(head, ['NoSuchBucket'])

const isThere = (head: Promise<unknown>, codes: readonly ErrorCode[]): Promise<boolean> =>
  head.then(
    () => true,
    (error: unknown) => {
      if (isStorageError(error, ...codes)) return false
      throw error
    },
  )
