import { describe, expect, it } from 'vitest'
import { readLegalHold } from '../object-lock/legal-hold.ts'
import { objectLockElements, readObjectLockConfiguration } from '../object-lock/object-lock.ts'
import { refusal } from './refusal.fixture.ts'
import { readRetention, retentionElements } from '../object-lock/retention.ts'
import { readTagging, tagSetElement } from '../tagging/tagging.ts'
import { element, xmlText } from './write.ts'

const within = (root: string, inside: string) => Buffer.from(`<${root}>${inside}</${root}>`)

describe('Tagging', () => {
  const read = (inside: string) => readTagging(within('Tagging', inside))
  const tag = (key: string, value: string) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`

  it('gives the tags as they came, none for an empty set and none without one', () => {
    const tags = [
      { key: 'b', value: '1 &' },
      { key: 'a', value: '' },
    ]
    expect(read(`<TagSet>${tag('b', '1 &amp;')}${tag('a', '')}</TagSet>`)).toEqual(tags)
    expect(read(xmlText(tagSetElement(tags)))).toEqual(tags)
    expect([read('<TagSet/>'), read('')]).toEqual([[], []])
  })

  it('leaves it to the rules of tags how many and how long they may be', () => {
    expect(read(`<TagSet>${tag('k', 'v').repeat(1000)}</TagSet>`)).toHaveLength(1000)
    expect(read(`<TagSet>${tag('k'.repeat(2000), 'v')}</TagSet>`)[0]?.key).toHaveLength(2000)
  })

  it.each(['<TagSet><Tag><Key>k</Key></Tag></TagSet>', '<TagSet><Tag><Value>v</Value></Tag></TagSet>', '<Tag/>'])(
    'refuses %s',
    (inside) => {
      expect(refusal(() => read(inside))).toBe('MalformedXML')
    },
  )
})

describe('Retention', () => {
  const read = (inside: string) => readRetention(within('Retention', inside))
  const parts = (mode: string, date: string) => `<Mode>${mode}</Mode><RetainUntilDate>${date}</RetainUntilDate>`

  it.each([
    ['2030-01-01T00:00:00Z', Date.UTC(2030, 0, 1)],
    ['2030-01-01T00:00:00.123456Z', Date.UTC(2030, 0, 1, 0, 0, 0, 123)],
    ['2030-01-01T02:00:00+02:00', Date.UTC(2030, 0, 1)],
    ['2029-12-31T18:30:00-0530', Date.UTC(2030, 0, 1)],
  ])('ends at %s', (date, until) => {
    expect(read(parts('GOVERNANCE', date))).toEqual({ mode: 'GOVERNANCE', until })
  })

  it('is written as it is read, and none when the document is empty', () => {
    const retention = { mode: 'COMPLIANCE', until: Date.UTC(2030, 0, 1) } as const
    expect(readRetention(Buffer.from(xmlText(element('Retention', retentionElements(retention)))))).toEqual(retention)
    expect(read('')).toBeUndefined()
  })

  it.each([
    '<Mode>GOVERNANCE</Mode>',
    '<RetainUntilDate>2030-01-01T00:00:00Z</RetainUntilDate>',
    parts('governance', '2030-01-01T00:00:00Z'),
    ...['', 'tomorrow', '2030-01-01', '2030-02-30T00:00:00Z', '2030-01-01T25:00:00Z', '1893456000'].map((date) =>
      parts('GOVERNANCE', date),
    ),
  ])('is not %s', (inside) => {
    expect(refusal(() => read(inside))).toBe('MalformedXML')
  })
})

describe('LegalHold', () => {
  it('is on or off, and nothing else', () => {
    const read = (inside: string) => readLegalHold(within('LegalHold', inside))
    expect([read('<Status>ON</Status>'), read('<Status>OFF</Status>')]).toEqual(['ON', 'OFF'])
    for (const inside of ['', '<Status/>', '<Status>on</Status>', '<Status>abc</Status>']) {
      expect(refusal(() => read(inside))).toBe('MalformedXML')
    }
  })
})

describe('ObjectLockConfiguration', () => {
  const read = (inside: string) => readObjectLockConfiguration(within('ObjectLockConfiguration', inside))
  const enabled = '<ObjectLockEnabled>Enabled</ObjectLockEnabled>'
  const rule = (inside: string) => `${enabled}<Rule><DefaultRetention>${inside}</DefaultRetention></Rule>`

  it.each([
    {},
    { default: { mode: 'GOVERNANCE', days: 1 } },
    { default: { mode: 'COMPLIANCE', years: 2 } },
    { default: { mode: 'GOVERNANCE', days: 0 } },
    { default: { mode: 'GOVERNANCE', years: -1 } },
  ] as const)('is written as it is read: %j', (configuration) => {
    const written = element('ObjectLockConfiguration', objectLockElements(configuration))
    expect(readObjectLockConfiguration(Buffer.from(xmlText(written)))).toEqual(configuration)
  })

  it.each([
    '',
    '<ObjectLockEnabled>Disabled</ObjectLockEnabled>',
    `${enabled}<Rule/>`,
    rule(''),
    rule('<Mode>GOVERNANCE</Mode>'),
    rule('<Days>1</Days>'),
    rule('<Mode>governance</Mode><Days>1</Days>'),
    rule('<Mode>GOVERNANCE</Mode><Days>1</Days><Years>1</Years>'),
    rule('<Mode>GOVERNANCE</Mode><Days>1.5</Days>'),
    rule('<Mode>GOVERNANCE</Mode><Days>many</Days>'),
  ])('is not %s', (inside) => {
    expect(refusal(() => read(inside))).toBe('MalformedXML')
  })
})
