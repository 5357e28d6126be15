import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readXml } from './read.ts'
import { list, object, text } from './schema.ts'
import { urlEncode } from './url-encode.ts'
import {
  element,
  escapeXml,
  optionalElement,
  s3Namespace,
  xmlDeclaration,
  xmlDocument,
  xmlRoot,
  xmlText,
} from './write.ts'

describe('writing XML', () => {
  it('writes a document with declaration and namespace', () => {
    const xml = xmlDocument('LocationConstraint', s3Namespace, 'eu')
    expect(xml).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">eu</LocationConstraint>',
    )
    expect(xmlDeclaration + xmlRoot('LocationConstraint', s3Namespace, 'eu')).toBe(xml)
    expect(xmlRoot('Error', '', [])).toBe('<Error></Error>')
  })

  it('nests, and writes numbers, booleans and attributes', () => {
    const owner = element('Owner', [element('ID', 'a&b'), element('N', 0), element('B', false), element('E')], {
      'xsi:type': '"x"',
    })
    expect(xmlText(owner)).toBe('<Owner xsi:type="&quot;x&quot;"><ID>a&amp;b</ID><N>0</N><B>false</B><E></E></Owner>')
  })

  it('leaves out what is not there and keeps what is empty', () => {
    expect(xmlText(element('R', [optionalElement('A', undefined), optionalElement('B', '')]))).toBe('<R><B></B></R>')
  })

  it.each([
    ['& < > " \'', '&amp; &lt; &gt; &quot; &apos;'],
    [']]>', ']]&gt;'],
    ['\t\n\r', '&#9;&#10;&#13;'],
    ['\0\u0001\u001f', '&#x0;&#x1;&#x1F;'],
    ['\ufffe\uffff', '&#xFFFE;&#xFFFF;'],
    ['a\ud800b\udc00', 'a\ufffdb\ufffd'],
    ['é😀\u007f\u0085\u2028', 'é😀\u007f\u0085\u2028'],
    ['plain', 'plain'],
    ['', ''],
  ])('escapes %j', (raw, escaped) => {
    expect(escapeXml(raw)).toBe(escaped)
  })

  it('writes nothing that reads back as another key', () => {
    const schema = object({ Key: list(text(), { max: 100 }) })
    const key = fc.string({ unit: 'binary', maxLength: 40 }).filter((value) => !value.includes('\0'))
    fc.assert(
      fc.property(fc.array(key, { maxLength: 20 }), (keys) => {
        const xml = xmlDocument(
          'R',
          s3Namespace,
          keys.map((value) => element('Key', value)),
        )
        expect(readXml(Buffer.from(xml), 'R', schema).Key).toEqual(keys)
      }),
      { numRuns: 500, seed: 20260503 },
    )
  })
})

describe('encoding-type=url', () => {
  it.each([
    ['foo/bar', 'foo/bar'],
    ['asdf+b', 'asdf%2Bb'],
    ['quux ab/thud', 'quux%20ab/thud'],
    ['a%2Fb', 'a%252Fb'],
    ['-._~', '-._~'],
    ["!'()*", '%21%27%28%29%2A'],
    ['&<>"=?#', '%26%3C%3E%22%3D%3F%23'],
    ['\0\u0001\r\n\t\u007f', '%00%01%0D%0A%09%7F'],
    ['é😀', '%C3%A9%F0%9F%98%80'],
    ['\ud800', '%EF%BF%BD'],
    ['', ''],
  ])('shows %j as %s', (raw, encoded) => {
    expect(urlEncode(raw)).toBe(encoded)
  })

  it('decodes back to the same key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (key) => {
        expect(decodeURIComponent(urlEncode(key))).toBe(key)
      }),
      { seed: 20260504 },
    )
  })
})
