import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, it } from 'vitest'
import { wholeLines } from './whole-lines.ts'

async function chunksOf(given: readonly string[], bytesMax = 100): Promise<readonly string[]> {
  const chunks: string[] = []
  const bytes = given.map((text) => Buffer.from(text))
  await pipeline(Readable.from(bytes), wholeLines(bytesMax), async (lines: AsyncIterable<Buffer>) => {
    for await (const chunk of lines) chunks.push(chunk.toString())
  })
  return chunks
}

it.each([
  [['a\n'], 'a\n'],
  [['a', 'b', 'c\n'], 'abc\n'],
  [['a\nb', '\nc'], 'a\nb\n'],
  [['a\nb\nc\n'], 'a\nb\nc\n'],
  [['é'.repeat(50), '\n'], `${'é'.repeat(50)}\n`],
  [['cut off'], ''],
])('gives of %j whole lines alone: %j', async (given, expected) => {
  const chunks = await chunksOf(given)
  expect(chunks.join('')).toBe(expected)
  expect(chunks.every((chunk) => chunk.endsWith('\n'))).toBe(true)
})

it.each([[['x'.repeat(101)]], [['x'.repeat(60), 'x'.repeat(60)]], [['a\n', 'x'.repeat(60), `${'x'.repeat(60)}\n`]]])(
  'ends with an error for a line that is too long: %#',
  async (given) => {
    await expect(chunksOf(given)).rejects.toThrow('longer than 100 bytes')
  },
)
