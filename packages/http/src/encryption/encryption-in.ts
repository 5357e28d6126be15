/**
 * `x-amz-server-side-encryption…`: the encryption of a new object, and which of these headers other requests may have.
 */

import type { EncryptionRequest } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { customerKeyHeaders, writtenKey } from './customer-key.ts'

const modeHeader = 'x-amz-server-side-encryption'
export const keyNameHeader = 'x-amz-server-side-encryption-aws-kms-key-id'
const bucketKeyHeader = 'x-amz-server-side-encryption-bucket-key-enabled'
const contextHeader = 'x-amz-server-side-encryption-context'

/** The headers that this file reads or refuses. */
export const encryptionHeaders: readonly string[] = [
  modeHeader,
  keyNameHeader,
  bucketKeyHeader,
  contextHeader,
  ...customerKeyHeaders,
]

/** The headers that choose an encryption, without customer keys. */
export const chosenEncryptionHeaders = [modeHeader, keyNameHeader, bucketKeyHeader] as const

/** @throws S3Error `InvalidArgument`, `InvalidEncryptionAlgorithmError`; `NotImplemented` for an encryption context. */
export function encryptionIn(headers: RequestHeaders): EncryptionRequest | undefined {
  const mode = headers.single(modeHeader)
  const keyName = headers.single(keyNameHeader)
  const bucketKey = bucketKeyIn(headers)
  if (headers.has(contextHeader)) throw unbuilt(contextHeader)
  if (mode !== undefined && hasOwnKey(headers)) {
    throw invalid(
      'Server Side Encryption with Customer provided key is incompatible with the encryption method specified',
      mode,
    )
  }
  if (keyName !== undefined && mode !== 'aws:kms' && mode !== 'aws:kms:dsse') {
    throw invalid(
      'Server Side Encryption with AWS KMS managed key requires HTTP header x-amz-server-side-encryption : aws:kms',
      mode,
    )
  }
  switch (mode) {
    case undefined: {
      const key = writtenKey(headers)
      return key && { mode: 'SSE-C', key }
    }
    case 'AES256':
      return { mode }
    case 'aws:kms':
    case 'aws:kms:dsse':
      return { mode, ...(keyName !== undefined && { keyName }), ...(bucketKey && { bucketKey }) }
    default:
      throw invalid('The encryption method specified is not supported', mode)
  }
}

/** Reads use the stored encryption. @throws S3Error `InvalidArgument` for a request for another one. */
export function refuseEncryption(headers: RequestHeaders): void {
  for (const name of [modeHeader, keyNameHeader, bucketKeyHeader, contextHeader]) {
    const value = headers.get(name)
    if (value === undefined) continue
    throw new S3Error('InvalidArgument', `${name} header is not supported for this operation.`, {
      details: { ArgumentName: name, ArgumentValue: value.slice(0, 64) },
    })
  }
}

const hasOwnKey = (headers: RequestHeaders): boolean => customerKeyHeaders.some((name) => headers.has(name))

function bucketKeyIn(headers: RequestHeaders): boolean {
  const word = headers.single(bucketKeyHeader)?.toLowerCase()
  if (word === undefined || word === 'true' || word === 'false') return word === 'true'
  throw new S3Error('InvalidArgument', `Value for ${bucketKeyHeader} header is invalid.`, {
    details: { ArgumentName: bucketKeyHeader, ArgumentValue: word.slice(0, 64) },
  })
}

function invalid(message: string, value: string | undefined): S3Error {
  return new S3Error('InvalidArgument', message, {
    details: { ArgumentName: modeHeader, ...(value !== undefined && { ArgumentValue: value.slice(0, 64) }) },
  })
}

const unbuilt = (header: string): S3Error =>
  new S3Error('NotImplemented', 'A header you provided implies functionality that is not implemented', {
    details: { Header: header },
  })
