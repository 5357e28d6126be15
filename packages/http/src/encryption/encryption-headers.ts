/** The encryption headers of answers. */

import { isStorageError, type EncryptionInfo, type UploadRef } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'
import type { ObjectContext } from '../contract/operation.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { S3Error } from '../errors/errors.ts'
import { ownKeyHeaders } from './customer-key.ts'
import { chosenEncryptionHeaders, keyNameHeader } from './encryption-in.ts'
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

/**
 * Some clients repeat the encryption of an upload in its parts and its completion. Another encryption would have no effect.
 * @throws S3Error `InvalidArgument`
 */
export async function checkRepeatedEncryption(
  { store, headers }: Pick<ObjectContext, 'store' | 'headers'>,
  upload: UploadRef,
): Promise<void> {
  const sent = chosenEncryptionHeaders.filter((name) => headers.has(name))
  if (sent.length === 0) return
  const kept = await store.uploads.head(upload).catch((error: unknown) => {
    // The request is refused, or answered again, for its own reason.
    if (isStorageError(error)) return undefined
    throw error
  })
  if (kept === undefined) return
  const shown: AnswerHeaders = { 'x-amz-server-side-encryption-bucket-key-enabled': 'false', ...keptEncryption(kept) }
  for (const name of sent) {
    const value = headers.get(name) ?? ''
    if (value === shown[name] || (name === keyNameHeader && value === kept.encryption?.keyName)) continue
    throw new S3Error('InvalidArgument', `${name} header is not supported for this operation.`, {
      details: { ArgumentName: name, ArgumentValue: value.slice(0, 64) },
    })
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
