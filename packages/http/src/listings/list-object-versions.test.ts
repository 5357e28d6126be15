import type { VersionPage, VersionPageOptions } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { dialects } from '../contract/dialect.ts'
import type { DialectName } from '../contract/dialect.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import { answerText, elementTexts } from '../contract/answer-text.fixture.ts'
import { listObjectVersions } from './list-object-versions.ts'

const common = {
  key: 'k ',
  seq: 1,
  lastModified: new Date('2026-01-02T03:04:05.678Z'),
  owner: { id: 'o', name: 'owner' },
}
const version = { ...common, kind: 'version', versionId: 'v1', isLatest: false, etag: 'e', size: 3 } as const
const marker = { ...common, kind: 'marker', versionId: 'v2', isLatest: true } as const
const page: VersionPage = {
  entries: [marker, version, { kind: 'prefix', prefix: 'p/' }],
  isTruncated: true,
  last: { key: 'p/' },
  next: { key: 'q', versionId: 'v0' },
}

async function list(query: string, dialect: DialectName = 'neutral', found: VersionPage = page) {
  const requested: VersionPageOptions[] = []
  const listPage = async (_bucket: string, options: VersionPageOptions) => {
    requested.push(options)
    return found
  }
  const context = objectContext({ query, dialect: dialects[dialect], store: { versions: { listPage } } })
  return { result: await listObjectVersions(context), requested: requested[0] }
}

describe('ListObjectVersions', () => {
  it('keeps versions and delete markers in one sequence, with all that is known of them', async () => {
    const { result } = await list('', 'neutral', { entries: [marker, version], isTruncated: false })
    const owner = '<Owner><ID>o</ID><DisplayName>owner</DisplayName></Owner>'
    const modified = '<LastModified>2026-01-02T03:04:05.678Z</LastModified>'
    expect(answerText(result)).toBe(
      '<ListVersionsResult><Name>b</Name><Prefix></Prefix><KeyMarker></KeyMarker><VersionIdMarker></VersionIdMarker>' +
        '<MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>' +
        `<DeleteMarker><Key>k </Key><VersionId>v2</VersionId><IsLatest>true</IsLatest>${modified}${owner}</DeleteMarker>` +
        `<Version><Key>k </Key><VersionId>v1</VersionId><IsLatest>false</IsLatest>${modified}` +
        `<ETag>&quot;e&quot;</ETag><Size>3</Size><StorageClass>STANDARD</StorageClass>${owner}</Version>` +
        '</ListVersionsResult>',
    )
  })

  it('names the first entry not returned and starts at markers, in the neutral dialect', async () => {
    const { result, requested } = await list('key-marker=a&version-id-marker=v')
    expect(requested).toMatchObject({ keyMarker: 'a', versionIdMarker: 'v', markers: 'inclusive' })
    expect(elementTexts(result, 'NextKeyMarker')).toEqual(['q'])
    expect(elementTexts(result, 'NextVersionIdMarker')).toEqual(['v0'])
  })

  it('names the last entry returned and starts after markers, in the dialect of AWS', async () => {
    const { result, requested } = await list('key-marker=a', 'aws')
    expect(requested).toMatchObject({ keyMarker: 'a', versionIdMarker: '', markers: 'exclusive' })
    expect(elementTexts(result, 'NextKeyMarker')).toEqual(['p/'])
    expect(elementTexts(result, 'NextVersionIdMarker')).toEqual([])
  })

  it('encodes keys and key markers, never version ids', async () => {
    const { result } = await list('encoding-type=url&key-marker=%2B&version-id-marker=v%2B')
    expect(elementTexts(result, 'Key')).toEqual(['k%20', 'k%20'])
    expect(elementTexts(result, 'KeyMarker')).toEqual(['%2B'])
    expect(elementTexts(result, 'VersionIdMarker')).toEqual(['v+'])
  })

  it('puts common prefixes behind the entries', async () => {
    const { result } = await list('delimiter=/')
    expect(answerText(result)).toMatch(/<\/Version><CommonPrefixes><Prefix>p\/<\/Prefix><\/CommonPrefixes><\/List/)
    expect(elementTexts(result, 'Delimiter')).toEqual(['/'])
  })
})
