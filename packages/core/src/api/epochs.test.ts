import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { Client, commands, type Held } from './branch-client.fixture.ts'
import { begin, copyOf } from './branches.fixture.ts'
import type { EngineStore } from './engine-store.ts'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { UploadRef } from './types/index.ts'

const secret = { read: async () => new Uint8Array(32) }
const options = { inlineMax: 8, retentionMs: 1_000_000 }

interface Branch {
  readonly ports: MemoryPorts
  readonly store: EngineStore
}

async function newStore(): Promise<Branch> {
  const ports = { ...memoryPorts(), secret }
  const store = (await openEngine(ports, options)) as EngineStore
  await store.buckets.create('box', { versioning: 'Enabled' })
  await store.buckets.create('copies')
  return { ports, store }
}

/** The store as it is now, restored elsewhere. */
async function restored({ ports: from }: Branch): Promise<Branch> {
  const ports = copyOf(from)
  const store = (await openEngine(ports, options)) as EngineStore
  await begin(store, ports)
  return { ports, store }
}

/** What uses of a version id show: the text of the object, the id, or a code. */
function usesOf({ store }: Branch, { key }: Held, versionId: string): Promise<readonly unknown[]> {
  const { objects, versions } = store
  const uses = [
    versions.get('box', key, versionId).then((object) => object.text()),
    versions.head('box', key, versionId).then((head) => head.versionId),
    store.at(store.seq).then((past) => past.versions.head('box', key, versionId)).then((head) => head.versionId),
    objects.annotations('box', key, { versionId }).then((annotated) => annotated.versionId),
    objects.copy({ bucket: 'box', key, versionId }, 'copies', key).then((copied) => copied.sourceVersionId),
    objects.annotate('box', key, { kind: 'tags' }, { versionId }).then((annotated) => annotated.versionId),
  ]
  return Promise.all(uses.map((use) => use.catch((error: { readonly code: string }) => error.code)))
}

const usesOfUpload = ({ store: { uploads } }: Branch, upload: UploadRef): Promise<readonly unknown[]> =>
  Promise.all([
    codeOf(uploads.head(upload)),
    codeOf(uploads.listPartsPage(upload)),
    codeOf(uploads.uploadPart(upload, 2, 'x')),
    codeOf(uploads.copyPart(upload, 3, { bucket: 'copies', key: 'source' })),
    codeOf(uploads.complete(upload, [{ partNumber: 1, etag: '0'.repeat(32) }], { repeatable: true })),
    codeOf(uploads.abort(upload)),
  ])

const six = (value: unknown): readonly unknown[] => Array.from({ length: 6 }, () => value)

/** What an id shows in the branch of a client that may hold it. */
function expected(client: Client, id: string): readonly unknown[] {
  const held = client.versions.get(id)
  if (held === undefined || client.removed.has(id)) return six('NoSuchVersion')
  return held.body === undefined ? [] : [held.body, ...six(id).slice(1)]
}

type Line = readonly [key: string, versionId: string]

/** The versions that a listing shows from the markers on. */
async function listed({ store }: Branch, keyMarker = '', versionIdMarker = ''): Promise<readonly Line[]> {
  const lines: Line[] = []
  let markers = { keyMarker, versionIdMarker }
  for (;;) {
    const { entries, last } = await store.versions.listPage('box', { ...markers, limit: 2 })
    for (const entry of entries) if (entry.kind !== 'prefix') lines.push([entry.key, entry.versionId])
    if (last === undefined) return lines
    markers = { keyMarker: last.key, versionIdMarker: last.versionId ?? '' }
  }
}

describe('two branches of one log', () => {
  it('never show what the other has by its ids, and show the same by those from before', async () => {
    const histories = fc.tuple(commands, commands, commands, fc.boolean())
    await fc.assert(
      fc.asyncProperty(histories, async ([before, lost, kept, isSecond]) => {
        const base = await newStore()
        if (isSecond) await begin(base.store, base.ports)
        await base.store.objects.put('copies', 'source', 'source')
        const prefix = new Client(base.store, 'before')
        await prefix.run(before)
        const branch = await restored(base)
        const [first, second] = [new Client(base.store, 'lost', prefix), new Client(branch.store, 'kept', prefix)]
        await first.run(lost)
        await second.run(kept)
        for (const [holder, user, other] of [
          [first, second, branch],
          [second, first, base],
        ] as const) {
          for (const [id, held] of holder.versions) {
            const wanted = expected(user, id)
            const shown = await usesOf(other, held, id)
            if (wanted.length > 0) expect(shown, id).toEqual(wanted)
            else expect(shown.slice(0, 2), id).toEqual(['MethodNotAllowed', 'MethodNotAllowed'])
          }
          for (const [id, upload] of holder.uploads) {
            if (user.uploads.has(id)) expect(await codeOf(other.store.uploads.head(upload))).toBe('no error')
            else expect(await usesOfUpload(other, upload), id).toEqual(six('NoSuchUpload'))
          }
        }
        expect((await branch.store.verify()).ok).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('continue a listing of the other: where it was from before, and with the whole key otherwise', async () => {
    await fc.assert(
      fc.asyncProperty(commands, commands, commands, async (before, lost, kept) => {
        const base = await newStore()
        const prefix = new Client(base.store, 'before')
        await prefix.run(before)
        const branch = await restored(base)
        const first = new Client(base.store, 'lost', prefix)
        await first.run(lost)
        await new Client(branch.store, 'kept', prefix).run(kept)
        const all = await listed(branch)
        for (const [id, { key }] of first.versions) {
          const isLost = !prefix.versions.has(id)
          const rest = all.filter(([other, its]) => other > key || (other === key && (isLost || its < id)))
          expect(await listed(branch, key, id), id).toEqual(rest)
        }
      }),
      { numRuns: 60 },
    )
  })
})
