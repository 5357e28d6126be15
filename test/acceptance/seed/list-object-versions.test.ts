/** The chapter on ListObjectVersions: every parameter and element, markers, delimiters, order. */
import { expect } from 'vitest'
import { type TestService, expectStatus, refusal } from '../support/test-service.ts'
import { type Sentence, sentences } from '../support/sentences.ts'
import type { XmlElement } from '../support/xml.ts'

const isEntry = ({ name }: XmlElement) => name === 'Version' || name === 'DeleteMarker'

/** `key@id` of versions, `key#id` of markers, and prefixes as they are, in the order of the document. */
function results(listing: XmlElement): readonly string[] {
  return listing.children.flatMap((child) => {
    if (child.name === 'CommonPrefixes') return [child.get('Prefix') ?? '']
    if (!isEntry(child)) return []
    return [`${child.get('Key')}${child.name === 'Version' ? '@' : '#'}${child.get('VersionId')}`]
  })
}

const keys = (listing: XmlElement) => listing.children.filter(isEntry).map((entry) => entry.get('Key'))
const prefixes = (listing: XmlElement) => listing.all('CommonPrefixes').map((prefix) => prefix.get('Prefix'))

async function holding(service: TestService, ...keysToPut: readonly string[]): Promise<string> {
  const bucket = await service.bucket()
  await Promise.all(keysToPut.map((key) => service.put(`/${bucket}/${key}`, 'x')))
  return bucket
}

/** Three keys with a history: versions, a marker on top, a marker below. */
async function storied(service: TestService): Promise<string> {
  const bucket = await service.bucket({ versioning: 'Enabled' })
  for (const key of ['a', 'b/1', 'b/2', 'c']) await service.put(`/${bucket}/${key}`)
  for (const key of ['a', 'b/1']) await service.ask(`DELETE /${bucket}/${key}`)
  for (const key of ['a', 'b/2', 'c', 'c']) await service.put(`/${bucket}/${key}`)
  return bucket
}

/** All pages by their Next… markers. */
async function pages(service: TestService, bucket: string, query: string): Promise<readonly XmlElement[]> {
  const found: XmlElement[] = []
  let markers = ''
  for (;;) {
    const page = await service.list(bucket, query + markers)
    found.push(page)
    expect(found.length).toBeLessThan(50)
    if (page.get('IsTruncated') !== 'true') return found
    markers = `&key-marker=${encodeURIComponent(page.get('NextKeyMarker') ?? '')}`
    const version = page.get('NextVersionIdMarker')
    if (version !== undefined) markers += `&version-id-marker=${encodeURIComponent(version)}`
  }
}

