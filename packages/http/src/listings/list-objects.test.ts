import type { CommonPrefix, ListedObject, ObjectPage, ObjectPageOptions } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { objectContext } from '../objects/object-context.fixture.ts'
import { answerText, elementTexts } from '../contract/answer-text.fixture.ts'
import { encodeToken } from './continuation-token.ts'
import { listObjects } from './list-objects.ts'
import { listObjectsV2 } from './list-objects-v2.ts'

const object: ListedObject = {
  kind: 'object',
  key: 'a b+<',
  versionId: 'null',
  etag: 'e',
  size: 3,
  lastModified: new Date('2026-01-02T03:04:05.678Z'),
  owner: { id: 'o', name: 'owner' },
}
const prefix: CommonPrefix = { kind: 'prefix', prefix: 'p/' }

async function list(operation: typeof listObjects, query: string, page: ObjectPage) {
  const requested: ObjectPageOptions[] = []
  const listPage = async (_bucket: string, options: ObjectPageOptions) => {
    requested.push(options)
    return page
  }
  const head = async () => ({ region: 'eu-1' })
  const result = await operation(objectContext({ query, store: { objects: { listPage }, buckets: { head } } }))
  return { result, requested: requested[0] }
}

const full = { entries: [object, prefix], isTruncated: true, nextAfter: 'p/' }
const empty = { entries: [], isTruncated: false }

describe('ListObjects', () => {
  it('shows all there is to an object, its owner too', async () => {
    const { result } = await list(listObjects, '', { entries: [object], isTruncated: false })
    expect(answerText(result)).toBe(
      '<ListBucketResult><Name>b</Name><Prefix></Prefix><Marker></Marker><MaxKeys>1000</MaxKeys>' +
        '<IsTruncated>false</IsTruncated><Contents><Key>a b+&lt;</Key>' +
        '<LastModified>2026-01-02T03:04:05.678Z</LastModified><ETag>&quot;e&quot;</ETag><Size>3</Size>' +
        '<Owner><ID>o</ID><DisplayName>owner</DisplayName></Owner><StorageClass>STANDARD</StorageClass></Contents>' +
        '</ListBucketResult>',
    )
  })

  it('gives the next marker only with a delimiter', async () => {
    const grouped = await list(listObjects, 'delimiter=/', full)
    expect(elementTexts(grouped.result, 'NextMarker')).toEqual(['p/'])
    expect(elementTexts(grouped.result, 'CommonPrefixes')).toEqual(['<Prefix>p/</Prefix>'])
    const plain = await list(listObjects, '', full)
    expect(elementTexts(plain.result, 'NextMarker')).toEqual([])
  })

  it('passes on the parameters of the request', async () => {
    const { requested } = await list(listObjects, 'prefix=x&delimiter=/&marker=m&max-keys=7', empty)
    expect(requested).toMatchObject({ prefix: 'x', delimiter: '/', after: 'm', limit: 7 })
  })

  it('takes an empty delimiter for none', async () => {
    const { requested, result } = await list(listObjects, 'delimiter=&max-keys=5000', empty)
    expect(requested).not.toHaveProperty('delimiter')
    expect(elementTexts(result, 'Delimiter')).toEqual([])
    expect(elementTexts(result, 'MaxKeys')).toEqual(['1000'])
  })

  it('encodes elements that hold keys, on request', async () => {
    const { result } = await list(listObjects, 'encoding-type=url&delimiter=%20&marker=a%2B&prefix=%C3%BC', full)
    expect(elementTexts(result, 'EncodingType')).toEqual(['url'])
    expect(elementTexts(result, 'Key')).toEqual(['a%20b%2B%3C'])
    expect(elementTexts(result, 'Delimiter')).toEqual(['%20'])
    expect(elementTexts(result, 'Marker')).toEqual(['a%2B'])
    expect(elementTexts(result, 'NextMarker')).toEqual(['p/'])
    // Clients of this listing do not decode the prefix.
    expect(elementTexts(result, 'Prefix')[0]).toBe('ü')
  })

  it.each(['continuation-token=x', 'start-after=x', 'list-type=3', 'list-type='])('refuses %s', async (query) => {
    await expect(list(listObjects, query, empty)).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})

describe('ListObjectsV2', () => {
  it('counts keys and prefixes, and hands out a token', async () => {
    const { result } = await list(listObjectsV2, 'list-type=2&delimiter=/', full)
    expect(elementTexts(result, 'KeyCount')).toEqual(['2'])
    expect(elementTexts(result, 'NextContinuationToken')).toEqual([encodeToken('p/')])
    expect(elementTexts(result, 'NextMarker')).toEqual([])
  })

  it('continues at the token, whatever start-after is', async () => {
    const token = encodeToken('k/1')
    const { requested, result } = await list(listObjectsV2, `start-after=z&continuation-token=${token}`, empty)
    expect(requested?.after).toBe('k/1')
    expect(elementTexts(result, 'ContinuationToken')).toEqual([token])
    expect(elementTexts(result, 'StartAfter')).toEqual(['z'])
  })

  it('starts behind start-after', async () => {
    const { requested } = await list(listObjectsV2, 'start-after=z', empty)
    expect(requested?.after).toBe('z')
  })

  it('shows owners on request only', async () => {
    const without = await list(listObjectsV2, '', full)
    expect(elementTexts(without.result, 'Owner')).toHaveLength(0)
    const withOwner = await list(listObjectsV2, 'fetch-owner=true', full)
    expect(elementTexts(withOwner.result, 'Owner')).toHaveLength(1)
  })

  it('treats an empty token as absent, and echoes it', async () => {
    const { requested, result } = await list(listObjectsV2, 'continuation-token=&start-after=z', empty)
    expect(requested?.after).toBe('z')
    expect(elementTexts(result, 'ContinuationToken')).toEqual([''])
  })

  it('encodes the prefix too, on request', async () => {
    const { result } = await list(listObjectsV2, 'encoding-type=url&prefix=%C3%BC', empty)
    expect(elementTexts(result, 'Prefix')).toEqual(['%C3%BC'])
  })

  it.each(['marker=x', 'continuation-token=nonsense'])('refuses %s', async (query) => {
    await expect(list(listObjectsV2, query, empty)).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})
