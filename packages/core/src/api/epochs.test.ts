import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOf, list } from './answers.fixture.ts'
import { Client, commands, type Held } from './branch-client.fixture.ts'
import { beginEpoch, newEpoch } from './begin-epoch.ts'
import { begin, by, copyOf } from './branches.fixture.ts'
import type { EngineStore } from './engine-store.ts'
import { memoryJournal, type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import { tipAt } from '../events/log.ts'
import { describeKey } from '../views/describe-key.ts'
import { salvage } from '../repair/salvage.ts'
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
    store
      .at(store.seq)
      .then((past) => past.versions.head('box', key, versionId))
      .then((head) => head.versionId),
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
      { numRuns: 30 },
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
      { numRuns: 30 },
    )
  })
})

describe('an epoch', () => {
  const textOf = async ({ store }: Branch, versionId: string) =>
    (await store.versions.get('box', 'k', versionId)).text()

  it('is an event with its reason and its source, and every later event carries it', async () => {
    const { store, ports } = await newStore()
    const from = await tipAt(ports, store.seq)
    const begun = await begin(store, ports)
    expect(begun).toMatchObject({ type: 'EpochBegun', by, data: { from, reason: 'restored', source: 'offsite' } })
    expect(begun.data.epoch).toMatch(/^[0-9a-hjkmnp-tv-z]{8}$/)
    await store.objects.put('box', 'k', 'in it')
    const epochs = (await list(store.log())).map(({ type, epoch }) => [type, epoch])
    expect(epochs.slice(-2)).toEqual([
      ['EpochBegun', undefined],
      ['VersionAdded', begun.data.epoch],
    ])
  })

  it('begins at the end of the log only, and nothing is changed otherwise', async () => {
    const { store, ports } = await newStore()
    await store.objects.put('box', 'k', 'v')
    const end = await tipAt(ports, store.seq)
    const earlier = await tipAt(ports, store.seq - 1)
    for (const from of [earlier, { ...end, seq: end.seq + 1 }, { ...end, hash: earlier.hash }, { seq: 0, hash: '' }]) {
      const beginning = beginEpoch(store.owner, ports.ids, { from, reason: 'promoted', by })
      await expect(beginning).rejects.toMatchObject({ code: 'EpochConflict', details: { end: end.seq } })
    }
    const twice = [1, 2].map(() => codeOf(beginEpoch(store.owner, ports.ids, { from: end, reason: 'promoted', by })))
    expect(await Promise.all(twice)).toEqual(['no error', 'EpochConflict'])
    expect(store.seq).toBe(end.seq + 1)
  })

  it('is never one that the log has had, and nothing but an epoch', async () => {
    const { store, ports } = await newStore()
    const { data } = await begin(store, ports)
    for (const epoch of [data.epoch, '', 'iiiiiiii', '0'.repeat(9), 7]) {
      const from = await tipAt(ports, store.seq)
      const command = { epoch, from, reason: 'restored' } as never
      const meta = { by, requestId: 'r' }
      expect(await codeOf(store.owner.submit({ type: 'BeginEpoch', data: command, meta }))).toBe('InvalidArgument')
    }
  })

  it('stays with the ids through openings, rebuilt views and undone removals', async () => {
    const branch = await restored(await newStore())
    const { store } = branch
    const { versionId } = await store.objects.put('box', 'k', 'in it')
    expect(versionId).toMatch(/^v\w{23}$/)
    await store.versions.delete('box', 'k', versionId)
    await store.undo({ from: store.seq - 1 })
    await store.rebuild()
    expect(await textOf(branch, versionId)).toBe('in it')
    await store.close()
    const again = (await openEngine(branch.ports, options)) as EngineStore
    expect(await textOf({ ...branch, store: again }, versionId)).toBe('in it')
    expect((await again.objects.put('box', 'k', 'later')).versionId.slice(13, 21)).toBe(versionId.slice(13, 21))
    expect((await again.verify({ scratch: memoryJournal() })).divergences).toEqual([])
  })

  it('is that of each event in a store with several, and ids of an epoch in between name nothing after it is lost', async () => {
    const base = await newStore()
    const first = await base.store.objects.put('box', 'k', 'before')
    const one = await restored(base)
    const lost = await one.store.objects.put('box', 'k', 'lost')
    const two = await restored(base)
    const second = await two.store.objects.put('box', 'k', 'second')
    const three = await restored(two)
    const third = await three.store.objects.put('box', 'k', 'third')
    for (const [id, text] of [
      [first.versionId, 'before'],
      [second.versionId, 'second'],
      [third.versionId, 'third'],
    ] as const)
      expect(await textOf(three, id)).toBe(text)
    expect(await codeOf(textOf(three, lost.versionId))).toBe('NoSuchVersion')
    expect((await listed(three)).map(([, id]) => id)).toEqual([third, second, first].map(({ versionId }) => versionId))
  })

  it('removes nothing by an id of the lost branch', async () => {
    const base = await newStore()
    const branch = await restored(base)
    await base.store.objects.put('box', 'k', 'lost')
    const { versionId } = await base.store.objects.put('box', 'k', 'lost too')
    await branch.store.objects.put('box', 'k', 'kept')
    const { seq } = branch.store
    expect(await branch.store.versions.delete('box', 'k', versionId)).toMatchObject({ deleteMarker: false })
    const targets = [{ key: 'k', versionId }]
    expect(await branch.store.objects.deleteMany('box', targets)).toMatchObject([{ result: { deleteMarker: false } }])
    const erasing = branch.store.erase({ bucket: 'box', key: 'k', versions: [versionId], live: true })
    expect(await codeOf(erasing)).toBe('NoSuchVersion')
    expect(branch.store.seq).toBe(seq)
  })

  it('leaves ids of null versions as they are', async () => {
    const base = await newStore()
    await base.store.objects.put('copies', 'k', 'before')
    const branch = await restored(base)
    expect(await (await branch.store.versions.get('copies', 'k', 'null')).text()).toBe('before')
    expect((await branch.store.objects.put('copies', 'k', 'after')).versionId).toBe('null')
    expect(await (await branch.store.versions.get('copies', 'k', 'null')).text()).toBe('after')
  })

  it('is seen by forks, by the past and in transactions', async () => {
    const branch = await restored(await newStore())
    const { store } = branch
    const { versionId, seq } = await store.objects.put('box', 'k', 'in it')
    await store.buckets.fork('box', 'fork')
    const past = await store.at(seq)
    for (const read of [store, past]) expect((await read.versions.head('box', 'k', versionId)).seq).toBe(seq)
    expect((await store.versions.head('fork', 'k', versionId)).versionId).toBe(versionId)
    await store.objects.annotate('fork', 'k', { kind: 'tags', value: [{ key: 'a', value: 'b' }] }, { versionId })
    expect((await store.objects.annotations('fork', 'k', { versionId })).versionId).toBe(versionId)
    await store.transaction(async (transaction) => {
      const own = await transaction.objects.put('box', 'k', 'its own')
      expect((await transaction.versions.head('box', 'k', own.versionId)).size).toBe(7)
      await transaction.versions.delete('box', 'k', own.versionId)
      await transaction.versions.delete('box', 'k', versionId)
    })
    expect(await listed(branch)).toEqual([])
  })

  it('lists the uploads of a key again after one of the lost branch, and goes on after one from before', async () => {
    const base = await newStore()
    const before = await base.store.uploads.create('box', 'a')
    const branch = await restored(base)
    await base.store.buckets.create('other')
    const lost = await base.store.uploads.create('box', 'a')
    const after = [await branch.store.uploads.create('box', 'a'), await branch.store.uploads.create('box', 'b')]
    const idsAfter = async ({ uploadId }: UploadRef) => {
      const { entries } = await branch.store.uploads.listPage('box', { keyMarker: 'a', uploadIdMarker: uploadId })
      return entries.map((entry) => 'uploadId' in entry && entry.uploadId)
    }
    const ids = after.map(({ uploadId }) => uploadId)
    expect(await idsAfter(before)).toEqual(ids)
    expect(await idsAfter(lost)).toEqual([before.uploadId, ...ids])
    for await (const { type, seq, epoch } of branch.store.log()) {
      if (type !== 'UploadStarted' || epoch === undefined) continue
      expect(ids).toContain(
        await branch.store.uploads.idOf({ bucket: 'box', key: 'a', upload: seq, epoch }).catch(String),
      )
      break
    }
  })

  it('completes an upload of its own twice, and never one of another branch', async () => {
    const base = await newStore()
    const branch = await restored(base)
    await base.store.buckets.create('other')
    const complete = async ({ store }: Branch, upload: UploadRef, etag: string) =>
      codeOf(store.uploads.complete(upload, [{ partNumber: 1, etag }], { repeatable: true }))
    const [own, lost] = [await branch.store.uploads.create('box', 'k'), await base.store.uploads.create('box', 'k')]
    const { etag } = await branch.store.uploads.uploadPart(own, 1, 'x')
    await base.store.uploads.uploadPart(lost, 1, 'x')
    for (let time = 0; time < 2; time++) {
      expect(await complete(branch, own, etag)).toBe('no error')
      expect(await complete(branch, lost, etag)).toBe('NoSuchUpload')
    }
  })

  it('is learned by the other engines on the journal', async () => {
    const ports = { ...memoryPorts(), secret }
    ports.journal.exclusive = false
    const [one, two] = [await openEngine(ports, options), await openEngine(ports, options)]
    await one.buckets.create('box', { versioning: 'Enabled' })
    await two.objects.put('box', 'k', 'before')
    const { data } = await begin(one, ports)
    const put = await two.objects.put('box', 'k', 'after')
    expect(put.versionId.slice(13, 21)).toBe(data.epoch)
    expect((await one.versions.head('box', 'k', put.versionId)).seq).toBe(put.seq)
    await two.close()
    await one.close()
  })

  it('stays with its ids in a log that is salvaged without the event that began it', async () => {
    const branch = await restored(await newStore())
    const { store, ports } = branch
    const begun = store.seq
    const { versionId } = await store.objects.put('box', 'k', 'in it')
    await store.close()
    const into = memoryJournal()
    const doubted = new Set([begun])
    const lost = await salvage({
      from: ports.journal,
      into,
      hashing: ports.hashing,
      soundTo: 0,
      doubted,
      to: begun + 1,
    })
    expect(lost.lost).toMatchObject([{ seq: begun, type: 'EpochBegun' }].map(({ seq }) => ({ seq })))
    const again = (await openEngine({ ...ports, journal: into }, options)) as EngineStore
    expect(await textOf({ ...branch, store: again }, versionId)).toBe('in it')
    expect((await again.objects.put('box', 'k', 'later')).versionId.slice(13, 21)).toBe(versionId.slice(13, 21))
    expect((await again.verify({ scratch: memoryJournal() })).divergences).toEqual([])
  })

  it('begins where a salvaged log lost its end, and no id of a lost event is given out again', async () => {
    const { store, ports } = await newStore()
    const before = await store.objects.put('box', 'k', 'before')
    const to = store.seq
    const lost = await store.objects.put('box', 'k', 'lost')
    await store.close()
    const into = memoryJournal()
    const epoch = newEpoch(ports.ids)
    await salvage({ from: ports.journal, into, hashing: ports.hashing, soundTo: to, doubted: new Set(), to, epoch })
    const again = (await openEngine({ ...ports, journal: into }, options)) as EngineStore
    expect((await list(again.log())).at(-1)).toMatchObject({ type: 'EpochBegun', data: { epoch, reason: 'salvaged' } })
    const salvaged = { ports, store: again }
    expect(await textOf(salvaged, before.versionId)).toBe('before')
    expect(await codeOf(textOf(salvaged, lost.versionId))).toBe('NoSuchVersion')
    expect((await again.objects.put('box', 'k', 'later')).versionId.slice(13, 21)).toBe(epoch)
    expect((await again.verify({ scratch: memoryJournal() })).divergences).toEqual([])
  })

  it('is in the ids that name damage', async () => {
    const { store, ports } = await restored(await newStore())
    const { versionId } = await store.objects.put('box', 'k', 'more than eight bytes')
    ports.blobs.bytes.clear()
    for (const [name, [key, frame]] of ports.journal.rows) {
      if (describeKey(key).table === 'version') ports.journal.rows.set(name, [key, frame.with(9, 0xff)])
    }
    const { divergences } = await store.verify({ scratch: memoryJournal() })
    const named = divergences.filter(({ of }) => of?.versionId !== undefined)
    expect(named.map(({ kind, of }) => [kind, of?.versionId])).toEqual([
      ['RowCorrupt', versionId],
      ['BlobMissing', versionId],
    ])
  })
})
