/** The chapter on ListObjectVersions: every parameter and element, markers, delimiters, order. */
import { expect } from 'vitest'
import { type Door, expectStatus, refusal } from '../support/door.ts'
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

async function holding(door: Door, ...keysToPut: readonly string[]): Promise<string> {
  const bucket = await door.bucket()
  await Promise.all(keysToPut.map((key) => door.put(`/${bucket}/${key}`, 'x')))
  return bucket
}

/** Three keys with a history: versions, a marker on top, a marker below. */
async function storied(door: Door): Promise<string> {
  const bucket = await door.bucket({ versioning: 'Enabled' })
  for (const key of ['a', 'b/1', 'b/2', 'c']) await door.put(`/${bucket}/${key}`)
  for (const key of ['a', 'b/1']) await door.ask(`DELETE /${bucket}/${key}`)
  for (const key of ['a', 'b/2', 'c', 'c']) await door.put(`/${bucket}/${key}`)
  return bucket
}

/** All pages by their Next… markers. */
async function pages(door: Door, bucket: string, query: string): Promise<readonly XmlElement[]> {
  const found: XmlElement[] = []
  let markers = ''
  for (;;) {
    const page = await door.list(bucket, query + markers)
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
    async (door) => {
      const bucket = await door.bucket()
      const answer = expectStatus(await door.ask(`GET /${bucket}?versions`), 200)
      expect(answer.headers['content-type']).toMatch(/^application\/xml\b/)
      expect(answer.xml().name).toBe('ListVersionsResult')
    },
  ],
  [
    'an empty bucket: Name; Prefix, KeyMarker, VersionIdMarker empty; MaxKeys 1000; IsTruncated false; nothing else',
    async (door) => {
      const bucket = await door.bucket()
      const { children } = await door.list(bucket)
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
    'Prefix, Delimiter, KeyMarker, VersionIdMarker, MaxKeys echo what was asked',
    async (door) => {
      const bucket = await door.bucket({ versioning: 'Enabled' })
      const { versionId = '' } = await door.put(`/${bucket}/p-a`)
      const query = `prefix=p-&delimiter=%2F&key-marker=p-a&version-id-marker=${versionId}&max-keys=7`
      const listing = await door.list(bucket, query)
      const echoed = ['Prefix', 'Delimiter', 'KeyMarker', 'VersionIdMarker', 'MaxKeys'].map((name) => listing.get(name))
      expect(echoed).toEqual(['p-', '/', 'p-a', versionId, '7'])
    },
  ],
  [
    'what is echoed is escaped, and reads back as it was sent',
    async (door) => {
      const bucket = await door.bucket()
      const odd = `<&>"' é😀`
      const listing = await door.list(bucket, `prefix=${encodeURIComponent(odd)}&delimiter=%26&key-marker=%3C`)
      expect([listing.get('Prefix'), listing.get('Delimiter'), listing.get('KeyMarker')]).toEqual([odd, '&', '<'])
    },
  ],
  [
    'Version holds Key, VersionId, IsLatest, LastModified, ETag, Size; DeleteMarker the first four',
    async (door) => {
      const bucket = await storied(door)
      const listing = await door.list(bucket)
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
    async (door) => {
      expect(refusal(await door.ask(`GET /${door.name()}?versions`))).toEqual([404, 'NoSuchBucket'])
    },
  ],
  [
    'prefix: only keys beginning with this value are returned',
    async (door) => {
      const bucket = await holding(door, 'a', 'ab', 'abc', 'b', 'Ab', 'a%2F')
      expect(keys(await door.list(bucket, 'prefix=ab'))).toEqual(['ab', 'abc'])
      expect(keys(await door.list(bucket, 'prefix=abcd'))).toEqual([])
      expect(keys(await door.list(bucket, 'prefix='))).toHaveLength(6)
      expect(keys(await door.list(bucket, 'prefix=.*'))).toEqual([])
    },
  ],
  [
    'max-keys: the response may hold fewer, never more',
    async (door) => {
      const bucket = await storied(door)
      const whole = results(await door.list(bucket))
      for (let max = 1; max <= whole.length + 1; max += 1) {
        const listing = await door.list(bucket, `max-keys=${max}`)
        expect(results(listing)).toEqual(whole.slice(0, max))
        expect(listing.get('MaxKeys')).toBe(String(max))
        expect(listing.get('IsTruncated')).toBe(String(max < whole.length))
      }
    },
  ],
  [
    'IsTruncated is false, and there are no Next… markers, when everything that satisfies the criteria was returned',
    async (door) => {
      const bucket = await holding(door, 'a', 'b', 'c')
      for (const query of ['max-keys=3', 'prefix=a&max-keys=1', 'prefix=b&max-keys=1', 'key-marker=c&max-keys=1']) {
        const listing = await door.list(bucket, query)
        expect(listing.get('IsTruncated'), query).toBe('false')
        expect(listing.get('NextKeyMarker')).toBeUndefined()
        expect(listing.get('NextVersionIdMarker')).toBeUndefined()
      }
    },
  ],
  [
    'max-keys defaults to 1000, and no page holds more',
    async (door) => {
      const all = Array.from({ length: 1001 }, (_, i) => `k${String(i).padStart(4, '0')}`)
      const bucket = await holding(door, ...all)
      const listing = await door.list(bucket)
      expect(keys(listing)).toEqual(all.slice(0, 1000))
      const shown = ['MaxKeys', 'IsTruncated', 'NextKeyMarker'].map((name) => listing.get(name))
      expect(shown).toEqual(['1000', 'true', 'k1000'])
      expect(keys(await door.list(bucket, 'key-marker=k1000'))).toEqual(['k1000'])
      expect(keys(await door.list(bucket, 'max-keys=5000')).length).toBeLessThanOrEqual(1000)
    },
  ],
])

sentences('4.5m ListObjectVersions, markers', [
  [
    'key-marker: the key to start listing from, with all its versions',
    async (door) => {
      const bucket = await storied(door)
      const whole = results(await door.list(bucket))
      const from = (key: string) => whole.slice(whole.findIndex((result) => result.startsWith(key)))
      for (const key of ['a', 'b/1', 'b/2', 'c']) {
        expect(results(await door.list(bucket, `key-marker=${encodeURIComponent(key)}`))).toEqual(from(key))
      }
      expect(results(await door.list(bucket, 'key-marker=b'))).toEqual(from('b/1'))
      expect(results(await door.list(bucket, 'key-marker=d'))).toEqual([])
    },
  ],
  [
    'version-id-marker: the version to start listing from',
    async (door) => {
      const bucket = await storied(door)
      const whole = results(await door.list(bucket))
      for (const [index, result] of whole.entries()) {
        const [key = '', id] = result.split(/[@#]/)
        const query = `key-marker=${encodeURIComponent(key)}&version-id-marker=${id}`
        expect(results(await door.list(bucket, query)), result).toEqual(whole.slice(index))
      }
    },
  ],
  [
    'version-id-marker may be null',
    async (door) => {
      const bucket = await holding(door, 'a', 'b')
      expect(keys(await door.list(bucket, 'key-marker=b&version-id-marker=null'))).toEqual(['b'])
    },
  ],
  [
    'NextKeyMarker and NextVersionIdMarker: the first key and the first version not returned',
    async (door) => {
      const bucket = await storied(door)
      const whole = results(await door.list(bucket))
      for (let max = 1; max < whole.length; max += 1) {
        const listing = await door.list(bucket, `max-keys=${max}`)
        const [key, id] = whole[max]?.split(/[@#]/) ?? []
        expect([listing.get('NextKeyMarker'), listing.get('NextVersionIdMarker')]).toEqual([key, id])
      }
    },
  ],
  [
    'used as key-marker and version-id-marker in the next request, they skip nothing and repeat nothing',
    async (door) => {
      const bucket = await storied(door)
      const whole = results(await door.list(bucket))
      for (let max = 1; max < whole.length; max += 1) {
        expect((await pages(door, bucket, `max-keys=${max}`)).flatMap(results)).toEqual(whole)
      }
    },
  ],
  [
    'NextKeyMarker alone continues at that key',
    async (door) => {
      const bucket = await holding(door, 'a', 'b', 'c')
      const first = await door.list(bucket, 'max-keys=1')
      expect(keys(await door.list(bucket, `key-marker=${first.get('NextKeyMarker')}`))).toEqual(['b', 'c'])
    },
  ],
  [
    'with a delimiter, and with a prefix, pages continue just so',
    async (door) => {
      const bucket = await storied(door)
      for (const query of ['delimiter=/', 'delimiter=/&prefix=b', 'delimiter=/&prefix=b/', 'prefix=b', 'prefix=c']) {
        const whole = [...results(await door.list(bucket, query))].sort()
        expect(whole.length).toBeGreaterThan(0)
        for (let max = 1; max <= whole.length; max += 1) {
          const found = await pages(door, bucket, `${query}&max-keys=${max}`)
          expect(found.flatMap(results).sort(), `${query} by ${max}`).toEqual(whole)
          expect(found).toHaveLength(Math.ceil(whole.length / max))
        }
      }
    },
  ],
  [
    'a marker whose version was deleted since: the listing starts at the next one',
    async (door) => {
      const bucket = await storied(door)
      const whole = results(await door.list(bucket))
      const [key = '', id] = whole[1]?.split(/[@#]/) ?? []
      expectStatus(await door.ask(`DELETE /${bucket}/${key}?versionId=${id}`), 204)
      expect(results(await door.list(bucket, `key-marker=${key}&version-id-marker=${id}`))).toEqual(whole.slice(2))
    },
  ],
])

const delimited = ['photos/2006/a', 'photos/2006/b', 'photos/2007/c', 'photos/d', 'readme', 'video/e']

sentences('4.5d ListObjectVersions, delimiter', [
  [
    'no prefix: a key without the delimiter is a Version, one with it gives its leading substring to CommonPrefixes',
    async (door) => {
      const listing = await door.list(await holding(door, ...delimited), 'delimiter=/')
      expect(keys(listing)).toEqual(['readme'])
      expect(prefixes(listing)).toEqual(['photos/', 'video/'])
    },
  ],
  [
    'no prefix: a delete marker without the delimiter appears as a DeleteMarker, one with it is grouped',
    async (door) => {
      const bucket = await door.bucket({ versioning: 'Enabled' })
      for (const key of ['plain', 'in/side']) await door.ask(`DELETE /${bucket}/${key}`)
      const listing = await door.list(bucket, 'delimiter=/')
      expect(listing.all('DeleteMarker').map((marker) => marker.get('Key'))).toEqual(['plain'])
      expect(prefixes(listing)).toEqual(['in/'])
    },
  ],
  [
    'prefix and delimiter: grouping applies to what comes after the prefix, and only keys beginning with it count',
    async (door) => {
      const bucket = await holding(door, ...delimited)
      const inside = await door.list(bucket, 'delimiter=/&prefix=photos/')
      expect(keys(inside)).toEqual(['photos/d'])
      expect(prefixes(inside)).toEqual(['photos/2006/', 'photos/2007/'])
      const before = await door.list(bucket, 'delimiter=/&prefix=photos')
      expect([keys(before), prefixes(before)]).toEqual([[], ['photos/']])
    },
  ],
  [
    'each group is one element, however many keys and versions are in it',
    async (door) => {
      const bucket = await door.bucket({ versioning: 'Enabled' })
      for (const key of ['g/a', 'g/a', 'g/b', 'h']) await door.put(`/${bucket}/${key}`)
      const listing = await door.list(bucket, 'delimiter=/')
      expect(prefixes(listing)).toEqual(['g/'])
      expect(listing.all('CommonPrefixes')).toHaveLength(1)
    },
  ],
  [
    'a group counts as one result toward max-keys',
    async (door) => {
      const bucket = await holding(door, ...delimited)
      const listing = await door.list(bucket, 'delimiter=/&max-keys=2')
      expect([prefixes(listing), keys(listing)]).toEqual([['photos/'], ['readme']])
      expect([listing.get('IsTruncated'), listing.get('NextKeyMarker')]).toEqual(['true', 'video/e'])
    },
  ],
  [
    'grouped keys are not returned elsewhere, on this page or another',
    async (door) => {
      const bucket = await holding(door, ...delimited)
      const found = await pages(door, bucket, 'delimiter=/&max-keys=1')
      expect(found.flatMap(results)).toEqual(['photos/', 'readme@null', 'video/'])
    },
  ],
  [
    'Delimiter is there when one was given, and only then',
    async (door) => {
      const bucket = await door.bucket()
      expect((await door.list(bucket, 'delimiter=/')).get('Delimiter')).toBe('/')
      expect((await door.list(bucket)).get('Delimiter')).toBeUndefined()
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
      async (door) => {
        const bucket = await holding(door, encodeURIComponent(key), 'zzz')
        const listing = await door.list(bucket, `delimiter=${encodeURIComponent(delimiter)}`)
        expect([prefixes(listing), keys(listing)]).toEqual([[prefix], ['zzz']])
      },
    ],
  ),
])

sentences('4.5o ListObjectVersions, order', [
  [
    'versions of a key are ordered by storage time, the most recent first',
    async (door) => {
      const bucket = await door.bucket({ versioning: 'Enabled' })
      const ids: (string | undefined)[] = []
      for (let i = 0; i < 6; i += 1) {
        const { headers } = await door.ask(`${i === 3 ? 'DELETE' : 'PUT'} /${bucket}/a`)
        ids.unshift(headers['x-svc-version-id'])
      }
      const entries = (await door.list(bucket)).children.filter(isEntry)
      expect(entries.map((entry) => entry.get('VersionId'))).toEqual(ids)
      expect(entries.map((entry) => entry.get('IsLatest'))).toEqual(['true', ...Array<string>(5).fill('false')])
    },
  ],
  [
    'a version null stands where it was stored, not where it is named',
    async (door) => {
      const bucket = await door.bucket({ versioning: 'Enabled' })
      const first = await door.put(`/${bucket}/a`)
      await door.setVersioning(bucket, 'Suspended')
      await door.put(`/${bucket}/a`)
      await door.setVersioning(bucket, 'Enabled')
      const last = await door.put(`/${bucket}/a`)
      expect(results(await door.list(bucket))).toEqual([`a@${last.versionId}`, 'a@null', `a@${first.versionId}`])
    },
  ],
  [
    'keys are in one fixed order, that of their UTF-8 bytes',
    async (door) => {
      const sorted = ['A', 'Z', 'a', 'a b', 'a/b', 'aa', 'z', 'é', '\uffee', '😀']
      const bucket = await holding(door, ...[...sorted].reverse().map(encodeURIComponent))
      expect(keys(await door.list(bucket))).toEqual(sorted)
    },
  ],
])