sentences('4.5 ListObjectVersions', [
  [
    'success: 200 with an XML body whose root is ListVersionsResult',
    async (service) => {
      const bucket = await service.bucket()
      const answer = expectStatus(await service.ask(`GET /${bucket}?versions`), 200)
      expect(answer.headers['content-type']).toMatch(/^application\/xml\b/)
      expect(answer.xml().name).toBe('ListVersionsResult')
    },
  ],
  [
    'an empty bucket: Name; Prefix, KeyMarker, VersionIdMarker empty; MaxKeys 1000; IsTruncated false; nothing else',
    async (service) => {
      const bucket = await service.bucket()
      const { children } = await service.list(bucket)
      expect(Object.fromEntries(children.map((child) => [child.name, child.text]))).toEqual({
        Name: bucket,
        Prefix: '',
        KeyMarker: '',
        VersionIdMarker: '',
        MaxKeys: '1000',
        IsTruncated: 'false',
      })
    },
  ],
  [
    'Prefix, Delimiter, KeyMarker, VersionIdMarker, MaxKeys echo the request',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId = '' } = await service.put(`/${bucket}/p-a`)
      const query = `prefix=p-&delimiter=%2F&key-marker=p-a&version-id-marker=${versionId}&max-keys=7`
      const listing = await service.list(bucket, query)
      const echoed = ['Prefix', 'Delimiter', 'KeyMarker', 'VersionIdMarker', 'MaxKeys'].map((name) => listing.get(name))
      expect(echoed).toEqual(['p-', '/', 'p-a', versionId, '7'])
    },
  ],
  [
    'what is echoed is escaped, and reads back as it was sent',
    async (service) => {
      const bucket = await service.bucket()
      const odd = `<&>"' é😀`
      const listing = await service.list(bucket, `prefix=${encodeURIComponent(odd)}&delimiter=%26&key-marker=%3C`)
      expect([listing.get('Prefix'), listing.get('Delimiter'), listing.get('KeyMarker')]).toEqual([odd, '&', '<'])
    },
  ],
  [
    'Version holds Key, VersionId, IsLatest, LastModified, ETag, Size; DeleteMarker the first four',
    async (service) => {
      const bucket = await storied(service)
      const listing = await service.list(bucket)
      const four = ['Key', 'VersionId', 'IsLatest', 'LastModified']
      for (const version of listing.all('Version'))
        for (const name of [...four, 'ETag', 'Size']) expect(version.get(name), name).toMatch(/\S/)
      for (const marker of listing.all('DeleteMarker'))
        for (const name of four) expect(marker.get(name), name).toMatch(/\S/)
      expect([listing.all('Version').length, listing.all('DeleteMarker').length]).toEqual([8, 2])
    },
  ],
  [
    'a bucket that does not exist has no listing',
    async (service) => {
      expect(refusal(await service.ask(`GET /${service.name()}?versions`))).toEqual([404, 'NoSuchBucket'])
    },
  ],
  [
    'prefix: only keys beginning with this value are returned',
    async (service) => {
      const bucket = await holding(service, 'a', 'ab', 'abc', 'b', 'Ab', 'a%2F')
      expect(keys(await service.list(bucket, 'prefix=ab'))).toEqual(['ab', 'abc'])
      expect(keys(await service.list(bucket, 'prefix=abcd'))).toEqual([])
      expect(keys(await service.list(bucket, 'prefix='))).toHaveLength(6)
      expect(keys(await service.list(bucket, 'prefix=.*'))).toEqual([])
    },
  ],
  [
    'max-keys: the response may hold fewer, never more',
    async (service) => {
      const bucket = await storied(service)
      const whole = results(await service.list(bucket))
      for (let max = 1; max <= whole.length + 1; max += 1) {
        const listing = await service.list(bucket, `max-keys=${max}`)
        expect(results(listing)).toEqual(whole.slice(0, max))
        expect(listing.get('MaxKeys')).toBe(String(max))
        expect(listing.get('IsTruncated')).toBe(String(max < whole.length))
      }
    },
  ],
  [
    'IsTruncated is false, and there are no Next… markers, when everything that satisfies the criteria was returned',
    async (service) => {
      const bucket = await holding(service, 'a', 'b', 'c')
      for (const query of ['max-keys=3', 'prefix=a&max-keys=1', 'prefix=b&max-keys=1', 'key-marker=c&max-keys=1']) {
        const listing = await service.list(bucket, query)
        expect(listing.get('IsTruncated'), query).toBe('false')
        expect(listing.get('NextKeyMarker')).toBeUndefined()
        expect(listing.get('NextVersionIdMarker')).toBeUndefined()
      }
    },
  ],
  [
    'max-keys defaults to 1000, and no page holds more',
    async (service) => {
      const all = Array.from({ length: 1001 }, (_, i) => `k${String(i).padStart(4, '0')}`)
      const bucket = await holding(service, ...all)
      const listing = await service.list(bucket)
      expect(keys(listing)).toEqual(all.slice(0, 1000))
      const shown = ['MaxKeys', 'IsTruncated', 'NextKeyMarker'].map((name) => listing.get(name))
      expect(shown).toEqual(['1000', 'true', 'k1000'])
      expect(keys(await service.list(bucket, 'key-marker=k1000'))).toEqual(['k1000'])
      expect(keys(await service.list(bucket, 'max-keys=5000')).length).toBeLessThanOrEqual(1000)
    },
  ],
])

