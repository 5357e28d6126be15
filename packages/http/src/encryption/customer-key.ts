/** Customer keys (SSE-C), which clients send with a request. The server neither stores nor shows them. */

import { createHash } from 'node:crypto'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

const keyBytes = 32
const supported = 'AES256'

/** The headers with the key for the object itself. Written out, since header names are looked up in every request. */
export const ownKeyHeaders = {
  algorithm: 'x-amz-server-side-encryption-customer-algorithm',
  key: 'x-amz-server-side-encryption-customer-key',
  md5: 'x-amz-server-side-encryption-customer-key-md5',
} as const
/** The headers with the key for the source of a copy. */
const sourceKeyHeaders = {
  algorithm: 'x-amz-copy-source-server-side-encryption-customer-algorithm',
  key: 'x-amz-copy-source-server-side-encryption-customer-key',
  md5: 'x-amz-copy-source-server-side-encryption-customer-key-md5',
} as const

export const customerKeyHeaders: readonly string[] = Object.values(ownKeyHeaders)
export const sourceKeyHeaderNames: readonly string[] = Object.values(sourceKeyHeaders)

/**
 * The key for an object that is written.
 * @throws S3Error `InvalidArgument`, `InvalidEncryptionAlgorithmError` for an incomplete or invalid key
 */
export function writtenKey(headers: RequestHeaders): Uint8Array | undefined {
  return keyUnder(ownKeyHeaders, headers, () => refused('The secret key was invalid for the specified algorithm.'))
}

/** The key for an object that is read. @throws S3Error as `writtenKey`, `AccessDenied` for a key without its MD5. */
export const readKey = (headers: RequestHeaders): Uint8Array | undefined => keyUnder(ownKeyHeaders, headers, notProved)

/** The key for the source of a copy. @throws S3Error as `readKey` */
export const sourceKey = (headers: RequestHeaders): Uint8Array | undefined =>
  keyUnder(sourceKeyHeaders, headers, notProved)

/** The key as an option of the store. */
export const asCustomerKey = (key: Uint8Array | undefined): { readonly customerKey?: Uint8Array } =>
  key === undefined ? {} : { customerKey: key }

function keyUnder(
  names: Readonly<Record<'algorithm' | 'key' | 'md5', string>>,
  headers: RequestHeaders,
  withoutMd5: () => S3Error,
): Uint8Array | undefined {
  const algorithm = headers.single(names.algorithm)
  const text = headers.single(names.key)
  const md5 = headers.single(names.md5)
  if (algorithm === undefined && text === undefined && md5 === undefined) return undefined
  if (algorithm === undefined) {
    throw refused(
      'Requests specifying Server Side Encryption with Customer provided keys must provide a valid encryption algorithm.',
    )
  }
  if (algorithm !== supported) throw unknownAlgorithm(algorithm)
  if (text === undefined) {
    throw refused(
      'Requests specifying Server Side Encryption with Customer provided keys must provide an appropriate secret key.',
    )
  }
  const key = Buffer.from(text, 'base64')
  if (key.length !== keyBytes) throw refused('The secret key was invalid for the specified algorithm.')
  if (md5 === undefined) throw withoutMd5()
  if (createHash('md5').update(key).digest('base64') !== md5) {
    throw refused('The calculated MD5 hash of the key did not match the hash that was provided.')
  }
  return new Uint8Array(key)
}

const unknownAlgorithm = (algorithm: string): S3Error =>
  new S3Error(
    'InvalidEncryptionAlgorithmError',
    'The Encryption request you specified is not valid. Supported value: AES256.',
    { details: { ArgumentName: 'x-amz-server-side-encryption', ArgumentValue: algorithm.slice(0, 64) } },
  )

const refused = (message: string): S3Error =>
  new S3Error('InvalidArgument', message, { details: { ArgumentName: 'x-amz-server-side-encryption' } })

const notProved = (): S3Error =>
  new S3Error(
    'AccessDenied',
    'Requests specifying Server Side Encryption with Customer provided keys must provide the correct secret key.',
  )
