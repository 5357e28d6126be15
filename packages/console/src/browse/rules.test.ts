import { describe, expect, it } from 'vitest'
import { bytesText, visible } from '../components/formats.ts'
import { problemOfBucketName } from '../s3/bucket-names.ts'
import { problemOfHeaders, problemOfMetadata, problemOfTags } from './metadata-rules.ts'
import { looksLikeText, previewKindOf } from './preview-kinds.ts'
import { documentSettings, indentedDocument } from './setting-documents.ts'

describe('forms show what is wrong before the server does', () => {
  it.each(['ab', 'a'.repeat(64), 'Photos', 'a_b', '-ab', 'ab-', 'a..b', '192.168.0.1'])('bucket %s', (name) => {
    expect(problemOfBucketName(name)).toBeDefined()
  })

  it.each(['', 'photos', 'a.b-c', '123'])('bucket %j is fine', (name) => {
    expect(problemOfBucketName(name)).toBeUndefined()
  })

  const pair = (name: string, value = '') => ({ name, value })
  it('metadata', () => {
    expect(problemOfMetadata([pair('title', 'Café')])).toBeUndefined()
    expect(problemOfHeaders({ 'content-disposition': 'attachment; filename="é"' })).toContain('ASCII')
    expect(problemOfHeaders({ 'content-type': 'text/plain' })).toBeUndefined()
    expect(problemOfMetadata([pair('two words')])).toContain('two words')
    expect(problemOfMetadata([pair('')])).toBeDefined()
    expect(problemOfMetadata([pair('a', 'line\nbreak')])).toContain('line breaks')
    expect(problemOfMetadata([pair('a'), pair('A')])).toContain('twice')
    expect(problemOfMetadata([pair('a', 'é'.repeat(1024))])).toContain('2048')
  })

  it('tags', () => {
    expect(problemOfTags([pair('a', 'b')], 10)).toBeUndefined()
    expect(problemOfTags([pair('')], 10)).toBeDefined()
    expect(problemOfTags([pair('aws:x')], 10)).toContain('reserved')
    expect(problemOfTags([pair('a'), pair('a')], 10)).toContain('twice')
    expect(problemOfTags([pair('a'), pair('b')], 1)).toContain('at most 1')
  })

  it('documents, and no example', () => {
    for (const { example, problemOf } of Object.values(documentSettings)) {
      expect(problemOf(example('photos'))).toBeUndefined()
      expect(problemOf('<Open>')).toBeDefined()
    }
    expect(documentSettings.cors.problemOf('<Other/>')).toContain('<CORSConfiguration>')
  })

  it('documents of the server are indented, and stay the same document', () => {
    const text = '<?xml version="1.0"?>\n<A><B><C>1</C><D/></B></A>'
    expect(indentedDocument(text)).toBe('<A>\n  <B>\n    <C>1</C>\n    <D/>\n  </B>\n</A>')
    expect(indentedDocument('{"a":1}')).toBe('{\n  "a": 1\n}')
  })
})

describe('a preview', () => {
  it.each([
    ['image/png', 'a', 'image'],
    ['text/html; charset=utf-8', 'a', 'text'],
    ['application/vnd.api+json', 'a', 'json'],
    ['application/octet-stream', 'a/b.MP4', 'video'],
    ['', 'a.b/c', 'unknown'],
    ['application/zip', 'a.txt', 'unknown'],
    ['image/svg+xml', 'a', 'image'],
  ])('of %s, %s is %s', (type, key, kind) => {
    expect(previewKindOf(type, key)).toBe(kind)
  })

  it('of unknown bytes is text only if they look like text', () => {
    expect(looksLikeText('plain\ttext\r\n')).toBe(true)
    expect(looksLikeText('a\0b')).toBe(false)
    expect(looksLikeText('\ufffd\ufffd')).toBe(false)
  })
})

describe('values', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KiB'],
    [5 * 1024 ** 3, '5.0 GiB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text)
  })

  it('never hide a character that hides others', () => {
    expect(visible('a\u202egpj.exe\n')).toBe('a\\u{202e}gpj.exe\u240a')
  })
})
