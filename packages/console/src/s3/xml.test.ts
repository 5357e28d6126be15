import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { childrenOf, InvalidXml, readXml, requiredText, textIn, xmlOf } from './xml.ts'

/** Every code unit: control characters, and halves of surrogate pairs. */
const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))

describe('XML', () => {
  it('gives back every text that it holds, control characters included', () => {
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(textIn(readXml(xmlOf('Root', { Key: text })), 'Key')).toBe(text.toWellFormed())
      }),
    )
  })

  it('is read with its declaration, namespaces, attributes, comments and references', () => {
    const root = readXml(
      '<?xml version="1.0" encoding="UTF-8"?>\n<s:A xmlns:s="http://x/"><!-- a > b --><B xsi:type="C">1 &lt; 2&#x1;&#9;</B><B/></s:A>',
    )
    expect(root.name).toBe('A')
    expect(childrenOf(root, 'B').map(({ text }) => text)).toEqual(['1 < 2\u0001\t', ''])
  })

  it('repeats an element for an array, and leaves out what is undefined', () => {
    expect(xmlOf('A', { B: [1, 2], C: undefined, D: { E: true } })).toBe('<A><B>1</B><B>2</B><D><E>true</E></D></A>')
  })

  it.each(['', 'no', '<A>', '<A></B>', '<A/><B/>', '</A>', '<A', '<html><p>gateway</html>', '{"a":1}'])(
    'is refused when it is %j',
    (document) => {
      expect(() => requiredText(readXml(document), 'Key')).toThrow(InvalidXml)
    },
  )
})
