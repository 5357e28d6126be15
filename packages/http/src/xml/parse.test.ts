import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseXml } from './parse.ts'
import type { XmlElement } from './xml-element.ts'
import { parsePlain } from './parse-plain.ts'
import { refusal } from './refusal.fixture.ts'
import { element, escapeXml, type Xml, xmlText } from './write.ts'

const limits = { depthMax: 8, countMax: new Map(), othersMax: 1000 }
const parse = (xml: string) => parseXml(xml, limits)
const outcome = (xml: string) => refusal(() => parse(xml))

describe('the XML parser behind its screen', () => {
  it.each([
    ['text after an empty root', '<a/>x'],
    ['a reference after an empty root', '<a/>&#32;'],
    ['an element after an empty root', '<a/><b></b>'],
    ['an end after an empty root', '<a/></a>'],
    ['an end that closes itself', '<a></a/></a>'],
    ['an end with an attribute', '<a></a xmlns="u">'],
    ['a stray equals sign in a tag', '<a = xmlns="u"/>'],
    ['a name that is only a prefix', '<a:/>'],
    ['a name without its prefix', '<:a/>'],
    ['a name beyond ASCII', '<é/>'],
    ['a no-break space in a tag', '<a\u00a0xmlns="u"/>'],
    ['a no-break space around the root', '\u00a0<a/>'],
    ['a second byte order mark', '\ufeff<a/>'],
    ['a named reference split by a comment', '<a>&am<!-- -->p;</a>'],
    ['a number split by CDATA', '<a>&#6<![CDATA[5]]>;</a>'],
    ['a declaration in a comment only', '<!-- <a/> -->'],
    ['a comment that ends too soon', '<a><!--></a>'],
    ['a comment that ends in three hyphens', '<a><!-- ---></a>'],
    ['CDATA in lower case', '<a><![cdata[x]]></a>'],
    ['a NUL', '<a>\0</a>'],
    ['a NUL in a comment', '<a><!--\0--></a>'],
    ['an end of CDATA without its start', '<a>]]></a>'],
    ['a repeated attribute', '<a xmlns:x="u" xmlns:x="v"/>'],
    ['a DOCTYPE inside', '<a><!DOCTYPE a></a>'],
  ])('refuses %s', (_, xml) => {
    expect(outcome(xml)).toBe('MalformedXML')
  })

  it('keeps the one attribute that names the type of an element', () => {
    expect(parse('<a xmlns:xsi="x" xsi:type="Group"/>')).toEqual({ name: 'a', type: 'Group', children: [], text: '' })
  })

  it.each(['xmlns', 'xmlns:x', 'xsi:nil', 'xml:space'])('passes over the attribute %s', (attribute) => {
    expect(parse(`<a ${attribute}="&quot;&#x1;"/>`)).toEqual({ name: 'a', children: [], text: '' })
  })

  it('keeps every character that XML 1.0 excludes, whatever version is declared', () => {
    const declared = '<?xml version="1.0" encoding="UTF-8"?>'
    for (let code = 1; code < 0x20; code += 1) {
      const text = String.fromCharCode(code)
      expect(parse(`${declared}<a>&#${code};&#x${code.toString(16)};</a>`).text).toBe(text + text)
    }
    expect(parse(`${declared}<a>\u0085\u2028&#133;&#xFFFF;</a>`).text).toBe('\u0085\u2028\u0085\uffff')
  })

  it('takes names as data', () => {
    const root = parse('<x:constructor xmlns:x="u"><x:__proto__/><hasOwn/></x:constructor>')
    expect([root.name, ...root.children.map((child) => child.name)]).toEqual(['constructor', '__proto__', 'hasOwn'])
    expect(outcome('<a><__proto__/></a>')).toBe('MalformedXML')
  })

  it.each([
    ['text', 16 * 1024, (size: number) => `<a><b/>${'x'.repeat(size)}<b/>${'x'.repeat(size)}</a>`],
    ['text and comments', 16 * 1024, (size: number) => `<a>${'x'.repeat(size - 18)}<!-- -->${'x'.repeat(10)}</a>`],
    ['comments before the root', 16 * 1024, (size: number) => `<!--${' '.repeat(size - 7)}--> <a/>`],
    ['white space', 16 * 1024, (size: number) => `<a>${' '.repeat(size)}</a>`],
    ['CDATA, markup included', 16 * 1024, (size: number) => `<a><![CDATA[${'x'.repeat(size - 12)}]]></a>`],
    ['a tag', 4096, (size: number) => `<a xmlns="${'x'.repeat(size - 12)}"></a>`],
  ])('takes %s up to %d characters and no further', (_, most, document) => {
    expect(outcome(document(most))).toBe('accepted')
    expect(outcome(document(most + 1))).toBe('MalformedXML')
  })

  it('reads the same tree from everything it accepts and from what our writer makes of that', () => {
    let accepted = 0
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const xml = `<a>${parts.join('')}</a>`
        if (outcome(xml) !== 'accepted') return
        accepted += 1
        const tree = parse(xml)
        expect(parseXml(xmlText(written(tree)), { ...limits, depthMax: 9 })).toEqual(asWritten(tree))
      }),
      { numRuns: 10_000, seed: 20260501 },
    )
    expect(accepted).toBeGreaterThan(500)
  })

  it('reads the same tree of plain documents in the short way as in the long one, which a comment leads to', () => {
    let short = 0
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...plainPieces), { maxLength: 12 }), (parts) => {
        const xml = `<a xmlns="u">${parts.join('')}</a>`
        const way = outcome(xml)
        expect(outcome(`<!-- -->${xml}`)).toBe(way)
        if (way !== 'accepted') return
        if (parsePlain(xml) !== undefined) short += 1
        expect(parse(xml)).toEqual(parse(`<!-- -->${xml}`))
      }),
      { numRuns: 2000, seed: 20261122 },
    )
    expect(short).toBeGreaterThan(400)
  })

  it.each(['<a>\r\n</a>', '<a>&#65;</a>', '<x:a/>', '<a><!-- --></a>', '<a><![CDATA[x]]></a>', '<a xml:space="x"/>'])(
    'does not take %s for plain',
    (xml) => {
      expect(parsePlain(xml)).toBeUndefined()
      expect(outcome(xml)).toBe('accepted')
    },
  )

  it('reads the same tree however it is spelled', () => {
    fc.assert(
      fc.property(spelledElement, ({ xml, element: tree }) => {
        expect(parse(xml)).toEqual(tree)
      }),
      { numRuns: 1000, seed: 20260505 },
    )
  })
})

