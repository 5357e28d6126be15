import { describe, expect, it } from 'vitest'
import { chunksOf } from './chunks-of.ts'

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

async function read(source: object): Promise<unknown[]> {
  const chunks: unknown[] = []
  for await (const chunk of chunksOf('body', source)) chunks.push(chunk)
  return chunks
}

const iterating = (iterator: unknown) => ({ [Symbol.asyncIterator]: () => iterator })

describe('chunks of a value that a caller gives', () => {
  it.each([
    ['a revoked proxy', () => revoked()],
    ['a revoked proxy as the iterator', () => iterating(revoked())],
    ['a revoked proxy as a result', () => iterating({ next: () => revoked() })],
    ['a revoked proxy as a chunk', () => iterating({ next: () => ({ done: false, value: revoked() }) })],
    ['a number as the iterator', () => iterating(5)],
    ['a number as a result', () => iterating({ next: () => 5 })],
    ['no next', () => iterating({})],
  ])('are refused with a code: %s', async (_, source) => {
    await expect(read(source())).rejects.toMatchObject({ code: 'InvalidArgument', details: { ArgumentName: 'body' } })
  })

  it.each([
    ['an error', () => new TypeError('of the caller')],
    ['nothing', () => undefined],
    ['a revoked proxy', () => revoked()],
  ])('pass on what the iterator throws by itself: %s', async (_, thrownBy) => {
    const thrown = thrownBy()
    const failing = new AbortController()
    failing.abort(thrown)
    // An abort without a reason has one of its own.
    const { reason } = failing.signal as { readonly reason: unknown }
    const next = () => failing.signal.throwIfAborted()
    const isSame = await read(iterating({ next })).then(
      () => false,
      (error: unknown) => error === reason,
    )
    expect(isSame).toBe(true)
  })
})
