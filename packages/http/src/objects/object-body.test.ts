import type { ObjectContent } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { objectBody } from './object-body.ts'
import { objectInfo } from './object-context.fixture.ts'

function content(): ObjectContent & { readonly closed: () => number } {
  let closed = 0
  async function* bytes() {
    yield Uint8Array.of(1)
    yield Uint8Array.of(2)
  }
  return {
    ...objectInfo(),
    body: bytes(),
    buffered: undefined,
    bytes: () => Promise.reject(new TypeError('unused')),
    text: () => Promise.reject(new TypeError('unused')),
    close: async () => void (closed += 1),
    closed: () => closed,
  }
}

describe('objectBody', () => {
  const { signal } = new AbortController()

  it('gives all bytes', async () => {
    const seen: number[] = []
    for await (const chunk of objectBody(content(), signal)) seen.push(...chunk)
    expect(seen).toEqual([1, 2])
  })

  it('lets go when the reader ends early', async () => {
    const object = content()
    for await (const _chunk of objectBody(object, signal)) break
    expect(object.closed()).toBe(1)
  })

  it('lets go when the reader ends before it began', async () => {
    const object = content()
    await objectBody(object, signal)[Symbol.asyncIterator]().return?.()
    expect(object.closed()).toBe(1)
  })

  it('leaves it to the reader once there is one', async () => {
    const controller = new AbortController()
    const object = content()
    const seen: number[] = []
    for await (const chunk of objectBody(object, controller.signal)) {
      controller.abort()
      seen.push(...chunk)
    }
    expect(seen).toEqual([1, 2])
    expect(object.closed()).toBe(0)
  })

  it('lets go when the client goes away before anyone reads', () => {
    const controller = new AbortController()
    const object = content()
    objectBody(object, controller.signal)
    controller.abort()
    expect(object.closed()).toBe(1)
    const late = content()
    objectBody(late, controller.signal)
    expect(late.closed()).toBe(1)
  })
})
