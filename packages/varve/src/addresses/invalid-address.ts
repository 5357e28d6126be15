import { StorageError } from '@varve/core'

/** Without the address itself, which could have a secret. */
export const invalidAddress = (part: 'journal' | 'blobs' | 'replica', message: string): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: part } })
