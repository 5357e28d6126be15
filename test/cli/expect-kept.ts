import { openStore } from 'varve'
import { expect } from 'vitest'

/** All these keys are in the bucket `photos` of a store that no process has open, and verify finds no divergence. */
export async function expectKept(dir: string, keys: readonly string[]): Promise<void> {
  const store = await openStore(dir, { create: false })
  const found = []
  for await (const entry of store.objects.list('photos')) if (entry.kind === 'object') found.push(entry.key)
  expect(found).toEqual(expect.arrayContaining([...keys]))
  expect(await store.verify()).toMatchObject({ ok: true })
  await store.close()
}
