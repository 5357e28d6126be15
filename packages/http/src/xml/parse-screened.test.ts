import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { turn } from '../turns/turn.ts'
import { atOnce } from '../turns/in-turns.ts'
import { parseLongXml, parseXml } from './parse.ts'
import type { XmlElement } from './xml-element.ts'
import { takeDeleteObjects } from '../object-operations/deleted-keys.ts'

const limits = { depthMax: 6, countMax: new Map<string, number>(), othersMax: 100 }

function outcome(read: () => XmlElement): unknown {
  try {
    return read()
  } catch (error) {
    return (error as { readonly code?: string }).code ?? error
  }
}

const word = fc.constantFrom(
  'text',
  ' ',
  '\n',
  '\r\n',
  '\r',
  '&lt;',
  '&amp;amp;',
  '&#13;',
  '&#x1;',
  '&#128512;',
  '😀',
  '<![CDATA[a<b]]&gt;\r\n]]>',
  '<![CDATA[]]>',
  '<!-- - \r > -->',
  '<Empty/>',
  '<s3:Other a="1"/>',
  '<Grantee xmlns:xsi="http://w" xsi:type="A&amp;B"/>',
  "<Grantee xsi:type='one' xsi:type='two'/>",
  '<Key xml:space = "preserve" >',
  '<Key>',
  '<ns:Key>',
  '</Key>',
  '</ns:Key >',
  '"',
  ']]>',
)
const document = fc
  .array(word, { maxLength: 14 })
  .map((words) => `<?xml version="1.0"?><Root xmlns="http://x">${words.join('')}</Root>`)

describe('XML that is read in pieces', () => {
  it('gives the same as XML that is read at once: property', () => {
    fc.assert(
      fc.property(document, (text) => {
        const long = outcome(() => atOnce(parseLongXml(text, limits)))
        expect(long).toEqual(outcome(() => parseXml(text, limits)))
      }),
      { numRuns: 20_000, seed: 20260606 },
    )
  })

  it.each([
    ['text', '"'],
    ['references', '&quot;'],
    ['references by number', '&#1;'],
    ['line ends', '\r\n'],
  ])('lets others in between, of %s too', async (_, unit) => {
    const key = unit.repeat(Math.floor(8000 / unit.length))
    const objects = `<Object><Key>${key}</Key><!-- c --></Object>`.repeat(1000)
    const next = vi.spyOn(turn, 'next')
    const spend = vi.spyOn(turn, 'spend')
    const { objects: read } = await takeDeleteObjects(Buffer.from(`<Delete>${objects}</Delete>`))
    expect(read).toHaveLength(1000)
    expect(next.mock.calls.length).toBeGreaterThan(20)
    // The first is the one piece that cannot be cut: making bytes a text.
    expect(Math.max(...spend.mock.calls.slice(1).map(([steps]) => steps))).toBeLessThan(500_000)
    next.mockRestore()
    spend.mockRestore()
  })
})
