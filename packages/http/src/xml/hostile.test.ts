import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCompleteMultipartUpload } from '../multipart/completed-parts.ts'
import { readCreateBucketConfiguration } from '../buckets/create-bucket-configuration.ts'
import { readDeleteObjects } from '../object-operations/deleted-keys.ts'
import { parseXml } from './parse.ts'
import { refusal } from './refusal.fixture.ts'
import { readVersioningConfiguration } from '../buckets/versioning-configuration.ts'

const readers = {
  CompleteMultipartUpload: [readCompleteMultipartUpload, 4 * 1024 ** 2],
  Delete: [readDeleteObjects, 8 * 1024 ** 2],
  VersioningConfiguration: [readVersioningConfiguration, 64 * 1024],
  CreateBucketConfiguration: [readCreateBucketConfiguration, 64 * 1024],
} as const
/** Time to look through all there may be. Milliseconds of processor time. */
const msMax = (bytesMax: number) => Math.max(50, (25 * bytesMax) / 1024 ** 2)
const names = Object.keys(readers) as (keyof typeof readers)[]
const limits = { depthMax: 8, countMax: new Map(), othersMax: 1000 }

/** Each makes a document of about `size` bytes around the root `name`. */
const attacks: Readonly<Record<string, (name: string, size: number) => string>> = {
  'billion laughs': (name) =>
    `<!DOCTYPE x [<!ENTITY a "lol">${'bcdefghij'
      .split('')
      .map((entity, index) => `<!ENTITY ${entity} "${`&${'abcdefghi'[index]};`.repeat(10)}">`)
      .join('')}]><${name}>&j;</${name}>`,
  'quadratic blow-up': (name, size) =>
    `<!DOCTYPE x [<!ENTITY a "${'x'.repeat(size / 4)}">]><${name}>${'&a;'.repeat(size / 8)}</${name}>`,
  'an external entity': (name) => `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><${name}>&a;</${name}>`,
  'a parameter entity': (name) => `<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:1/x"> %a;]><${name}/>`,
  'an external DTD': (name) => `<!DOCTYPE ${name} SYSTEM "http://127.0.0.1:1/x.dtd"><${name}/>`,
  'a DOCTYPE in lower case': (name) => `<!doctype ${name}><${name}/>`,
  'a DOCTYPE after the root': (name) => `<${name}/><!DOCTYPE x>`,
  XInclude: (name) =>
    `<${name}><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/></${name}>`,
  'nested tags': (name, size) => `<${name}>${'<a>'.repeat(size / 8)}${'</a>'.repeat(size / 8)}</${name}>`,
  'open tags': (name, size) => `<${name}>${'<a>'.repeat(size / 4)}`,
  'many small elements': (name, size) => `<${name}>${'<a/>'.repeat(size / 4 - 20)}</${name}>`,
  'many elements that belong elsewhere': (name, size) => `<${name}>${'<Part/>'.repeat(size / 7 - 20)}</${name}>`,
  'many roots within the root': (name, size) => `<${name}>${`<${name}/>`.repeat(size / 30)}</${name}>`,
  'a long attribute': (name, size) => `<${name} a="${'x'.repeat(size - 100)}"/>`,
  'a long namespace without end': (name, size) => `<${name} xmlns="${'x'.repeat(size - 100)}`,
  'many attributes': (name, size) => `<${name}${' xmlns:a="b"'.repeat(size / 12 - 10)}/>`,
  'a long tag name': (_, size) => `<${'x'.repeat(size - 10)}/>`,
  'a long attribute name': (name, size) => `<${name} ${'x'.repeat(size - 100)}/>`,
  'spaces in a tag': (name, size) => `<${name}${' '.repeat(size - 100)}`,
  'spaces in the root': (name, size) => `<${name}>${' '.repeat(size - 100)}<x/></${name}>`,
  'spaces around an equals sign': (name, size) => `<${name} xmlns${' '.repeat(size - 100)}="x"/>`,
  'spaces in a closing tag': (name, size) => `<${name}></${name}${' '.repeat(size - 100)}`,
  'spaces in the declaration': (name, size) => `<?xml version="1.0"${' '.repeat(size - 100)}?><${name}/>`,
  'less-than signs': (_, size) => '<'.repeat(size),
  ampersands: (name, size) => `<${name}>${'&'.repeat(size - 100)}</${name}>`,
  'open comments': (name, size) => `<${name}>${'<!-'.repeat(size / 3 - 20)}`,
  'open CDATA': (name, size) => `<${name}>${'<![CDATA['.repeat(size / 9 - 20)}`,
  'open processing instructions': (name, size) => `<${name}>${'<?a '.repeat(size / 4 - 20)}`,
  'one long text': (name, size) => `<${name}>${'x'.repeat(size - 100)}</${name}>`,
  'one long run of references': (name, size) => `<${name}>${'&#13;'.repeat(size / 5 - 20)}</${name}>`,
  'many long runs of references': (name, size) =>
    `<${name}>${`${'&#13;'.repeat(3000)}<!---->`.repeat(size / 15_010)}</${name}>`,
  'one long CDATA': (name, size) => `<${name}><![CDATA[${'x'.repeat(size - 100)}]]></${name}>`,
  'empty CDATA': (name, size) => `<${name}>${'<![CDATA[]]>'.repeat(size / 12 - 20)}</${name}>`,
  'empty comments': (name, size) => `<${name}>${'<!---->'.repeat(size / 7 - 20)}<x/></${name}>`,
  'a long comment': (name, size) => `<${name}><!--${'x'.repeat(size - 100)}--></${name}>`,
  'lines in a comment and a repeated attribute': (name, size) =>
    `<!--${'\n'.repeat(size - 200)}--><${name} xmlns="a" xmlns="a"/>`,
  'lines and a repeated attribute': (name, size) => `${'\n'.repeat(size - 100)}<${name} xmlns="a" xmlns="a"/>`,
  'quotes in tags': (name, size) => `<${name}>${'<a"'.repeat(size / 3 - 20)}`,
}

