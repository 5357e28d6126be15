import { describe, expect, it } from 'vitest'
import { createIdentity } from '../access/identity-schema.ts'
import { bucketOf } from '../fake-store.fixture.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import { answerText, elementTexts } from '../contract/answer-text.fixture.ts'
import { encodeToken } from '../listings/continuation-token.ts'
import { listBuckets } from './list-buckets.ts'

const by = { id: 'a', name: 'alice' }
const all = [
  bucketOf('a', { name: 'a1' }),
  bucketOf('b', { name: 'b1' }),
  bucketOf('a', { name: 'c1', region: 'EU' }),
  bucketOf('a', { name: 'c2' }),
]

function list(query = '') {
  async function* buckets({ prefix = '' }: { prefix?: string }) {
    yield* all.filter(({ name }) => name.startsWith(prefix))
  }
  return listBuckets(objectContext({ by, query, store: { buckets: { list: buckets } } }))
}

describe('ListBuckets', () => {
  it('lists the requester’s own buckets', async () => {
    const result = await list()
    expect(elementTexts(result, 'Name')).toEqual(['a1', 'c1', 'c2'])
    expect(answerText(result)).toMatch(
      /^<ListAllMyBucketsResult><Owner><ID>a<\/ID><DisplayName>alice<\/DisplayName><\/Owner><Buckets><Bucket><Name>a1<\/Name><CreationDate>1970-01-01T00:00:00.000Z<\/CreationDate><BucketRegion>eu<\/BucketRegion>/,
    )
  })

  it('lists all buckets for root, who may use them', async () => {
    async function* buckets() {
      yield* all
    }
    const identity = createIdentity({ name: 'root', accessKeyId: 'root', secretAccessKey: 'of no use', root: true })
    const context = objectContext({ by: { id: 'r', name: 'root' }, identity, store: { buckets: { list: buckets } } })
    expect(elementTexts(await listBuckets(context), 'Name')).toEqual(['a1', 'b1', 'c1', 'c2'])
  })

  it('goes on page by page, and ends without a token', async () => {
    const first = await list('max-buckets=2')
    expect(elementTexts(first, 'Name')).toEqual(['a1', 'c1'])
    expect(elementTexts(first, 'ContinuationToken')).toEqual([encodeToken('c1')])
    const last = await list(`max-buckets=2&continuation-token=${encodeToken('c1')}`)
    expect(elementTexts(last, 'Name')).toEqual(['c2'])
    expect(elementTexts(last, 'ContinuationToken')).toEqual([])
    expect(elementTexts(await list('max-buckets=3'), 'ContinuationToken')).toEqual([])
  })

  it('keeps to a prefix and a region', async () => {
    expect(elementTexts(await list('prefix=c'), 'Name')).toEqual(['c1', 'c2'])
    expect(elementTexts(await list('prefix=c'), 'Prefix')).toEqual(['c'])
    expect(elementTexts(await list('bucket-region=EU'), 'Name')).toEqual(['c1'])
  })

  it('is made as it is taken where it is long', async () => {
    async function* buckets() {
      for (let at = 0; at < 10_000; at++) yield bucketOf('a', { name: `bucket-${at}` })
    }
    const result = await listBuckets(objectContext({ by, store: { buckets: { list: buckets } } }))
    if ('slow' in result || typeof result.body === 'string') throw new TypeError('This is one piece.')
    let text = ''
    for await (const piece of result.body as AsyncIterable<Uint8Array>) text += Buffer.from(piece).toString()
    expect(text.match(/<Bucket><Name>/g)).toHaveLength(10_000)
    expect(text).toMatch(/<\/Owner><Buckets><Bucket>[^]*<\/Bucket><\/Buckets><\/ListAllMyBucketsResult>$/)
  })

  it.each(['max-buckets=0', 'max-buckets=10001', 'max-buckets=x', 'continuation-token=x'])(
    'refuses %s',
    async (query) => {
      await expect(list(query)).rejects.toMatchObject({ code: 'InvalidArgument' })
    },
  )
})
