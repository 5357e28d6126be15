/** Results of long work are in memory as a whole: their bytes are held in the budget of their identity until they were sent. */
import type { Store } from '@varve/core'
import { controlApi } from '@varve/http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFetchHandler, createIdentity, type FetchHandler, signRequest } from '../http.ts'
import { memoryStore } from '../store/memory-store.ts'

const keys = 200
const root = createIdentity({ name: 'root', accessKeyId: 'KEYroot', secretAccessKey: 'secret of root', root: true })
const by = { id: 'root', name: 'root' }

let store: Store
/** Where the bucket was empty. */
let empty: number
beforeEach(async () => {
  store = await memoryStore()
  await store.buckets.create('photos')
  empty = store.seq
  await store.buckets.setVersioning('photos', 'Enabled')
  await store.buckets.fork('photos', 'photos-try')
  for (let i = 0; i < keys; i++) {
    await store.objects.put('photos', `key-${i}`, 'x')
    await store.as({ by: { id: 'ann', name: 'ann' } }).objects.put('photos-try', `key-${i}`, 'y')
  }
})
afterEach(() => store.close())

type Row = (typeof controlApi)[keyof typeof controlApi]
type LinesRow = Extract<Row, { readonly gives: 'lines' }>

/** What each of them does with many keys. */
const works: Readonly<Record<string, { readonly input: () => object; readonly isDry?: true; readonly few?: true }>> = {
  restoreObjects: { input: () => ({ bucket: 'photos', to: empty }) },
  undoEvents: { input: () => ({ by: 'ann' }) },
  mergeFork: { input: () => ({ fork: 'photos-try', onConflict: 'skip' }) },
  eraseVersions: { input: () => ({ bucket: 'photos', prefix: 'key', live: true }) },
  verifyStore: { input: () => ({}), isDry: true, few: true },
}

/** Runs it, and tells what was held, how, and before which line. */
async function run(name: string, input: object) {
  const held: (readonly [how: string, bytes: number, lines: number])[] = []
  const results: string[] = []
  const note = (how: string) => (bytes: number) => void held.push([how, bytes, results.length])
  const holding = {
    hold: note('hold'),
    count: note('count'),
    holdFound: note('holdFound'),
    holdBody: () => undefined,
    isThrifty: true,
  }
  const row = controlApi[name as keyof typeof controlApi] as unknown as LinesRow
  const call = {
    store,
    context: { by },
    acting: store,
    view: store,
    input,
    holding,
    signal: new AbortController().signal,
  }
  const noBody = { body: (async function* () {})(), trailer: () => undefined }
  for await (const line of row.run({ ...call, ...noBody } as never) as AsyncIterable<object>)
    if (!('progress' in line)) results.push(JSON.stringify(Object.values(line)[0]))
  return { held, results }
}

describe('the result of long work', () => {
  it('is tried here for all operations that show their progress', () => {
    const shown = Object.entries(controlApi)
      .filter(([, { gives, method }]) => gives === 'lines' && method === 'POST')
      .filter(([, row]) => JSON.stringify(row.output.json ?? {}).includes('"progress"'))
      .map(([name]) => name)
    expect(shown.filter((name) => !Object.hasOwn(works, name))).toEqual([])
    expect(Object.keys(works).filter((name) => !shown.includes(name))).toEqual([])
  })

  it.each(
    Object.entries(works).flatMap(([name, { isDry }]) =>
      isDry ? [[name, true] as const] : ([true, false] as const).map((dry) => [name, dry] as const),
    ),
  )('of %s is held by its bytes before its first line (dry: %s)', async (name, isDry) => {
    const work = works[name] as (typeof works)[string]
    const { held, results } = await run(name, { ...work.input(), ...(work.isDry ? {} : { dryRun: isDry }) })
    if (work.few !== true) expect(results.length).toBeGreaterThan(keys)
    expect(held).toHaveLength(1)
    const [[how, bytes, before] = ['', 0, -1]] = held
    // What was done cannot be refused any more.
    expect([how, before]).toEqual([isDry ? 'holdFound' : 'count', 0])
    if (work.few === true) return
    const sent = results.reduce((sum, text) => sum + text.length, 0)
    expect(bytes / sent).toBeGreaterThan(0.9)
    expect(bytes / sent).toBeLessThan(1.5)
  })
})

describe('over HTTP', () => {
  const stream = 256 * 1024
  let handler: FetchHandler

  async function send(body: object): Promise<Response> {
    const text = JSON.stringify(body)
    const given = { method: 'POST', rawPath: '/-/v1/restore', headers: [['host', 'localhost']] } as const
    const { accessKeyId, secretAccessKey } = root
    const options = {
      accessKeyId,
      secretAccessKey,
      region: 'us-east-1',
      now: Date.now(),
      payloadHash: 'UNSIGNED-PAYLOAD',
    }
    const { headers } = signRequest(given, options)
    return handler(
      new Request('http://localhost/-/v1/restore', {
        method: 'POST',
        headers: [...headers] as [string, string][],
        body: text,
      }),
    )
  }

  it('a dry run is refused beside another answer if both do not fit, and never alone; a write never', async () => {
    const dry = { bucket: 'photos', to: empty, dryRun: true }
    const { held } = await run('restoreObjects', dry)
    const bytes = held[0]?.[1] ?? 0
    // One identity has half: two streams, and half a result.
    const answerBytesMax = 2 * (2 * stream + Math.floor(bytes / 2))
    handler = await createFetchHandler({ store, controlStore: () => store, identities: [root], answerBytesMax })
    const read = async (answer: Response) => [answer.status, (await answer.text()).includes('SlowDown')]
    expect(await read(await send(dry))).toEqual([200, false])
    const open = await send({ ...dry, keys: ['key-1'] })
    expect(open.status).toBe(200)
    expect(await read(await send(dry))).toEqual([503, true])
    expect(await read(await send({ ...dry, dryRun: false }))).toEqual([200, false])
    await open.body?.cancel()
    await expect
      .poll(async () => read(await send({ ...dry, to: empty + 1 })), { timeout: 30_000 })
      .toEqual([200, false])
  })
})