sentences('4.5m ListObjectVersions, markers', [
  [
    'key-marker: the key to start listing from, with all its versions',
    async (service) => {
      const bucket = await storied(service)
      const whole = results(await service.list(bucket))
      const from = (key: string) => whole.slice(whole.findIndex((result) => result.startsWith(key)))
      for (const key of ['a', 'b/1', 'b/2', 'c']) {
        expect(results(await service.list(bucket, `key-marker=${encodeURIComponent(key)}`))).toEqual(from(key))
      }
      expect(results(await service.list(bucket, 'key-marker=b'))).toEqual(from('b/1'))
      expect(results(await service.list(bucket, 'key-marker=d'))).toEqual([])
    },
  ],
  [
    'version-id-marker: the version to start listing from',
    async (service) => {
      const bucket = await storied(service)
      const whole = results(await service.list(bucket))
      for (const [index, result] of whole.entries()) {
        const [key = '', id] = result.split(/[@#]/)
        const query = `key-marker=${encodeURIComponent(key)}&version-id-marker=${id}`
        expect(results(await service.list(bucket, query)), result).toEqual(whole.slice(index))
      }
    },
  ],
  [
    'version-id-marker may be null',
    async (service) => {
      const bucket = await holding(service, 'a', 'b')
      expect(keys(await service.list(bucket, 'key-marker=b&version-id-marker=null'))).toEqual(['b'])
    },
  ],
  [
    'NextKeyMarker and NextVersionIdMarker: the first key and the first version not returned',
    async (service) => {
      const bucket = await storied(service)
      const whole = results(await service.list(bucket))
      for (let max = 1; max < whole.length; max += 1) {
        const listing = await service.list(bucket, `max-keys=${max}`)
        const [key, id] = whole[max]?.split(/[@#]/) ?? []
        expect([listing.get('NextKeyMarker'), listing.get('NextVersionIdMarker')]).toEqual([key, id])
      }
    },
  ],
  [
    'used as key-marker and version-id-marker in the next request, they skip nothing and repeat nothing',
    async (service) => {
      const bucket = await storied(service)
      const whole = results(await service.list(bucket))
      for (let max = 1; max < whole.length; max += 1) {
        expect((await pages(service, bucket, `max-keys=${max}`)).flatMap(results)).toEqual(whole)
      }
    },
  ],
  [
    'NextKeyMarker alone continues at that key',
    async (service) => {
      const bucket = await holding(service, 'a', 'b', 'c')
      const first = await service.list(bucket, 'max-keys=1')
      expect(keys(await service.list(bucket, `key-marker=${first.get('NextKeyMarker')}`))).toEqual(['b', 'c'])
    },
  ],
  [
    'with a delimiter, and with a prefix, pages continue just so',
    async (service) => {
      const bucket = await storied(service)
      for (const query of ['delimiter=/', 'delimiter=/&prefix=b', 'delimiter=/&prefix=b/', 'prefix=b', 'prefix=c']) {
        const whole = [...results(await service.list(bucket, query))].sort()
        expect(whole.length).toBeGreaterThan(0)
        for (let max = 1; max <= whole.length; max += 1) {
          const found = await pages(service, bucket, `${query}&max-keys=${max}`)
          expect(found.flatMap(results).sort(), `${query} by ${max}`).toEqual(whole)
          expect(found).toHaveLength(Math.ceil(whole.length / max))
        }
      }
    },
  ],
  [
    'a marker whose version was deleted since: the listing starts at the next one',
    async (service) => {
      const bucket = await storied(service)
      const whole = results(await service.list(bucket))
      const [key = '', id] = whole[1]?.split(/[@#]/) ?? []
      expectStatus(await service.ask(`DELETE /${bucket}/${key}?versionId=${id}`), 204)
      expect(results(await service.list(bucket, `key-marker=${key}&version-id-marker=${id}`))).toEqual(whole.slice(2))
    },
  ],
])

const delimited = ['photos/2006/a', 'photos/2006/b', 'photos/2007/c', 'photos/d', 'readme', 'video/e']

sentences('4.5d ListObjectVersions, delimiter', [
  [
    'no prefix: a key without the delimiter is a Version, one with it gives its leading substring to CommonPrefixes',
    async (service) => {
      const listing = await service.list(await holding(service, ...delimited), 'delimiter=/')
      expect(keys(listing)).toEqual(['readme'])
      expect(prefixes(listing)).toEqual(['photos/', 'video/'])
    },
  ],
  [
    'no prefix: a delete marker without the delimiter appears as a DeleteMarker, one with it is grouped',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      for (const key of ['plain', 'in/side']) await service.ask(`DELETE /${bucket}/${key}`)
      const listing = await service.list(bucket, 'delimiter=/')
      expect(listing.all('DeleteMarker').map((marker) => marker.get('Key'))).toEqual(['plain'])
      expect(prefixes(listing)).toEqual(['in/'])
    },
  ],
  [
    'prefix and delimiter: grouping applies to what comes after the prefix, and only keys beginning with it count',
    async (service) => {
      const bucket = await holding(service, ...delimited)
      const inside = await service.list(bucket, 'delimiter=/&prefix=photos/')
      expect(keys(inside)).toEqual(['photos/d'])
      expect(prefixes(inside)).toEqual(['photos/2006/', 'photos/2007/'])
      const before = await service.list(bucket, 'delimiter=/&prefix=photos')
      expect([keys(before), prefixes(before)]).toEqual([[], ['photos/']])
    },
  ],
  [
    'each group is one element, however many keys and versions are in it',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      for (const key of ['g/a', 'g/a', 'g/b', 'h']) await service.put(`/${bucket}/${key}`)
      const listing = await service.list(bucket, 'delimiter=/')
      expect(prefixes(listing)).toEqual(['g/'])
      expect(listing.all('CommonPrefixes')).toHaveLength(1)
    },
  ],
  [
    'a group counts as one result toward max-keys',
    async (service) => {
      const bucket = await holding(service, ...delimited)
      const listing = await service.list(bucket, 'delimiter=/&max-keys=2')
      expect([prefixes(listing), keys(listing)]).toEqual([['photos/'], ['readme']])
      expect([listing.get('IsTruncated'), listing.get('NextKeyMarker')]).toEqual(['true', 'video/e'])
    },
  ],
  [
    'grouped keys are not returned elsewhere, on this page or another',
    async (service) => {
      const bucket = await holding(service, ...delimited)
      const found = await pages(service, bucket, 'delimiter=/&max-keys=1')
      expect(found.flatMap(results)).toEqual(['photos/', 'readme@null', 'video/'])
    },
  ],
  [
    'Delimiter is there when one was given, and only then',
    async (service) => {
      const bucket = await service.bucket()
      expect((await service.list(bucket, 'delimiter=/')).get('Delimiter')).toBe('/')
      expect((await service.list(bucket)).get('Delimiter')).toBeUndefined()
    },
  ],
  ...[
    ['a', 'banana', 'ba'],
    ['é', 'caféine', 'café'],
    ['😀', 'x😀y', 'x😀'],
    ['.', 'file.txt', 'file.'],
    ['*', 'a*b', 'a*'],
    [' ', 'two words', 'two '],
    ['--', 'a-b--c', 'a-b--'],
  ].map(
    ([delimiter = '', key = '', prefix = '']): Sentence => [
      `the delimiter may be any character (${delimiter}), and means itself`,
      async (service) => {
        const bucket = await holding(service, encodeURIComponent(key), 'zzz')
        const listing = await service.list(bucket, `delimiter=${encodeURIComponent(delimiter)}`)
        expect([prefixes(listing), keys(listing)]).toEqual([[prefix], ['zzz']])
      },
    ],
  ),
])

sentences('4.5o ListObjectVersions, order', [
  [
    'versions of a key are ordered by storage time, the most recent first',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const ids: (string | undefined)[] = []
      for (let i = 0; i < 6; i += 1) {
        const { headers } = await service.ask(`${i === 3 ? 'DELETE' : 'PUT'} /${bucket}/a`)
        ids.unshift(headers['x-svc-version-id'])
      }
      const entries = (await service.list(bucket)).children.filter(isEntry)
      expect(entries.map((entry) => entry.get('VersionId'))).toEqual(ids)
      expect(entries.map((entry) => entry.get('IsLatest'))).toEqual(['true', ...Array<string>(5).fill('false')])
    },
  ],
  [
    'a version null stands where it was stored, not where it is named',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const first = await service.put(`/${bucket}/a`)
      await service.setVersioning(bucket, 'Suspended')
      await service.put(`/${bucket}/a`)
      await service.setVersioning(bucket, 'Enabled')
      const last = await service.put(`/${bucket}/a`)
      expect(results(await service.list(bucket))).toEqual([`a@${last.versionId}`, 'a@null', `a@${first.versionId}`])
    },
  ],
  [
    'keys are in one fixed order, that of their UTF-8 bytes',
    async (service) => {
      const sorted = ['A', 'Z', 'a', 'a b', 'a/b', 'aa', 'z', 'é', '\uffee', '😀']
      const bucket = await holding(service, ...[...sorted].reverse().map(encodeURIComponent))
      expect(keys(await service.list(bucket))).toEqual(sorted)
    },
  ],
])
