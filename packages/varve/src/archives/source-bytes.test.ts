/** Streams of archives that break the rules of iterators are refused with a coded error. */
import { describe, expect, it } from 'vitest'
import { isStorageError, memoryStore } from '../index.ts'
import { importArchive, verifyArchive } from './archives.ts'

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'accepted',
    (error: unknown) => (isStorageError(error) ? error.code : error),
  )

const answers: readonly unknown[] = [5, null, undefined, 'text', true, () => undefined]
const iterating = (iterator: unknown) => ({ [Symbol.asyncIterator]: () => iterator })

const broken = [
  ...answers.map((answer) => ['next', iterating({ next: async () => answer })] as const),
  ...answers.map((answer) => ['next at once', iterating({ next: () => answer })] as const),
  ...answers.map((iterator) => ['iterator', iterating(iterator)] as const),
  ...[5, null, 'text', {}].map((value) => ['chunk', iterating({ next: () => ({ done: false, value }) })] as const),
  ...[5, null, undefined, {}].map((method) => ['method', { [Symbol.asyncIterator]: method }] as const),
]

describe('a stream of an archive with a broken', () => {
  it.each(broken)('%s is an invalid argument', async (_, source) => {
    const store = await memoryStore()
    const before = store.seq
    expect(await codeOf(verifyArchive(source as never))).toBe('InvalidArgument')
    expect(await codeOf(importArchive(store, source as never))).toBe('InvalidArgument')
    expect(store.seq).toBe(before)
    await store.close()
  })
})