describe('hostile XML', () => {
  describe.each(names)('as %s', (name) => {
    const [read, bytesMax] = readers[name]

    it.each(Object.keys(attacks))(`is refused within ${msMax(bytesMax)} ms: %s`, (attack) => {
      const bytes = Buffer.from(attacks[attack]?.(name, bytesMax - 1024) ?? '')
      expect(bytes.length).toBeLessThanOrEqual(bytesMax)
      const taken = quickest(msMax(bytesMax), () => expect(refusal(() => read(bytes))).toBe('MalformedXML'))
      expect(taken).toBeLessThan(msMax(bytesMax))
    })

    it('is refused by size at the limit and one byte beyond, not below', () => {
      const padded = (size: number) => Buffer.from(`<${name}/>`.padEnd(size))
      const small = refusal(() => read(Buffer.from(`<${name}/>`)))
      expect(refusal(() => read(padded(bytesMax)))).toBe(small)
      expect(refusal(() => read(padded(bytesMax + 1)))).toBe('MalformedXML')
    })
  })

  it.each([
    [
      'CompleteMultipartUpload',
      readCompleteMultipartUpload,
      '<Part><PartNumber>1</PartNumber><ETag>&quot;é&quot;</ETag></Part>',
    ],
    ['Delete', readDeleteObjects, '<Quiet>true</Quiet><Object><Key>a&#xD;<![CDATA[b]]><!-- c --></Key></Object>'],
    ['VersioningConfiguration', readVersioningConfiguration, '<Status>Enabled</Status>'],
    ['CreateBucketConfiguration', readCreateBucketConfiguration, '<LocationConstraint>eu</LocationConstraint>'],
  ])('%s is refused when truncated at any byte', (name, read, inside) => {
    const bytes = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?><${name} xmlns="urn:x">${inside}</${name}>`)
    expect(refusal(() => read(bytes))).toBe('accepted')
    for (let length = 1; length < bytes.length; length += 1) {
      expect([length, refusal(() => read(bytes.subarray(0, length)))]).toEqual([length, 'MalformedXML'])
    }
  })

  it.each([
    ['Delete', readDeleteObjects, `<Object><Key>${'&#13;'.repeat(1024)}</Key></Object>`, 1000],
    [
      'CompleteMultipartUpload',
      readCompleteMultipartUpload,
      `<Part><PartNumber>1</PartNumber><ETag>e</ETag>${['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256']
        .map((sum) => `<Checksum${sum}>x</Checksum${sum}>`)
        .join('')}</Part>`,
      10_000,
    ],
  ])(
    'does not take a legal %s of the largest kind for it, but reads it within a second',
    (name, read, inside, count) => {
      const bytes = Buffer.from(`<${name}>${inside.repeat(count)}</${name}>`)
      expect(quickest(1000, () => expect(refusal(() => read(bytes))).toBe('accepted'))).toBeLessThan(1000)
    },
  )

  it.each([
    ['without its last end', ''],
    ['with another end', '</Elete>'],
  ])('is refused within 100 ms as a large body %s', (_, end) => {
    const inside = `<Object><Key>${'&quot;'.repeat(1024)}</Key>${'\n'.repeat(2000)}</Object>`
    const bytes = Buffer.from(`<Delete>${inside.repeat(1000)}${end}`)
    expect(quickest(100, () => expect(refusal(() => readDeleteObjects(bytes))).toBe('MalformedXML'))).toBeLessThan(100)
  })

  it('counts levels, and elements by name, at the limit', () => {
    const nested = (levels: number) => '<a>'.repeat(levels) + '</a>'.repeat(levels)
    const many = (count: number) => `<a>${'<b/>'.repeat(count)}</a>`
    const known = (count: number) => `<a>${'<x:a/>'.repeat(count - 1)}</a>`
    const small = { depthMax: 8, countMax: new Map([['a', 10]]), othersMax: 0 }
    expect([7, 8, 9].map((levels) => refusal(() => parseXml(nested(levels), limits)))).toEqual([
      'accepted',
      'accepted',
      'MalformedXML',
    ])
    expect([48, 49, 50].map((count) => refusal(() => parseXml(many(count), { ...small, othersMax: 49 })))).toEqual([
      'accepted',
      'accepted',
      'MalformedXML',
    ])
    expect([9, 10, 11].map((count) => refusal(() => parseXml(known(count), small)))).toEqual([
      'accepted',
      'accepted',
      'MalformedXML',
    ])
    expect(refusal(() => parseXml(`${'<a>'.repeat(8)}<b/>${'</a>'.repeat(8)}`, limits))).toBe('MalformedXML')
  })

  it('never answers with anything but MalformedXML, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(['accepted', 'MalformedXML']).toContain(refusal(() => readDeleteObjects(bytes)))
      }),
      { numRuns: 1000, seed: 20260502 },
    )
  })
})

/** The best of some runs in milliseconds of this process: what the work costs, not what else the machine was doing. */
function quickest(enough: number, act: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 10 && best >= enough; run += 1) {
    const start = process.cpuUsage()
    act()
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}
