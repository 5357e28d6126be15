/** The encryption headers of answers. */

import { isStorageError, type EncryptionInfo, type UploadRef } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'
import type { ObjectContext } from '../contract/operation.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { ownKeyHeaders } from './customer-key.ts'
import { encodeHeader } from '../headers/header-text.ts'
import { shownKeyId } from './shown-key-id.ts'

interface Encrypted {
  readonly encryption?: EncryptionInfo
}

export function encryptionAnswer(object: Encrypted, headers: RequestHeaders): AnswerHeaders {
  return object.encryption?.mode === 'SSE-C' ? customerKeyAnswer(headers) : keptEncryption(object)
}

/** The headers that are known while an upload is in progress. An upload that has ended shows none. */
export async function uploadEncryption(
  { store, headers }: Pick<ObjectContext, 'store' | 'headers'>,
  upload: UploadRef,
): Promise<AnswerHeaders> {
  try {
    return encryptionAnswer(await store.uploads.head(upload), headers)
  } catch (error) {
    if (isStorageError(error)) return {}
    throw error
  }
}

/** The headers that do not depend on the request. */
export function keptEncryption({ encryption }: Encrypted): AnswerHeaders {
  if (encryption === undefined || encryption.mode === 'SSE-C') return {}
  const { mode, keyName, bucketKey } = encryption
  return {
    'x-amz-server-side-encryption': mode,
    ...(keyName !== undefined && { 'x-amz-server-side-encryption-aws-kms-key-id': encodeHeader(shownKeyId(keyName)) }),
    ...(bucketKey && { 'x-amz-server-side-encryption-bucket-key-enabled': 'true' }),
  }
}

/** A client that sent its own key receives the MD5 of that key, as sent and verified. */
export function customerKeyAnswer(headers: RequestHeaders): AnswerHeaders {
  const md5 = headers.get(ownKeyHeaders.md5)
  return md5 === undefined ? {} : { [ownKeyHeaders.algorithm]: 'AES256', [ownKeyHeaders.md5]: md5 }
}
