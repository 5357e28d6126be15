/** The examples of AWS's page "Signing and authenticating REST requests": published signatures, from its own signer. */
import { describe, expect, it } from 'vitest'
import { asRead } from '../sigv4/received.fixture.ts'
import { verifyRequest } from '../authentication/verify-request.ts'
import { signedParameters } from '../pipeline/signed-parameters.ts'

const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const holder = { name: 'example', secretAccessKey }

interface Example {
  readonly name: string
  readonly method: string
  readonly rawPath: string
  readonly rawQuery?: string
  readonly hostBucket?: string
  readonly date: string
  readonly headers?: readonly string[]
  readonly signature: string
}

const examples: readonly Example[] = [
  {
    name: 'GET object',
    method: 'GET',
    rawPath: '/photos/puppy.jpg',
    hostBucket: 'awsexamplebucket1',
    date: 'Tue, 27 Mar 2007 19:36:42 +0000',
    signature: 'qgk2+6Sv9/oM7G3qLEjTH1a1l1g=',
  },
  {
    name: 'GET object, by the name of the first examples',
    method: 'GET',
    rawPath: '/photos/puppy.jpg',
    hostBucket: 'johnsmith',
    date: 'Tue, 27 Mar 2007 19:36:42 +0000',
    signature: 'bWq2s1WEIj+Ydj0vQ697zp+IXMU=',
  },
  {
    name: 'PUT object',
    method: 'PUT',
    rawPath: '/photos/puppy.jpg',
    hostBucket: 'johnsmith',
    date: 'Tue, 27 Mar 2007 21:15:45 +0000',
    headers: ['Content-Type', 'image/jpeg', 'Content-Length', '94328'],
    signature: 'MyyxeRY7whkBe+bq8fHCL/2kKUg=',
  },
  {
    name: 'list, with parameters that are not signed',
    method: 'GET',
    rawPath: '/',
    rawQuery: 'prefix=photos&max-keys=50&marker=puppy',
    hostBucket: 'johnsmith',
    date: 'Tue, 27 Mar 2007 19:42:41 +0000',
    signature: 'htDYFYduRNen8P9ZfE/s9SuKy0U=',
  },
  {
    name: 'GET a subresource',
    method: 'GET',
    rawPath: '/',
    rawQuery: 'acl',
    hostBucket: 'johnsmith',
    date: 'Tue, 27 Mar 2007 19:44:46 +0000',
    signature: 'c2WLPFtWHVgbEmeEG93a4cG37dM=',
  },
  {
    name: 'upload with folded metadata',
    method: 'PUT',
    rawPath: '/db-backup.dat.gz',
    hostBucket: 'static.johnsmith.net',
    date: 'Tue, 27 Mar 2007 21:06:08 +0000',
    headers: [
      ['x-amz-acl', 'public-read'],
      ['content-type', 'application/x-download'],
      ['Content-MD5', '4gJE4saaMU4BqNR0kLY+lw=='],
      ['X-Amz-Meta-ReviewedBy', 'joe@johnsmith.net'],
      ['X-Amz-Meta-ReviewedBy', 'jane@johnsmith.net'],
      ['X-Amz-Meta-FileChecksum', '0x02661779'],
      ['X-Amz-Meta-ChecksumAlgorithm', 'crc32'],
      ['Content-Disposition', 'attachment; filename=database.dat'],
      ['Content-Encoding', 'gzip'],
    ].flat(),
    signature: 'ilyl83RwaSoYIEdixDQcA4OnAnc=',
  },
  {
    name: 'list all buckets',
    method: 'GET',
    rawPath: '/',
    date: 'Wed, 28 Mar 2007 01:29:59 +0000',
    signature: 'qGdzdERIC03wnaRNKh6OqZehG9s=',
  },
  {
    name: 'a key as it is escaped',
    method: 'GET',
    rawPath: '/dictionary/fran%C3%A7ais/pr%c3%a9f%c3%a8re',
    date: 'Wed, 28 Mar 2007 01:49:49 +0000',
    signature: 'DNEZGsoieTZ92F3bUfSPQcbGmlM=',
  },
]

const verify = ({ method, rawPath, rawQuery = '', hostBucket, date, headers = [], signature }: Example) => {
  const authorization = `AWS AKIAIOSFODNN7EXAMPLE:${signature}`
  const rawHeaders = ['Host', 's3.amazonaws.com', 'Date', date, ...headers, 'Authorization', authorization]
  return verifyRequest(
    { ...asRead({ method, rawPath, rawQuery, rawHeaders }), hostBucket },
    {
      now: Date.parse(date),
      regions: ['us-east-1'],
      credentials: (id) => (id === 'AKIAIOSFODNN7EXAMPLE' ? holder : undefined),
      v2Parameters: signedParameters,
    },
  )
}

describe('the V2 examples AWS publishes', () => {
  it.each(examples)('$name: the published signature is good', (example) => {
    expect(verify(example)).toMatchObject({ version: 'AWS', identity: holder, presigned: false })
  })

  it('the published URL is good until it expires', () => {
    const rawQuery = 'AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D&Expires=1175139620'
    const request = asRead({ method: 'GET', rawPath: '/photos/puppy.jpg', rawQuery, rawHeaders: ['Host', 'a'] })
    const at = (now: number) =>
      verifyRequest(
        { ...request, hostBucket: 'johnsmith' },
        { now, regions: 'any', credentials: () => holder, v2Parameters: signedParameters },
      )
    expect(at(1_175_139_620_000)).toMatchObject({ version: 'AWS', presigned: true, payload: { kind: 'unsigned' } })
    expect(() => at(1_175_139_620_001)).toThrow('Request has expired')
  })
})
