/** Many edits and deletions of an agent: one call shows them, and one undoes them, byte for byte. */
import { expect, it } from 'vitest'
import { memoryStore } from '../../store/memory-store.ts'
import { connect, settings } from './connected.fixture.ts'

it('undoes 200 edits and deletions in a fork byte for byte', async () => {
  const store = await memoryStore({ retentionMs: 3_600_000 })
  const person = await connect(store)
  for (let i = 0; i < 60; i++) await person.call('write', { key: `n/${i}`, text: `note ${i}` })
  const contents = async (bucket: string): Promise<Readonly<Record<string, string>>> => {
    const found: Record<string, string> = {}
    for await (const entry of store.objects.list(bucket)) {
      if (entry.kind !== 'object') continue
      found[entry.key] = `${entry.versionId} ${await (await store.objects.get(bucket, entry.key)).text()}`
    }
    return found
  }
  const before = await contents(settings.bucket)
  const agent = await connect(store, { fork: true })
  const { bucket, from } = (await agent.call('status')).facts as unknown as { bucket: string; from: number }
  for (let i = 0; i < 200; i++) {
    const key = `n/${(i * 7) % 70}`
    if (i % 5 === 4 && (await store.objects.exists(bucket, key))) await agent.confirmed('delete', { key })
    else await agent.call('write', { key, text: `edit ${i}` })
  }
  expect(await contents(settings.bucket)).toEqual(before)
  const changed = await contents(bucket)
  const shown: string[] = []
  for await (const entry of store.diff({ bucket }, from, store.seq)) if ('key' in entry) shown.push(entry.key)
  const differs = new Set(
    [...Object.keys(before), ...Object.keys(changed)].filter((key) => before[key] !== changed[key]),
  )
  expect(shown).toEqual([...differs].sort())
  await store.undo({ by: agent.actor, inParts: true })
  expect(await contents(bucket)).toEqual(before)
  expect(await contents(settings.bucket)).toEqual(before)
  await store.close()
})
