/**
 * XML that is meant to cost more than its size justifies, or that two readers would understand differently. The
 * parser's own tests, with time measured, stand beside it. These tests check the answers to clients.
 */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { completionBody, versioningBody } from '../../acceptance/support/test-service.ts'
import { ask, type Outcome, type Row } from '../row.ts'

const malformed: Outcome = [400, 'MalformedXML']
const tooLong: Outcome = [400, 'MaxMessageLengthExceeded']
const ok: Outcome = [200]
const enabled = versioningBody('Enabled')

const versioning = (name: string, body: string | Uint8Array, outcome = malformed): Row => ({
  ...ask(`XML with ${name}`, 'PUT /anns?versioning', { body, as: 'ann' }, outcome),
  async also({ service }) {
    const answer = await service.ask('GET /anns?versioning', { as: 'ann' })
    expect(answer.xml().get('Status')).toBe(outcome === ok ? 'Enabled' : undefined)
  },
})
const completion = (name: string, body: string, outcome: Outcome = malformed): Row =>
  ask(`a completion with ${name}`, 'POST /hostile/up?UPLOAD', { body, payloadHash: 'UNSIGNED-PAYLOAD' }, outcome)
const deletion = (name: string, body: string, outcome: Outcome = malformed): Row =>
  ask(
    `a deletion with ${name}`,
    'POST /hostile?delete',
    { body, headers: { 'content-md5': createHash('md5').update(body).digest('base64') } },
    outcome,
  )

const entity = '<!DOCTYPE x [<!ENTITY e "Enabled">]>'
const bomb = `<!DOCTYPE x [${Array.from({ length: 10 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('')}]>`
const blowUp = `<!DOCTYPE x [<!ENTITY e "${'x'.repeat(20_000)}">]>${versioningBody('&e;'.repeat(10_000))}`

const entities: readonly Row[] = [
  versioning('an entity', entity + versioningBody('&e;')),
  versioning('a billion laughs', bomb + versioningBody('&e10;')),
  versioning('a quadratic blow-up', blowUp),
  versioning('an external entity', `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${versioningBody('&e;')}`),
  versioning('a parameter entity', `<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x">%p;]>${enabled}`),
  versioning('an external DTD', `<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">${enabled}`),
  versioning(
    'an inclusion',
    '<VersioningConfiguration xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd"/></VersioningConfiguration>',
  ),
  versioning('an undefined entity', versioningBody('&nbsp;')),
  versioning('a reference to NUL', versioningBody('&#0;')),
  versioning('a reference to half a pair', versioningBody('&#xD800;')),
]

const words = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']
const prototypes: readonly Row[] = [
  ...words.flatMap((word) => [
    versioning(`an element ${word}`, `<VersioningConfiguration><${word}>x</${word}></VersioningConfiguration>`),
    versioning(
      `an attribute ${word}`,
      `<VersioningConfiguration ${word}="x"><Status>Enabled</Status></VersioningConfiguration>`,
    ),
    versioning(`a root ${word}`, `<${word}><Status>Enabled</Status></${word}>`),
  ]),
  versioning(
    'a prototype to pollute',
    '<VersioningConfiguration><constructor><prototype><polluted>yes</polluted></prototype></constructor></VersioningConfiguration>',
  ),
  deletion(
    '__proto__ beside a key',
    '<Delete><Object><Key>a</Key><__proto__><polluted>yes</polluted></__proto__></Object></Delete>',
  ),
]

const shapes: readonly Row[] = [
  versioning('20,000 elements in one another', '<a>'.repeat(20_000)),
  versioning('a name of 50 KB', `<${'a'.repeat(50_000)}/>`),
  versioning('an attribute of 50 KB', `<VersioningConfiguration a="${'x'.repeat(50_000)}"/>`),
  versioning('more than 64 KiB', `${enabled}${' '.repeat(64 * 1024)}`, tooLong),
  versioning('two roots', enabled.repeat(2)),
  versioning('text after the root', `${enabled}x`),
  versioning('nothing in it', '', [400, 'MissingRequestBodyError']),
  versioning(
    'a status twice',
    '<VersioningConfiguration><Status>Enabled</Status><Status>Suspended</Status></VersioningConfiguration>',
  ),
  versioning('bytes that are not UTF-8', Buffer.from([0x3c, 0xff, 0xfe, 0x3e])),
  versioning('UTF-16', Buffer.from(`\ufeff${enabled}`, 'utf16le')),
  versioning('another encoding', `<?xml version="1.0" encoding="ISO-8859-1"?>${enabled}`),
  versioning('an encoding that is none', `<?xml version="1.0" encoding="x"?>${enabled}`),
  versioning('a processing instruction', versioningBody('En<?x y?>abled')),
  ...Array.from({ length: enabled.length - 1 }, (_, i) =>
    versioning(`an end after ${i + 1} bytes`, enabled.slice(0, i + 1)),
  ),
]

/** One fixed choice: comments are passed over, CDATA is text, white space is kept. */
const sameText: readonly Row[] = [
  versioning('white space in its text', versioningBody(' Enabled ')),
  versioning('a comment in its text', versioningBody('En<!-- -->abled'), ok),
  versioning('CDATA', versioningBody('<![CDATA[Enabled]]>'), ok),
  versioning(
    'white space between its elements',
    '<VersioningConfiguration>\n <Status>Enabled</Status>\n</VersioningConfiguration>',
    ok,
  ),
]

const large: readonly Row[] = [
  completion('100,000 elements in one another', '<a>'.repeat(100_000)),
  completion('a name of 1 MB', `<${'a'.repeat(1024 ** 2)}/>`),
  completion('an attribute of 1 MB', `<CompleteMultipartUpload a="${'x'.repeat(1024 ** 2)}"/>`),
  completion('an ETag of 1 MB', completionBody([{ PartNumber: 1, ETag: 'x'.repeat(1024 ** 2) }])),
  completion('700,000 references', completionBody([{ PartNumber: 1, ETag: '&amp;'.repeat(700_000) }])),
  completion('more than 4 MiB', `<CompleteMultipartUpload/>${' '.repeat(4 * 1024 ** 2)}`, tooLong),
]

const numbers: readonly Row[] = [
  '01',
  '1.0',
  '1e3',
  ' 1 ',
  '-1',
  '+1',
  '0',
  '10001',
  '0x1',
  '１',
  '',
  '9007199254740992',
].map((PartNumber) => completion(`part number "${PartNumber}"`, completionBody([{ PartNumber, ETag: 'x' }])))

/** The rows that are taken come last: they set what the others must leave unset. */
export const xml: readonly Row[] = [...entities, ...prototypes, ...shapes, ...large, ...numbers, ...sameText]