const pieces = [
  ['<a>', '</a>', '<b ', '<c:b', '/>', '>', '<', '&', ';', '&lt;', '&#x41;', '&#', 'x', ' ', '"', "'", '=', '\n'],
  ['xmlns="u"', 'xmlns:c=', '<!--', '-->', '--', '<![CDATA[', ']]>', '<?xml version="1.0"?>', '<!DOCTYPE a>'],
  ['\u0001', '<b>', '</b>', '<b/>', '<!-- & -->', '<![CDATA[&lt;]]>', '&#13;', '\r\n', '<b xmlns="a>b">'],
].flat()

const plainPieces = [
  [
    '<b>',
    '</b>',
    '<b>x</b>',
    '<b></b>',
    '<b/>',
    '<c><b>y</b></c>',
    '</b >',
    '<b />',
    '<b xmlns="v"/>',
    '<b xmlns="a>b"/>',
  ],
  [
    '&amp;',
    '&lt;',
    '&quot;',
    '&amp;lt;',
    '&amp;amp;',
    '&apos;&gt;',
    '&nbsp;',
    '&',
    '\n',
    ' ',
    '>',
    '"',
    '\u0001',
    '\u2028',
  ],
].flat()

/** The writer cannot write text beside elements, so each text becomes an element of its own. */
function written({ name, text, children }: XmlElement): Xml {
  return element(name, [element('text', text), ...children.map(written)])
}

function asWritten({ name, text, children }: XmlElement): XmlElement {
  return { name, text: '', children: [{ name: 'text', text, children: [] }, ...children.map(asWritten)] }
}

/** A piece of XML and its meaning. */
interface Spelled {
  readonly xml: string
  readonly text: string
  readonly element?: XmlElement
}

const unlessMarkup = (char: string, spelled: string) => (/[<&>\r]/.test(char) ? escapeXml(char) : spelled)
const spellings: readonly ((char: string) => string)[] = [
  escapeXml,
  (char) => unlessMarkup(char, char),
  (char) => `&#${char.codePointAt(0)};`,
  (char) => `&#x${char.codePointAt(0)?.toString(16).padStart(8, '0')};`,
  (char) => (char === '\r' ? '&#xD;' : `<![CDATA[${char}]]>`),
  (char) => `<!-- & <b> -->${escapeXml(char)}`,
]
const character = fc.oneof(
  fc.constantFrom('&', '<', '>', ']', "'", '"', '\r', '\n', '\t', ' ', '\u0001', '\ufffe', ';', '#'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((char) => char !== '\0'),
)
const spelledText: fc.Arbitrary<Spelled> = fc
  .array(fc.tuple(character, fc.constantFrom(...spellings)), { maxLength: 6 })
  .map((chars) => ({
    xml: chars.map(([char, spell]) => spell(char)).join(''),
    text: chars.map(([char]) => char).join(''),
  }))
const { node: spelledElement } = fc.letrec<{ node: Spelled }>((tie) => ({
  node: fc
    .record({
      name: fc.constantFrom('a', 'Key', 'x-1._'),
      prefix: fc.constantFrom('', 'p:'),
      attribute: fc.constantFrom('', ' ', ' xmlns:p="a>b/"', "\n\txmlns = '&#x22;' xsi:t=\"'\""),
      inside: fc.array(fc.oneof({ maxDepth: 5 }, spelledText, tie('node')), { maxLength: 4 }),
    })
    .map(({ name, prefix, attribute, inside }) => {
      const content = inside.map(({ xml }) => xml).join('')
      const tag = prefix + name
      const xml = content === '' ? `<${tag}${attribute}/>` : `<${tag}${attribute}>${content}</${tag}\n>`
      const children = inside.flatMap((piece) => piece.element ?? [])
      return { xml, text: '', element: { name, children, text: inside.map(({ text }) => text).join('') } }
    }),
}))
