import { describe, expect, it } from 'vitest'
import { readCompleteMultipartUpload } from '../multipart/completed-parts.ts'
import { readCreateBucketConfiguration } from '../buckets/create-bucket-configuration.ts'
import { readDeleteObjects } from '../object-operations/deleted-keys.ts'
import { refusal } from './refusal.fixture.ts'
import { readVersioningConfiguration } from '../buckets/versioning-configuration.ts'
import { escapeXml } from './write.ts'

const within = (root: string, inside: string) => Buffer.from(`<${root}>${inside}</${root}>`)

describe('CompleteMultipartUpload', () => {
  const read = (inside: string) => readCompleteMultipartUpload(within('CompleteMultipartUpload', inside))
  const part = (number: number | string, rest = '') =>
    `<Part><ETag>e</ETag><PartNumber>${number}</PartNumber>${rest}</Part>`

  it('gives the parts as listed, in whatever order', () => {
    expect(read(part(3) + part(1) + part(1))).toEqual(
      [3, 1, 1].map((partNumber) => ({ partNumber, etag: 'e', checksums: [] })),
    )
  })

  it('takes the quotes off an ETag, however they are spelled', () => {
    const etag = (text: string) => read(`<Part><PartNumber>1</PartNumber><ETag>${text}</ETag></Part>`)[0]?.etag
    expect(['"e"', '&quot;e&quot;', '&#34;e&#34;', 'e', '"e', '""', '"'].map(etag)).toEqual([
      'e',
      'e',
      'e',
      'e',
      '"e',
      '',
      '"',
    ])
  })

  it('gives the checksums that are there', () => {
    const sums = '<ChecksumSHA256>s=</ChecksumSHA256><ChecksumCRC32>c==</ChecksumCRC32><ChecksumSHA1/>'
    expect(read(part(1, sums))[0]?.checksums).toEqual([
      { algorithm: 'CRC32', value: 'c==' },
      { algorithm: 'SHA256', value: 's=' },
    ])
  })

  it('is refused without a part', () => {
    expect(() => read('')).toThrow(expect.objectContaining({ code: 'MalformedXML' }))
  })

  it('takes 10,000 parts with everything they can hold, and not one more', () => {
    const sums = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256']
      .map((name) => `<Checksum${name}>x</Checksum${name}>`)
      .join('')
    const parts = Array.from({ length: 10_000 }, (_, index) => part(index + 1, sums)).join('')
    expect(read(parts)).toHaveLength(10_000)
    expect(refusal(() => read(parts + part(1)))).toBe('MalformedXML')
  })

  it('takes 10,000 parts spread over lines', () => {
    const lines = '\n    <Part>\n        <ETag>e</ETag>\r\n\t<PartNumber>1</PartNumber>\n    </Part>'.repeat(10_000)
    expect(read(`${lines}\n`)).toHaveLength(10_000)
  })

  it.each([
    ['no number', '<Part><ETag>e</ETag></Part>'],
    ['no ETag', '<Part><PartNumber>1</PartNumber></Part>'],
    ['two ETags', '<Part><PartNumber>1</PartNumber><ETag>e</ETag><ETag>e</ETag></Part>'],
    ['something unknown', part(1, '<Size>1</Size>')],
    ['number 0', part(0)],
    ['number 10001', part(10_001)],
    ...['01', '1.0', '1e3', ' 1 ', '-1', '9007199254740992'].map((number) => [`number ${number}`, part(number)]),
  ])('refuses a part with %s', (_, inside) => {
    expect(refusal(() => read(inside ?? ''))).toBe('MalformedXML')
  })
})

