/** Errors of the store for a write, in S3's words. */

import { isStorageError } from '@varve/core'
import { payloadMismatch } from '../body/payload-mismatch.ts'

/** For `catch`: throws S3's error for the store's error, or the error itself. */
export function explainWriteError(error: unknown): never {
  if (isStorageError(error, 'BadDigest')) {
    const { ExpectedSHA256, CalculatedSHA256 } = error.details
    if (ExpectedSHA256 !== undefined) throw payloadMismatch(String(ExpectedSHA256), String(CalculatedSHA256))
  }
  throw error
}
