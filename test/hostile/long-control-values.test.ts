/** What the control API quotes of a request is bounded, wherever in the arguments the long text is. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attachStore, openStore, type Store } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerControl, ownerJudge } from '#http/control/answer-control'
import { ownerHolding } from '#http/control/answer-holding'
import { callType } from '#http/control/call-form'
import { controlRows } from '#http/control/table'

/** Many times as long as an answer may be. Each place costs a parsed request, so it is not longer. */
const long = 'k'.repeat(256 * 1024)
/** Some quotes of 1,100 characters, each of which JSON may write as six. */
const answerMax = 32 * 1024

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** Values of the shape, of which each has the long text in another place. */
function longValues(shape: JsonSchema): readonly Json[] {
  const { type, properties, anyOf, oneOf, items, additionalProperties } = shape
  const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined
  if (choices !== undefined) return choices.flatMap(longValues)
  if (properties !== undefined) {
    const plain = plainValue(shape) as { readonly [name: string]: Json }
    return [
      { ...plain, [long]: 1 },
      ...Object.entries(properties).flatMap(([name, inner]) =>
        longValues(inner).map((value) => ({ ...plain, [name]: value })),
      ),
    ]
  }
  if (items !== undefined) return longValues(items as JsonSchema).map((value) => [value])
  if (typeof additionalProperties === 'object' && additionalProperties !== null) {
    return [
      { [long]: plainValue(additionalProperties as JsonSchema) },
      ...longValues(additionalProperties as JsonSchema).map((value) => ({ a: value })),
    ]
  }
  return type === 'boolean' ? [] : [long]
}

function plainValue(shape: JsonSchema): Json {
  const { properties, required = [], anyOf, oneOf, const: only } = shape
  const words = shape['enum'] as readonly Json[] | undefined
  const [choice] = (anyOf ?? oneOf ?? []) as readonly JsonSchema[]
  if (choice !== undefined) return plainValue(choice)
  if (words !== undefined || only !== undefined) return words?.[0] ?? (only as Json)
  if (properties === undefined) return plainOf(shape)
  return Object.fromEntries(required.map((name) => [name, plainValue(properties[name] ?? {})]))
}

function plainOf({ type, minimum }: JsonSchema): Json {
  if (type === 'array') return []
  if (type === 'object') return {}
  if (type === 'boolean') return false
  return type === 'integer' || type === 'number' ? Number(minimum ?? 1) : 'existing'
}

describe('a long text in the arguments of the control API', () => {
  let store: Store
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'varve-long-values-'))
    store = await openStore(join(dir, 'store'))
    await store.buckets.create('existing')
    await store.objects.put('existing', 'existing', 'x')
  })
  afterAll(async () => {
    await store.close()
    await rm(dir, { recursive: true })
  })

  async function ask(method: string, target: string, given: Json): Promise<readonly [number, string]> {
    const bytes = Buffer.from(`${JSON.stringify({ arguments: given })}\n`)
    const stopped = new AbortController()
    const answer = await answerControl(
      {
        method,
        target,
        contentType: callType,
        body: {
          whole: async () => bytes,
          async *stream() {
            yield bytes
          },
        },
      },
      ownerJudge,
      { place: { store }, by: { id: 'me', name: 'me' }, holding: ownerHolding, signal: stopped.signal },
    )
    try {
      if (answer.gives === 'value') return [answer.status, answer.text]
      if (answer.gives === 'bytes') return [answer.status, '']
      let text = ''
      for await (const line of answer.lines) {
        text += line
        break
      }
      return [answer.status, text]
    } finally {
      stopped.abort()
      if (answer.gives === 'bytes') await answer.content.close()
    }
  }

  const rows = controlRows.map((row) => [row.name, row] as const)
  it.each(rows)('%s answers without an internal error, and not at length', async (_name, { method, path, input }) => {
    for (const given of longValues(input.json as JsonSchema)) {
      const [status, text] = await ask(method, path, given)
      const place = JSON.stringify(given).replaceAll(long, 'LONG')
      expect(text.length, place).toBeLessThan(answerMax)
      expect(text, place).not.toContain('InternalError')
      expect(status === 501 || status < 500, `${place} ${text}`).toBe(true)
    }
  })

  it('is refused with its own code, where a program sends a name of 3 MB', async () => {
    const name = '"'.repeat(3 * 1024 * 1024)
    const attached = await attachStore(join(dir, 'store'))
    try {
      const { buckets, objects } = attached
      await expect(buckets.head(name)).rejects.toMatchObject({ code: 'NoSuchBucket' })
      await expect(buckets.create(name)).rejects.toMatchObject({ code: 'InvalidBucketName' })
      await expect(objects.head(name, 'k')).rejects.toMatchObject({ code: 'NoSuchBucket' })
      await expect(objects.get('existing', name)).rejects.toMatchObject({
        code: expect.stringMatching(/^(NoSuchKey|KeyTooLongError)$/),
      })
      const outcomes = await objects.deleteMany('existing', [{ key: name }, { key: 'existing' }])
      expect(outcomes).toMatchObject([{ error: { code: 'KeyTooLongError' } }, { key: 'existing' }])
    } finally {
      await attached.close()
    }
  })
})