describe('DeleteObjects', () => {
  const read = (inside: string) => readDeleteObjects(within('Delete', inside))
  const object = (key: string) => `<Object><Key>${key}</Key></Object>`

  it('gives the objects in order, and is verbose by default', () => {
    expect(read(object('b') + object('a') + object('b'))).toEqual({
      quiet: false,
      objects: [{ key: 'b' }, { key: 'a' }, { key: 'b' }],
    })
    expect(read(`<Quiet>true</Quiet>${object('a')}`).quiet).toBe(true)
    expect(read(`${object('a')}<Quiet>false</Quiet>`).quiet).toBe(false)
  })

  it('gives every field of an object', () => {
    const conditions =
      '<ETag>"e"</ETag><LastModifiedTime>Wed, 21 Oct 2015 07:28:00 GMT</LastModifiedTime><Size>0</Size>'
    expect(read(`<Object><VersionId>null</VersionId><Key>k</Key>${conditions}</Object>`).objects).toEqual([
      { key: 'k', versionId: 'null', etag: '"e"', lastModifiedTime: 'Wed, 21 Oct 2015 07:28:00 GMT', size: 0 },
    ])
  })

  it.each([
    'a%2Fb',
    '007',
    '1e5',
    '  x ',
    '\r',
    'a\nb\t',
    '__proto__',
    'constructor',
    '\u0001',
    'é😀',
    '&amp;',
    ']]>',
    '../..',
    ' ',
  ])('decodes the key %j once and no further', (key) => {
    expect(read(object(escapeXml(key))).objects).toEqual([{ key }])
  })

  it('takes 1000 objects of the longest keys and not one more', () => {
    const longest = escapeXml('\r'.repeat(1024))
    expect(read(object(longest).repeat(1000)).objects).toHaveLength(1000)
    expect(refusal(() => read(object('k').repeat(1001)))).toBe('MalformedXML')
  })

  it.each([
    ['no object', ''],
    ['no object but Quiet', '<Quiet>true</Quiet>'],
    ['an object without key', '<Object/>'],
    ['an object with two keys', '<Object><Key>a</Key><Key>b</Key></Object>'],
    ['Quiet twice', `<Quiet>true</Quiet><Quiet>true</Quiet>${object('a')}`],
    ['Quiet in another case', `<Quiet>True</Quiet>${object('a')}`],
    ['a key with NUL', object('&#0;')],
    ['a size that is no size', '<Object><Key>a</Key><Size>-1</Size></Object>'],
  ])('refuses %s', (_, inside) => {
    expect(refusal(() => read(inside))).toBe('MalformedXML')
  })
})

describe('VersioningConfiguration', () => {
  const read = (inside: string) => readVersioningConfiguration(within('VersioningConfiguration', inside))

  it.each([
    ['<Status>Enabled</Status>', { status: 'Enabled' }],
    ['<Status>Suspended</Status>', { status: 'Suspended' }],
    ['<Status>En<!-- -->abled</Status>', { status: 'Enabled' }],
    ['<Status><![CDATA[Enabled]]></Status>', { status: 'Enabled' }],
    ['<MfaDelete>Disabled</MfaDelete>', { mfaDelete: 'Disabled' }],
    ['', {}],
  ])('reads %s', (inside, body) => {
    expect(read(inside)).toEqual(body)
  })

  it.each(['enabled', 'ENABLED', 'Disabled', '', ' Enabled', 'Enabled\n', 'En<?x?>abled'])(
    'refuses the status %j',
    (status) => {
      expect(refusal(() => read(`<Status>${status}</Status>`))).toBe('MalformedXML')
    },
  )
})

describe('CreateBucketConfiguration', () => {
  const read = (inside: string) => readCreateBucketConfiguration(within('CreateBucketConfiguration', inside))

  it('reads the region, and no body as no wish', () => {
    expect(read('<LocationConstraint>eu</LocationConstraint>')).toEqual({ locationConstraint: 'eu' })
    expect(read('<LocationConstraint/>')).toEqual({ locationConstraint: '' })
    expect(read('')).toEqual({})
    expect(readCreateBucketConfiguration(new Uint8Array())).toEqual({})
  })

  it('reads the tags to begin with, and an empty set as none', () => {
    const tag = '<Tag><Key>k</Key><Value>v</Value></Tag>'
    expect(read(`<Tags>${tag}</Tags>`)).toEqual({ tags: [{ key: 'k', value: 'v' }] })
    expect(read('<Tags/>')).toEqual({})
    expect(refusal(() => read('<Tags><Tag><Key>k</Key></Tag></Tags>'))).toBe('MalformedXML')
  })

  it.each(['<Location><Type>AvailabilityZone</Type></Location>', '<Bucket/>'])(
    'refuses %s as not implemented instead of ignoring it',
    (inside) => {
      expect(refusal(() => read(inside))).toBe('NotImplemented')
    },
  )

  it('refuses what no bucket has', () => {
    expect(refusal(() => read('<Region>eu</Region>'))).toBe('MalformedXML')
  })
})
