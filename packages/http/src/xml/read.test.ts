import { describe, expect, it } from 'vitest'
import { type ReadXmlOptions, readXml } from './read.ts'
import { boolean, type Infer, integer, list, object, oneOf, opaque, optional, text } from './schema.ts'
import { refusal } from './refusal.fixture.ts'

const item = object({ Key: text(), Number: optional(integer({ min: 1, max: 10_000 })) })
const schema = object({
  Item: list(item, { max: 3 }),
  Status: optional(oneOf('On', 'Off')),
  Flag: optional(boolean()),
  Rest: optional(opaque()),
})
type Root = Infer<typeof schema>

const read = (xml: string | Uint8Array, options?: ReadXmlOptions): Root =>
  readXml(typeof xml === 'string' ? Buffer.from(xml) : xml, 'Root', schema, options)
const key = (inner: string) => read(`<Root><Item><Key>${inner}</Key></Item></Root>`).Item[0]?.Key

describe('reading XML', () => {
  it('gives the values of the schema and no other names', () => {
    const xml =
      '<Root><Item><Key>a</Key><Number>7</Number></Item><Status>Off</Status><Flag>true</Flag><Item><Key/></Item></Root>'
    const root: Root = read(xml)
    expect(root).toEqual({ Item: [{ Key: 'a', Number: 7 }, { Key: '' }], Status: 'Off', Flag: true })
    expect(Object.keys(root)).toEqual(['Item', 'Status', 'Flag'])
  })

  it('infers types from the schema', () => {
    const root = read('<Root/>')
    const keys: readonly string[] = root.Item.map((one) => one.Key)
    const number: number | undefined = root.Item[0]?.Number
    const status: 'On' | 'Off' | undefined = root.Status
    expect([keys, number, status]).toEqual([[], undefined, undefined])
  })

  it.each([
    ['plain', 'a/b.txt', 'a/b.txt'],
    ['a number with zeros', '007', '007'],
    ['an exponent', '1e5', '1e5'],
    ['hexadecimal', '0x1F', '0x1F'],
    ['a word that could be a boolean', 'true', 'true'],
    ['spaces around', '  x ', '  x '],
    ['only spaces', '   ', '   '],
    ['a percent escape', 'a%2Fb', 'a%2Fb'],
    ['named references', '&lt;&gt;&amp;&quot;&apos;', '<>&"\''],
    ['a reference to a reference', '&amp;lt;', '&lt;'],
    ['numbered references', '&#x41;&#10;&#xd;&#9;', 'A\n\r\t'],
    ['leading zeros in a reference', '&#x000041;&#0000065;', 'AA'],
    ['a referenced control character', '&#x1;&#31;', '\u0001\u001f'],
    ['a raw control character, as the SDK sends it', '\u0001\u007f', '\u0001\u007f'],
    ['U+FFFE, raw and referenced', '\ufffe&#xFFFE;', '\ufffe\ufffe'],
    ['a raw CR LF, which XML reads as LF', 'a\r\nb\rc', 'a\nb\nc'],
    ['beyond the first plane', '😀&#x1F600;', '😀😀'],
    ['a name of the prototype', '__proto__', '__proto__'],
    ['composed and decomposed', '\u00e9e\u0301', '\u00e9e\u0301'],
    ['a comment in the middle', 'En<!-- - > & -->abled', 'Enabled'],
    ['CDATA', 'a<![CDATA[<&amp;>]]>&amp;', 'a<&amp;>&'],
    ['empty CDATA', '<![CDATA[]]>', ''],
  ])('keeps a key exactly: %s', (_, sent, meant) => {
    expect(key(sent)).toBe(meant)
  })

  it.each([
    ['no declaration', '<Root/>'],
    ['a declaration', '<?xml version="1.0" encoding="UTF-8"?>\n<Root/>\n'],
    ['a declaration with every attribute', "<?xml version='1.0' encoding='utf-8' standalone='yes' ?><Root/>"],
    ['a byte order mark', '\ufeff<?xml version="1.0"?><Root/>'],
    ["S3's namespace", '<Root xmlns="http://s3.amazonaws.com/doc/2006-03-01/"/>'],
    ['another namespace', "<Root xmlns='urn:x' xmlns:xsi='urn:y' xsi:schemaLocation='a b'></Root >"],
    ['a prefix', '<s3:Root xmlns:s3="urn:x"><s3:Flag>true</s3:Flag></s3:Root>'],
    ['a prefix on some', '<s3:Root xmlns:s3="urn:x"><Flag>true</Flag></s3:Root>'],
    ['a slash at the end of a namespace', '<Root xmlns="http://x/"><Flag>true</Flag></Root>'],
    ['a greater-than sign in a namespace', '<Root xmlns="a>b"><Flag>true</Flag></Root>'],
    [
      'white space and comments around',
      ' \r\n\t<!-- before --><Root>\n <Item>\n <Key>k</Key>\n </Item>\n</Root><!-- after -->\n',
    ],
  ])('accepts %s', (_, xml) => {
    expect(refusal(() => read(xml))).toBe('accepted')
  })

  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['text', 'hello'],
    ['JSON', '{"Root":{}}'],
    ['only a declaration', '<?xml version="1.0"?>'],
    ['another root', '<Other/>'],
    ['another case', '<root/>'],
    ['two roots', '<Root/><Root/>'],
    ['text before the root', 'x<Root/>'],
    ['text after the root', '<Root/>x'],
    ['a reference after the root', '<Root/>&#32;'],
    ['CDATA after the root', '<Root/><![CDATA[]]>'],
    ['a mismatched end', '<Root><Flag>true</Root></Flag>'],
    ['an end too many', '<Root/></Root>'],
    ['an end in another case', '<Root></root>'],
    ['an end with another prefix', '<a:Root xmlns:a="urn:x"></Root>'],
    ['a space before the name', '< Root/>'],
    ['a space in the self-closing end', '<Root / >'],
    ['an unknown element', '<Root><Nope/></Root>'],
    ['a repeated single element', '<Root><Status>On</Status><Status>On</Status></Root>'],
    ['a missing element', '<Root><Item/></Root>'],
    ['too many of a list', `<Root>${'<Item><Key>k</Key></Item>'.repeat(4)}</Root>`],
    ['text between elements', '<Root>x<Item><Key>k</Key></Item></Root>'],
    ['elements where text belongs', '<Root><Status>O<b/>n</Status></Root>'],
    ['a word in another case', '<Root><Status>on</Status></Root>'],
    ['a word with spaces', '<Root><Status> On </Status></Root>'],
    ['a boolean that is a number', '<Root><Flag>1</Flag></Root>'],
    ['an unquoted attribute', '<Root xmlns=urn:x/>'],
    ['an attribute without value', '<Root xmlns/>'],
    ['a repeated attribute', '<Root xmlns="a" xmlns="b"/>'],
    ['attributes without a space', '<Root xmlns="a"xmlns:b="b"/>'],
    ['an attribute of another kind', '<Root a="b"/>'],
    ['an attribute named __proto__', '<Root __proto__="x"/>'],
    ['a tag in an attribute', '<Root xmlns="<"/>'],
    ['a bad reference in an attribute', '<Root xmlns="&nope;"/>'],
    ['version 1.1', '<?xml version="1.1"?><Root/>'],
    ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><Root/>'],
    ['an unknown encoding', '<?xml version="1.0" encoding="x"?><Root/>'],
    ['a late declaration', ' <?xml version="1.0"?><Root/>'],
    ['two declarations', '<?xml version="1.0"?><?xml version="1.0"?><Root/>'],
    ['a processing instruction', '<?php echo 1 ?><Root/>'],
    ['a processing instruction inside', '<Root><?x y?></Root>'],
    ['a double hyphen in a comment', '<Root><!-- a -- b --></Root>'],
    ['an open comment', '<Root/><!-- '],
    ['a raw end of CDATA', '<Root>]]></Root>'],
    ['a NUL', '<Root>\0</Root>'],
    ['an element named __proto__', '<Root><__proto__/></Root>'],
    ['constructor and prototype', '<Root><constructor><prototype/></constructor></Root>'],
    ['toString', '<Root><toString/></Root>'],
    ['two colons', '<a:b:Root/>'],
    ['UTF-16 spelled as bytes', Buffer.from('\ufeff<Root/>', 'utf16le')],
    ['UTF-16 without mark', Buffer.from('<Root/>', 'utf16le')],
    ['an overlong slash', Buffer.from([...Buffer.from('<Root>'), 0xc0, 0xaf, ...Buffer.from('</Root>')])],
    [
      'half a surrogate pair as bytes',
      Buffer.from([...Buffer.from('<Root>'), 0xed, 0xa0, 0x80, ...Buffer.from('</Root>')]),
    ],
    ['half a character', Buffer.from('<Root/>é').subarray(0, -1)],
  ])('refuses %s', (_, xml) => {
    expect(refusal(() => read(xml))).toBe('MalformedXML')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each([
    '&',
    '&;',
    '&x',
    '&nbsp;',
    '&copy;',
    '&LT;',
    '&#;',
    '&#x;',
    '&#0;',
    '&#x0;',
    '&#xD800;',
    '&#xDFFF;',
    '&#x110000;',
  ])('refuses the reference %s', (reference) => {
    expect(refusal(() => key(reference))).toBe('MalformedXML')
    expect(refusal(() => key(`a${reference}b`))).toBe('MalformedXML')
  })

  it.each([
    '&#99999999999;',
    '&#x00000000041;',
    '&# 65;',
    '&#x-41;',
    '&#+65;',
    '&lt',
    '&toString;',
    '&__proto__;',
    '&%2F;',
  ])('refuses the reference %s too', (reference) => {
    expect(refusal(() => key(reference))).toBe('MalformedXML')
  })

  it.each([
    ['1', 1],
    ['10000', 10_000],
    ['0', 'refused'],
    ['10001', 'refused'],
    ['01', 'refused'],
    ['1.0', 'refused'],
    ['1e3', 'refused'],
    ['0x1', 'refused'],
    [' 1 ', 'refused'],
    ['1\n', 'refused'],
    ['-1', 'refused'],
    ['+1', 'refused'],
    ['', 'refused'],
    ['١', 'refused'],
    ['2147483648', 'refused'],
    ['9007199254740993', 'refused'],
    ['99999999999999999999', 'refused'],
    ['NaN', 'refused'],
    ['Infinity', 'refused'],
  ])('reads the integer %j from 1 to 10000 as %j', (sent, meant) => {
    const act = () => read(`<Root><Item><Key>k</Key><Number>${sent}</Number></Item></Root>`).Item[0]?.Number
    if (meant === 'refused') expect(refusal(act)).toBe('MalformedXML')
    else expect(act()).toBe(meant)
  })

  it('passes over unknown elements, whatever they hold, when the schema allows it', () => {
    const lenient = object({ Key: text() }, { unknown: 'ignore' })
    const xml = Buffer.from('<Root><New><Key>no</Key>text</New><Key>yes</Key><New/></Root>')
    expect(readXml(xml, 'Root', lenient)).toEqual({ Key: 'yes' })
  })

  it('notes what is there without reading it', () => {
    expect(read('<Root><Rest>text<Any><Thing/></Any></Rest></Root>')).toEqual({ Item: [], Rest: true })
  })
})
