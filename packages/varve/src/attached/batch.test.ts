/** Batches: many commands with conditions in one request and one commit. */
import type { Store } from '@varve/core'
import { controlApi } from '@varve/http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ControlClient } from '../control/control-client.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { connected } from './connect.ts'

type Commands = Parameters<typeof controlApi.runBatch.run>[0]['input']['commands']

const scratch = scratchDirectory()
let store: Store
let client: ControlClient

beforeEach(async () => {
  store = await openStore(scratch.next())
  await store.buckets.create('photos', { versioning: 'Enabled' })
  client = (await connected(store.dir ?? '')) as ControlClient
})
afterEach(async () => {
  await client.close()
  await store.close()
})

const at = { bucket: 'photos' } as const
const run = (commands: Commands) => client.as({ requestId: 'batch' }).value(controlApi.runBatch, { commands })
const textOf = async (key: string) => (await store.objects.get('photos', key)).text()

describe('a batch', () => {
  it('does all of its commands in one commit, and answers each', async () => {
    const { versionId } = await store.objects.put('photos', 'old', 'old')
    const before = store.seq
    const source = { ...at, key: 'old' }
    const { results, seq } = await run([
      { type: 'put', ...at, key: 'a', text: 'hello', contentType: 'text/plain', ifNoneMatch: '*' },
      { type: 'put', ...at, key: 'bytes', base64: new Uint8Array([0, 255]) },
      { type: 'copy', ...at, key: 'copy', source },
      { type: 'annotate', ...at, key: 'a', annotation: { kind: 'tags', value: [{ key: 'k', value: 'v' }] } },
      { type: 'delete', ...at, key: 'old', expected: versionId },
      { type: 'setting', ...at, kind: 'Tags', value: [{ key: 'k', value: 'v' }] },
      { type: 'check', ...at, key: 'none', expected: null },
    ])
    expect(seq).toBe(store.seq)
    expect(await textOf('a')).toBe('hello')
    expect(await store.objects.head('photos', 'a')).toMatchObject({ contentType: 'text/plain', tagCount: 1 })
    expect([...(await (await store.objects.get('photos', 'bytes')).bytes())]).toEqual([0, 255])
    expect(await store.buckets.settings.get('photos', 'Tags')).toEqual([{ key: 'k', value: 'v' }])
    // The ids in the answer are those of the store.
    for (const [index, key] of [
      [0, 'a'],
      [1, 'bytes'],
      [2, 'copy'],
    ] as const)
      expect(results[index]?.versionId).toBe((await store.objects.head('photos', key)).versionId)
    const [marker] = (await store.versions.listPage('photos', { prefix: 'old' })).entries
    expect(marker).toMatchObject({ kind: 'marker', versionId: results[4]?.versionId })
    expect(results[4]).toMatchObject({ deleteMarker: true })
    const requests = new Set<string>()
    for await (const { requestId } of store.log({ from: before + 1 })) requests.add(requestId)
    expect([...requests]).toEqual(['batch'])
  })

  it.each([
    ['a condition', { type: 'put', ...at, key: 'there', text: 'new', ifNoneMatch: '*' }, 'PreconditionFailed'],
    ['an expected version', { type: 'delete', ...at, key: 'there', expected: 'other' }, 'PreconditionFailed'],
    ['an expected absence', { type: 'check', ...at, key: 'there', expected: null }, 'PreconditionFailed'],
    ['a bucket', { type: 'put', bucket: 'absent', key: 'a' }, 'NoSuchBucket'],
    ['two bodies', { type: 'put', ...at, key: 'a', text: '', base64: new Uint8Array(1) }, 'InvalidArgument'],
  ] as const)('changes nothing when %s refuses a command, and names it', async (_, command, code) => {
    await store.objects.put('photos', 'there', 'old')
    const { seq } = store
    const refused = run([{ type: 'put', ...at, key: 'first', text: 'x' }, command])
    await expect(refused).rejects.toMatchObject({ code, details: { index: 1 } })
    expect(store.seq).toBe(seq)
    expect(await textOf('there')).toBe('old')
  })

  it('sees the commands before each command', async () => {
    const { results } = await run([
      { type: 'put', ...at, key: 'a', text: 'one' },
      { type: 'copy', ...at, key: 'b', source: { ...at, key: 'a' } },
      { type: 'delete', ...at, key: 'a' },
    ])
    expect(results).toMatchObject([{ size: 3 }, { size: 3 }, { deleteMarker: true }])
    expect(await textOf('b')).toBe('one')
    await expect(textOf('a')).rejects.toMatchObject({ code: 'NoSuchKey' })
  })

  it('refuses more than 250 commands, and commands of no kind', async () => {
    const many = Array.from({ length: 251 }, (_, i) => ({ type: 'put', ...at, key: `k${i}` }) as const)
    await expect(run(many)).rejects.toMatchObject({ code: 'InvalidArgument' })
    expect((await run(many.slice(0, 250))).results).toHaveLength(250)
    await expect(run([{ type: 'move', ...at, key: 'a' } as never])).rejects.toMatchObject({ code: 'InvalidArgument' })
  })

  it('takes turns with other writers, so that no update of a counter is lost', async () => {
    await store.objects.put('photos', 'counter', '0')
    const add = async (): Promise<void> => {
      for (;;) {
        const { versionId } = await store.objects.head('photos', 'counter')
        const value = await (await store.versions.get('photos', 'counter', versionId)).text()
        const text = String(Number(value) + 1)
        const added = await run([{ type: 'put', ...at, key: 'counter', text, expected: versionId }]).catch(
          ({ code }: { readonly code: string }) => code,
        )
        if (added !== 'PreconditionFailed') return
      }
    }
    await Promise.all(Array.from({ length: 8 }, add))
    expect(await textOf('counter')).toBe('8')
  })
})
