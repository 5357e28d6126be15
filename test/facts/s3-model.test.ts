/**
 * Every name in the S3 model of the AWS SDK is in a class: an operation reads it, it requests nothing, or it is refused.
 * A new SDK with a name of its own fails here.
 */
import { readFileSync } from 'node:fs'
import * as sdk from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import type { BuiltRow } from '#http/contract/operation'
import { commonHeaders, harmlessHeaders, screenedHeaders } from '#http/contract/screening'
import { screen, understoodBy } from '#http/operations/screen'
import { operations } from '#http/operations/table'
import { parseQuery } from '#http/target/query-params'
import { createRequestHeaders } from '#http/target/request-headers'
import { type Model, type ModelledOperation, modelOf } from './sdk-model.ts'

const model = JSON.parse(readFileSync(new URL('s3-model.json', import.meta.url), 'utf8')) as Model

const isBuilt = (row: (typeof operations)[number]): row is BuiltRow => row.handler !== undefined
const built = operations.filter(isBuilt)
const rowOf = new Map(built.map((row) => [row.name, row]))

/** HTTP's own headers, which operations read as HTTP defines them. */
const ofHttp = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-type',
  'expires',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'range',
]

const read = new Set([...commonHeaders, ...ofHttp, 'x-amz-meta-*', ...built.flatMap(understoodBy)])
const refused = new Set(screenedHeaders.map(({ header }) => header))
const harmless = new Set(harmlessHeaders)

function classesOf(name: string): readonly string[] {
  // A header that an operation reads is refused by the others.
  if (read.has(name)) return harmless.has(name) ? ['read', 'harmless'] : ['read']
  return [...(refused.has(name) ? ['refused'] : []), ...(harmless.has(name) ? ['harmless'] : [])]
}

const namesIn = (what: 'headers' | 'parameters' | 'answers', only: (name: string) => boolean = () => true) =>
  [
    ...new Set(
      Object.entries(model.operations)
        .filter(([name]) => only(name))
        .flatMap(([, operation]) => operation[what]),
    ),
  ].sort()

const isBuiltName = (name: string): boolean => rowOf.has(name)

/** What the operation does with a request that has this and nothing else. */
function verdict(row: BuiltRow, sent: { readonly header?: string; readonly query?: string }): string {
  const headers = createRequestHeaders(sent.header === undefined ? [] : [sent.header.replace('*', 'a'), 'any'])
  try {
    screen(row, { query: parseQuery(sent.query ?? ''), headers })
    return 'accepted'
  } catch (error) {
    return (error as { readonly code: string }).code
  }
}

/** The headers that AWS has for an operation and that are refused here. */
const notHere: Readonly<Record<string, readonly string[]>> = {
  AbortMultipartUpload: ['x-amz-if-match-initiated-time'],
  CopyObject: [
    'x-amz-object-annotation-directive',
    'x-amz-object-lock-event-hold',
    'x-amz-object-lock-event-hold-duration-days',
    'x-amz-object-lock-event-hold-duration-years',
  ],
  CreateBucket: ['x-amz-bucket-namespace'],
  CreateMultipartUpload: [
    'x-amz-object-lock-event-hold',
    'x-amz-object-lock-event-hold-duration-days',
    'x-amz-object-lock-event-hold-duration-years',
  ],
  DeleteObject: ['x-amz-if-match-last-modified-time', 'x-amz-if-match-size', 'x-amz-mfa'],
  DeleteObjects: ['x-amz-mfa'],
  // Values other than RestoreStatus.
  ListObjects: ['x-amz-optional-object-attributes'],
  ListObjectsV2: ['x-amz-optional-object-attributes'],
  ListObjectVersions: ['x-amz-optional-object-attributes'],
  // A listing of parts needs no key.
  ListParts: [
    'x-amz-server-side-encryption-customer-algorithm',
    'x-amz-server-side-encryption-customer-key',
    'x-amz-server-side-encryption-customer-key-md5',
  ],
  PutBucketVersioning: ['x-amz-mfa'],
  PutObject: [
    'x-amz-object-lock-event-hold',
    'x-amz-object-lock-event-hold-duration-days',
    'x-amz-object-lock-event-hold-duration-years',
    'x-amz-write-offset-bytes',
  ],
}

describe('the model of S3', () => {
  it('has every name of the installed SDK', () => {
    const installed = modelOf('installed', sdk)
    const known = new Set(entriesOf(model))
    expect(entriesOf(installed).filter((entry) => !known.has(entry))).toEqual([])
  })

  it('has no operation that the table of operations lacks', () => {
    const names = new Set(operations.map(({ name }) => name))
    expect(Object.keys(model.operations).filter((name) => !names.has(name))).toEqual([])
  })

  it('has no header of a built operation without a class, and none with two', () => {
    const wrong = namesIn('headers', isBuiltName).filter((name) => classesOf(name).length !== 1)
    expect(wrong).toEqual([])
  })

  it('has no header of an answer that is refused when a client sends it back', () => {
    const requested = new Set(namesIn('headers'))
    const own = namesIn('answers', isBuiltName).filter((name) => name.startsWith('x-amz-') && !requested.has(name))
    expect(own.filter((name) => classesOf(name)[0] !== 'harmless')).toEqual([])
  })

  it.each(built.filter(({ name }) => name in model.operations).map((row) => [row.name, row] as const))(
    '%s accepts the headers that it has in S3, but for those that are listed',
    (name, row) => {
      const { headers } = model.operations[name] as ModelledOperation
      expect(headers.filter((header) => verdict(row, { header }) !== 'accepted')).toEqual(notHere[name] ?? [])
    },
  )

  it('has no header that an operation accepts and does not read', () => {
    for (const row of built) {
      const accepted = namesIn('headers').filter((header) => verdict(row, { header }) === 'accepted')
      const known = new Set([...commonHeaders, ...harmlessHeaders, ...understoodBy(row), ...ofHttp, 'x-amz-meta-*'])
      expect(
        accepted.filter((header) => !known.has(header)),
        row.name,
      ).toEqual([])
    }
  })

  it('has no parameter that takes an operation for another', () => {
    const builtNames = new Set(namesIn('parameters', isBuiltName))
    const chosen = namesIn('parameters').filter(
      (name) => !builtNames.has(name) || operations.some(({ when }) => when.query?.includes(name)),
    )
    for (const row of built) {
      const own = new Set([...(row.params ?? []), ...(row.when.query ?? [])])
      // `id` chooses only between operations that are not built.
      const accepted = chosen.filter((name) => name !== 'id' && verdict(row, { query: `${name}=1` }) === 'accepted')
      expect(
        accepted.filter((name) => !own.has(name)),
        row.name,
      ).toEqual([])
    }
  })

  it('has no parameter of a built operation that this operation refuses', () => {
    for (const [name, row] of rowOf) {
      const { parameters = [] } = model.operations[name] ?? {}
      expect(
        parameters.filter((parameter) => verdict(row, { query: `${parameter}=2` }) !== 'accepted'),
        name,
      ).toEqual([])
    }
  })
})

const entriesOf = ({ operations: all }: Model): readonly string[] =>
  Object.entries(all).flatMap(([name, { headers, parameters, answers }]) => [
    ...headers.map((header) => `${name}: header ${header}`),
    ...parameters.map((parameter) => `${name}: parameter ${parameter}`),
    ...answers.map((answer) => `${name}: answer ${answer}`),
  ])
