import { describe, expect, it } from 'vitest'
import { element, xmlDocument, type Xml } from '../xml/write.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import { longXmlAnswer } from './long-answer.ts'

const context = objectContext({ options: { ...objectContext().options, namespace: 'n' } })
const key = 'k'.repeat(1000)

function counted(count: number) {
  const seen = { made: 0 }
  function* children(): Generator<Xml> {
    for (; seen.made < count; seen.made++) yield element('Key', key)
  }
  return { seen, children: children() }
}

const whole = (count: number) =>
  xmlDocument(
    'Keys',
    'n',
    Array.from({ length: count }, () => element('Key', key)),
  )

describe('an answer that may be long', () => {
  it.each([0, 1, 100, 500])('goes out as one piece when it has %d children', async (count) => {
    const { body } = await longXmlAnswer(context, 'Keys', counted(count).children)
    expect(typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString()).toBe(whole(count))
  })

  it.each([600, 5000, 20_000])('goes out piece by piece when it has %d, and is the same document', async (count) => {
    const { body } = await longXmlAnswer(context, 'Keys', counted(count).children)
    let text = ''
    for await (const piece of body as AsyncIterable<Uint8Array>) text += Buffer.from(piece).toString()
    expect(text).toBe(whole(count))
  })

  it('is made as it is taken', async () => {
    const { seen, children } = counted(50_000)
    const { body } = await longXmlAnswer(context, 'Keys', children)
    expect(seen.made).toBeLessThan(600)
    const pieces = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    for (let taken = 0; taken < 5; taken++) await pieces.next()
    expect(seen.made).toBeLessThan(900)
    await pieces.return?.()
    expect(seen.made).toBeLessThan(900)
  })
})
