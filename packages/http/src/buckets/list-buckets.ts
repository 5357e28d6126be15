import type { BucketInfo } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import { element, markup, optionalElement, rootTags } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import { bucketArn } from './bucket-arn.ts'
import { decodeToken, encodeToken } from '../listings/continuation-token.ts'
import { pageSizeParam, textParam } from '../listings/list-parameters.ts'
import { heldPage, personElement, timeElement } from '../listings/listing-elements.ts'
import { longXmlAnswer } from '../contract/long-answer.ts'
import type { ServiceContext, ServiceOperation } from '../contract/operation.ts'

const pageMax = 10_000

/** Lists the requester's own buckets: S3 has no list of other buckets that the requester may use. Root may use all, and lists all. */
export const listBuckets: ServiceOperation = async (context) => {
  const { query, by } = context
  const prefix = textParam(query, 'prefix')
  const limit = maxBuckets(query)
  const { entries, isTruncated } = await heldPage(context, () => ownBuckets(context, { prefix, limit }))
  const last = entries.at(-1)
  const behind = [
    optionalElement('Prefix', prefix),
    optionalElement('ContinuationToken', isTruncated && last !== undefined ? encodeToken(last.name) : undefined),
  ]
  const children = inBuckets([personElement('Owner', by)], entries, behind)
  return longXmlAnswer(context, 'ListAllMyBucketsResult', children)
}

/** In this listing alone, the entries are inside their own element. */
function* inBuckets(before: readonly Xml[], entries: readonly BucketInfo[], behind: readonly Xml[]): Generator<Xml> {
  const { opening, closing } = rootTags('Buckets', '')
  yield* before
  yield markup(opening)
  for (const bucket of entries) yield bucketElement(bucket)
  yield markup(closing)
  yield* behind
}

async function ownBuckets(
  { store, by, identity, query, client: { signal } }: ServiceContext,
  { prefix, limit }: { readonly prefix: string | undefined; readonly limit: number },
): Promise<{ readonly entries: readonly BucketInfo[]; readonly isTruncated: boolean }> {
  const token = textParam(query, 'continuation-token')
  const after = token === undefined ? '' : decodeToken(token)
  const region = textParam(query, 'bucket-region')
  const entries: BucketInfo[] = []
  for await (const bucket of store.buckets.list({ signal, ...(prefix !== undefined && { prefix }) })) {
    if ((identity?.root !== true && bucket.owner.id !== by.id) || bucket.name <= after) continue
    if (region !== undefined && bucket.region !== region) continue
    if (entries.length === limit) return { entries, isTruncated: true }
    entries.push(bucket)
  }
  return { entries, isTruncated: false }
}

function maxBuckets(query: QueryParams): number {
  const limit = pageSizeParam(query, 'max-buckets', pageMax)
  if (limit > 0 && Number(textParam(query, 'max-buckets') ?? limit) <= pageMax) return limit
  throw new S3Error('InvalidArgument', `Argument max-buckets must be an integer between 1 and ${pageMax}`, {
    details: { ArgumentName: 'max-buckets', ArgumentValue: textParam(query, 'max-buckets') ?? '' },
  })
}

function bucketElement({ name, createdAt, region }: BucketInfo) {
  return element('Bucket', [
    element('Name', name),
    timeElement('CreationDate', createdAt),
    element('BucketRegion', region),
    element('BucketArn', bucketArn(name)),
  ])
}
