/** The store's refusals of bytes, as S3 words them. */

import { isStorageError } from '@varve/core'
import { payloadMismatch } from '../body/payload-mismatch.ts'

/** For `catch`: throws what was refused in S3's words, or what it was given. */
export function explainWriteError(error: unknown): never {
  if (isStorageError(error, 'BadDigest')) {
    const { ExpectedSHA256, CalculatedSHA256 } = error.details
    if (ExpectedSHA256 !== undefined) throw payloadMismatch(String(ExpectedSHA256), String(CalculatedSHA256))
  }
  throw error
}
