/** The error of an import that would overwrite what is there. */
import { StorageError } from '@varve/core'

export function importConflict(bucket: string, key: string, problem: string): StorageError {
  const shown = JSON.stringify(key.length <= 200 ? key : `${key.slice(0, 200)}…`)
  return new StorageError(
    'ImportConflict',
    `The object ${shown} of the bucket ${bucket} cannot be imported: ${problem}.`,
    {
      details: { bucket, key },
    },
  )
}
