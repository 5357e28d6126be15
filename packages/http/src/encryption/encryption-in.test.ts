import { createHash, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { readKey, sourceKey, writtenKey } from './customer-key.ts'
import { customerKeyAnswer, encryptionAnswer } from './encryption-headers.ts'
import { encryptionIn, refuseEncryption } from './encryption-in.ts'

type Sent = Readonly<Record<string, string>>

const sse = 'x-amz-server-side-encryption'
const headersOf = (sent: Sent) => createRequestHeaders(Object.entries(sent).flat())
const md5Of = (key: Uint8Array) => createHash('md5').update(key).digest('base64')

const key = randomBytes(32)
const own = {
  [`${sse}-customer-algorithm`]: 'AES256',
  [`${sse}-customer-key`]: key.toString('base64'),
  [`${sse}-customer-key-MD5`]: md5Of(key),
}
const without = (name: string): Sent =>
  Object.fromEntries(Object.entries(own).filter(([header]) => header !== `${sse}-customer-${name}`))
const ownOf = (other: Uint8Array): Sent => ({
  ...own,
  [`${sse}-customer-key`]: Buffer.from(other).toString('base64'),
  [`${sse}-customer-key-MD5`]: md5Of(other),
})

/** Code, message, and the value that is blamed; never with a key in it. */
function refusal(read: (headers: ReturnType<typeof headersOf>) => unknown, sent: Sent): readonly unknown[] {
  try {
    return ['none', read(headersOf(sent))]
  } catch (error) {
    expect(inspect(error, { depth: null })).not.toContain(key.toString('base64'))
    if (!isS3Error(error)) throw error
    return [error.code, error.message, error.details['ArgumentValue']]
  }
}

const invalid = 'The secret key was invalid for the specified algorithm.'
const mismatch = 'The calculated MD5 hash of the key did not match the hash that was provided.'
const incompatible =
  'Server Side Encryption with Customer provided key is incompatible with the encryption method specified'
const unknown = 'The Encryption request you specified is not valid. Supported value: AES256.'
const needs = (what: string) =>
  `Requests specifying Server Side Encryption with Customer provided keys must provide ${what}.`

describe('how a new object is to be encrypted', () => {
  it('is read from headers, if there are any', () => {
    const read = (sent: Sent) => encryptionIn(headersOf(sent))
    expect(read({})).toBeUndefined()
    expect(read({ [sse]: 'AES256' })).toEqual({ mode: 'AES256' })
    expect(read({ [sse]: 'aws:kms' })).toEqual({ mode: 'aws:kms' })
    const named = { [`${sse}-aws-kms-key-id`]: 'payroll', [`${sse}-bucket-key-enabled`]: 'TRUE' }
    expect(read({ [sse]: 'aws:kms:dsse', ...named })).toEqual({
      mode: 'aws:kms:dsse',
      keyName: 'payroll',
      bucketKey: true,
    })
    expect(read(own)).toEqual({ mode: 'SSE-C', key: new Uint8Array(key) })
  })

  // Recorded of AWS: TestS3SSECEncryption test_put_object_validation_sse_c, but for those about named keys.
  it.each<[readonly unknown[], Sent]>([
    [['InvalidArgument', incompatible, 'AES256'], { ...own, [sse]: 'AES256' }],
    [['InvalidArgument', incompatible, 'aws:kms'], { ...own, [sse]: 'aws:kms' }],
    [['InvalidEncryptionAlgorithmError', unknown, 'KMS'], { ...own, [`${sse}-customer-algorithm`]: 'KMS' }],
    [['InvalidArgument', needs('a valid encryption algorithm'), undefined], without('algorithm')],
    [['InvalidArgument', needs('an appropriate secret key'), undefined], without('key')],
    [['InvalidArgument', invalid, undefined], without('key-MD5')],
    [['InvalidArgument', invalid, undefined], ownOf(key.subarray(1))],
    [['InvalidArgument', mismatch, undefined], { ...own, [`${sse}-customer-key-MD5`]: md5Of(randomBytes(32)) }],
    [['InvalidArgument', 'The encryption method specified is not supported', 'aes:kms'], { [sse]: 'aes:kms' }],
    [
      ['InvalidArgument', expect.stringContaining('requires HTTP header'), 'AES256'],
      { [sse]: 'AES256', [`${sse}-aws-kms-key-id`]: 'a' },
    ],
    [
      ['InvalidArgument', expect.stringContaining('requires HTTP header'), undefined],
      { [`${sse}-aws-kms-key-id`]: 'a' },
    ],
    [
      ['InvalidArgument', expect.stringContaining('bucket-key-enabled'), 'perhaps'],
      { [sse]: 'aws:kms', [`${sse}-bucket-key-enabled`]: 'perhaps' },
    ],
    [
      ['NotImplemented', expect.stringContaining('not implemented'), undefined],
      { [sse]: 'aws:kms', [`${sse}-context`]: 'e30=' },
    ],
  ])('is refused with %j', (expected, sent) => {
    expect(refusal(encryptionIn, sent)).toEqual(expected)
  })
})

describe('the key that a client brings to read', () => {
  it('is the one in the headers, of the object or of the source of a copy', () => {
    expect(readKey(headersOf(own))).toEqual(new Uint8Array(key))
    expect(sourceKey(headersOf(own))).toBeUndefined()
    const ofSource = Object.fromEntries(
      Object.entries(own).map(([name, value]) => [name.replace('x-amz-', 'x-amz-copy-source-'), value]),
    )
    expect(sourceKey(headersOf(ofSource))).toEqual(new Uint8Array(key))
    expect(writtenKey(headersOf(ofSource))).toBeUndefined()
  })

  // Recorded of AWS: test_object_retrieval_sse_c.
  it.each<[readonly unknown[], Sent]>([
    [['InvalidEncryptionAlgorithmError', unknown, 'KMS'], { ...own, [`${sse}-customer-algorithm`]: 'KMS' }],
    [['AccessDenied', needs('the correct secret key'), undefined], without('key-MD5')],
    [['InvalidArgument', invalid, undefined], ownOf(key.subarray(1))],
    [['InvalidArgument', mismatch, undefined], { ...own, [`${sse}-customer-key-MD5`]: md5Of(randomBytes(32)) }],
  ])('is refused with %j', (expected, sent) => {
    expect(refusal(readKey, sent)).toEqual(expected)
  })

  it('is the only encryption that a read may have', () => {
    expect(refusal(refuseEncryption, own)).toEqual(['none', undefined])
    for (const name of [sse, `${sse}-aws-kms-key-id`, `${sse}-bucket-key-enabled`, `${sse}-context`]) {
      expect(refusal(refuseEncryption, { [name]: 'x' })[0]).toBe('InvalidArgument')
    }
  })
})

describe('the encryption in answers', () => {
  it('is the mode and the name of a key, or the MD5 of the key the client brought', () => {
    expect(encryptionAnswer({}, headersOf(own))).toEqual({})
    const encryption = { mode: 'aws:kms', keyName: 'grün', bucketKey: true } as const
    expect(encryptionAnswer({ encryption }, headersOf({}))).toEqual({
      [sse]: 'aws:kms',
      [`${sse}-aws-kms-key-id`]: Buffer.from('grün').toString('latin1'),
      [`${sse}-bucket-key-enabled`]: 'true',
    })
    const shown = { [`${sse}-customer-algorithm`]: 'AES256', [`${sse}-customer-key-md5`]: md5Of(key) }
    expect(encryptionAnswer({ encryption: { mode: 'SSE-C' } }, headersOf(own))).toEqual(shown)
    expect(customerKeyAnswer(headersOf({}))).toEqual({})
  })
})
