import { describe, expect, it } from 'vitest'
import { boundary, formOf, inPieces } from './form.fixture.ts'
import { createMultipartReader, fieldsBytesMax } from './multipart.ts'

const readerOf = (text: string, length?: number) => createMultipartReader(inPieces(text, length), boundary)

/** Every part as its head and its content. */
async function partsOf(text: string, length?: number): Promise<readonly unknown[]> {
  const reader = readerOf(text, length)
  const parts: unknown[] = []
  for (let head = await reader.next(); head !== undefined; head = await reader.next()) {
    parts.push({ ...head, content: Buffer.from(await reader.small()).toString('utf8') })
  }
  return parts
}

const part = (head: string, content = 'c') => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n--${boundary}--`
const named = 'Content-Disposition: form-data; name="n"'

describe('a multipart body', () => {
  const text = formOf([
    ['key', 'a/b'],
    ['empty', ''],
    ['lines', 'one\r\n--two\r\n\r\n--boundar\r\r\n'],
    ['file', '\r\n\r', 'C:\\x\\é.txt'],
  ])
  const parts = [
    { name: 'key', content: 'a/b' },
    { name: 'empty', content: '' },
    { name: 'lines', content: 'one\r\n--two\r\n\r\n--boundar\r\r\n' },
    { name: 'file', fileName: 'C:\\x\\é.txt', content: '\r\n\r' },
  ]

  it.each([1, 2, 3, 5, 7, 11, 64, 1000])('is the same however it is cut: pieces of %i', async (length) => {
    expect(await partsOf(text, length)).toEqual(parts)
  })

  it('may have words before it and behind it', async () => {
    expect(await partsOf(`for old readers\r\n${text}and more`)).toEqual(parts)
    expect(await partsOf(`\r\n${text}`, 4)).toEqual(parts)
  })

  it('gives the position where the content of a part begins', async () => {
    const reader = readerOf(text)
    await reader.next()
    expect(text.slice(reader.position)).toMatch(/^a\/b\r\n/)
  })

  it('passes over what was not read of a part', async () => {
    const reader = readerOf(text, 3)
    await reader.next()
    expect(await reader.next()).toEqual({ name: 'empty' })
  })

  it('takes the heads that clients write', async () => {
    const name = (head: string) => partsOf(part(head)).then(([only]) => only)
    expect(await name('content-disposition:form-data;name=n')).toEqual({ name: 'n', content: 'c' })
    expect(await name(`${named}; filename=""`)).toMatchObject({ fileName: '' })
    expect(await name(`${named}; filename="a\\"b\\c;d.txt"`)).toMatchObject({ fileName: 'a"b\\c;d.txt' })
    expect(await name(`${named}; filename*=utf-8''%e2%82%ac%20.txt`)).toMatchObject({ fileName: '€ .txt' })
    expect(await name(`Content-Type: text/plain\r\n${named}\r\nContent-Transfer-Encoding: 8bit`)).toMatchObject({
      name: 'n',
    })
  })

  it.each([
    ['nothing', ''],
    ['no end', `--${boundary}\r\n${named}\r\n\r\nc`],
    ['an end within the delimiter', `--${boundary}\r\n${named}\r\n\r\nc\r\n--${boundary.slice(1)}`],
    ['nothing behind the delimiter', `--${boundary}\r\n${named}\r\n\r\nc\r\n--${boundary}`],
    ['a head without an end', `--${boundary}\r\n${named}`],
    ['a boundary that goes on', part(named).replace(`--${boundary}--`, `--${boundary}y--`)],
    ['line feeds alone', part(named).replaceAll('\r', '')],
    ['a part without a name', part('Content-Disposition: form-data')],
    ['a part without a disposition', part('Content-Type: text/plain')],
    ['a part that is an attachment', part('Content-Disposition: attachment; name="n"')],
    ['two dispositions', part(`${named}\r\n${named}`)],
    ['two names', part(`${named}; name="m"`)],
    ['a quote without an end', part('Content-Disposition: form-data; name="n')],
    ['words behind the name', part(`${named} or so`)],
    ['a line that is no header', part(`${named}\r\nnonsense`)],
    ['a folded header', part(`${named};\r\n filename="a"`)],
    ['an encoding', part(`${named}\r\nContent-Transfer-Encoding: base64`)],
    ['a name that is not UTF-8', part('Content-Disposition: form-data; name*=x; name="a"; filename*=latin1\'\'%ff')],
  ])('is refused with %s', async (_, body) => {
    await expect(partsOf(body)).rejects.toMatchObject({ code: 'MalformedPOSTRequest' })
    await expect(partsOf(body, 1)).rejects.toMatchObject({ code: 'MalformedPOSTRequest' })
  })

  it.each([
    [
      'fields',
      formOf([
        ['a', 'x'.repeat(fieldsBytesMax / 2)],
        ['b', 'x'.repeat(fieldsBytesMax / 2)],
      ]),
    ],
    ['words before it', `${'x'.repeat(fieldsBytesMax)}\r\n${text}`],
    ['a head', part(`${named}\r\nX: ${'x'.repeat(fieldsBytesMax)}`)],
    ['heads of empty parts', formOf(Array.from({ length: 400 }, (_, i) => [`a${i}`, ''] as const))],
  ])('is refused with more of %s than anybody needs', async (_, body) => {
    await expect(partsOf(body)).rejects.toMatchObject({
      code: 'MaxPostPreDataLengthExceeded',
      details: { MaxPostPreDataLengthBytes: '20480' },
    })
  })

  it('holds no more than a chunk of a long part', async () => {
    let given = 0
    async function* endless() {
      yield Buffer.from(`--${boundary}\r\n${named}\r\n\r\n`)
      for (;;) {
        given += 1
        yield Buffer.alloc(1000, '\r')
      }
    }
    const reader = createMultipartReader(endless(), boundary)
    await reader.next()
    let taken = 0
    for await (const piece of reader.content()) {
      taken += piece.length
      expect(given * 1000 - taken).toBeLessThanOrEqual(1000)
      if (taken > 50_000) break
    }
  })
})
