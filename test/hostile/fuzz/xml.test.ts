/** Documents that come in, and text that goes out in one and must come back as it was. */
import fc from 'fast-check'
import { readCompleteMultipartUpload } from '#http/multipart/completed-parts'
import { readCreateBucketConfiguration } from '#http/buckets/create-bucket-configuration'
import { readDeleteObjects } from '#http/object-operations/deleted-keys'
import { readObjectLockConfiguration } from '#http/object-lock/object-lock'
import { readRetention } from '#http/object-lock/retention'
import { readTagging } from '#http/tagging/tagging'
import { urlEncode } from '#http/xml/url-encode'
import { readVersioningConfiguration } from '#http/buckets/versioning-configuration'
import { escapeXml } from '#http/xml/write'
import { fuzz, must } from './fuzz.ts'
import { letters, near, repeated } from './mutate.ts'

const words = [
  '<',
  '>',
  '</',
  '/>',
  '<!--',
  '-->',
  '--',
  '<![CDATA[',
  ']]>',
  '<?x ?>',
  '<!DOCTYPE x [<!ENTITY e "x">]>',
  '&e;',
  '&amp;',
  '&#0;',
  '&#x1;',
  '&#xD800;',
  '&#x110000;',
  ' xmlns="a"',
  ' a="b"',
  'x:',
  '<Key>',
  '</Key>',
  '<Status>Enabled</Status>',
  '<__proto__>',
  '</Delete>',
  '\ufeff',
  '\ud800',
  '<?xml version="1.0"?>',
  '<?xml version="1.1"?>',
]
const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8')

const key = letters(8)
const deletion = fc
  .tuple(fc.array(key, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(
    ([keys, quiet]) =>
      `<Delete>${quiet ? '<Quiet>true</Quiet>' : ''}${keys.map((one) => `<Object><Key>${escapeXml(one)}</Key></Object>`).join('')}</Delete>`,
  )
const completion = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 10_001 }), key), { minLength: 1, maxLength: 3 })
  .map(
    (parts) =>
      `<CompleteMultipartUpload xmlns="a">${parts.map(([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`).join('')}</CompleteMultipartUpload>`,
  )
const versioning = fc.constantFrom(
  '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
  '<?xml version="1.0" encoding="UTF-8"?><v:VersioningConfiguration xmlns:v="a"><v:Status>Suspended</v:Status></v:VersioningConfiguration>',
)
const location = fc.constantFrom(
  '<CreateBucketConfiguration><LocationConstraint>eu</LocationConstraint></CreateBucketConfiguration>',
  '<CreateBucketConfiguration><Location><Name>x</Name></Location></CreateBucketConfiguration>',
)
/** What the document's reader is slow on stands beside it (`xml/hostile.test.ts`): 40 kinds, each at its size limit. */
const pieces = [
  '<',
  '<a>',
  '<a/>',
  '&',
  '&amp;',
  '&#13;',
  '<!--',
  '<![CDATA[',
  ' ',
  '\n',
  '"',
  '<Object><Key>a</Key></Object>',
  '\ud800',
]
const heavy = (root: string) => repeated(pieces, (text) => `<${root}>${text}`)

fuzz({
  name: 'DeleteObjects body',
  inputs: near(deletion, words),
  parse: (text) => readDeleteObjects(utf8(text)),
  check: ({ objects }) => must(objects.length >= 1 && objects.length <= 1000, 'there are 1 to 1000'),
  codes: ['MalformedXML'],
  heavy: heavy('Delete'),
})

fuzz({
  name: 'CompleteMultipartUpload body',
  inputs: near(completion, words),
  parse: (text) => readCompleteMultipartUpload(utf8(text)),
  check: (parts) =>
    must(
      parts.every(({ partNumber }) => Number.isInteger(partNumber) && partNumber >= 1 && partNumber <= 10_000),
      'part numbers are those there can be',
    ),
  codes: ['MalformedXML'],
  heavy: heavy('CompleteMultipartUpload'),
})

fuzz({
  name: 'VersioningConfiguration body',
  inputs: near(versioning, words),
  parse: (text) => readVersioningConfiguration(utf8(text)),
  check: ({ status = 'Enabled' }) => must(status === 'Enabled' || status === 'Suspended', 'the status is one of two'),
  codes: ['MalformedXML'],
  heavy: heavy('VersioningConfiguration'),
})

fuzz({
  name: 'CreateBucketConfiguration body',
  inputs: near(location, words),
  parse: (text) => readCreateBucketConfiguration(utf8(text)),
  codes: ['MalformedXML', 'NotImplemented'],
  heavy: heavy('CreateBucketConfiguration'),
})

fuzz({
  name: 'key in a document and back',
  inputs: letters(30),
  parse: (text) => readDeleteObjects(utf8(`<Delete><Object><Key>${escapeXml(text)}</Key></Object></Delete>`)),
  check({ objects: [object] }, text) {
    // NUL has no spelling in XML.
    must(object?.key === text, 'it comes back as it was')
    must(decodeURIComponent(urlEncode(text)) === text, 'it comes back from encoding-type=url')
  },
  codes: ['MalformedXML'],
})

const tagging = fc
  .array(fc.tuple(key, key), { maxLength: 3 })
  .map(
    (tags) =>
      `<Tagging><TagSet>${tags.map(([name, value]) => `<Tag><Key>${escapeXml(name)}</Key><Value>${escapeXml(value)}</Value></Tag>`).join('')}</TagSet></Tagging>`,
  )

fuzz({
  name: 'Tagging body',
  inputs: near(tagging, words),
  parse: (text) => readTagging(utf8(text)),
  check: (tags) => must(tags.length <= 1000, 'there are no more than a thousand'),
  codes: ['MalformedXML'],
  heavy: heavy('Tagging'),
})

const retention = fc
  .tuple(fc.constantFrom('GOVERNANCE', 'COMPLIANCE', 'x'), fc.constantFrom('2030-01-01T00:00:00Z', '1', '-0001-01-01'))
  .map(([mode, date]) => `<Retention><Mode>${mode}</Mode><RetainUntilDate>${date}</RetainUntilDate></Retention>`)

fuzz({
  name: 'Retention body',
  inputs: near(retention, [...words, '+25:00', '.999999999', '9999']),
  parse: (text) => readRetention(utf8(text)),
  check: (value) => must(value === undefined || Number.isSafeInteger(value.until), 'it ends at a time there is'),
  codes: ['MalformedXML'],
  heavy: heavy('Retention'),
})

const lock = fc
  .tuple(fc.constantFrom('Days', 'Years'), fc.integer({ min: -9, max: 99_999 }))
  .map(
    ([unit, count]) =>
      `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>GOVERNANCE</Mode><${unit}>${count}</${unit}></DefaultRetention></Rule></ObjectLockConfiguration>`,
  )

fuzz({
  name: 'ObjectLockConfiguration body',
  inputs: near(lock, words),
  parse: (text) => readObjectLockConfiguration(utf8(text)),
  check: ({ default: period }) =>
    must(period === undefined || 'days' in period !== 'years' in period, 'a default has days or years'),
  codes: ['MalformedXML'],
  heavy: heavy('ObjectLockConfiguration'),
})
