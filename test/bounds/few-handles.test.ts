/**
 * A server that may open 64 files at once, with many more clients than that. A request that finds no free handle is
 * refused with a code. The store continues, and keeps every acknowledged write.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { TestService, type Reply } from './support/test-service.ts'
import { measured, sized, report } from './support/forms.ts'
import { measure } from './support/library-process.ts'
import { handlesMax, unlimitable } from './support/limit-handles.ts'
import { noise, noiseCheck } from './support/noise.ts'
import { bucket, type Scene, servedScene } from './support/served-scene.ts'

const preload = new URL('../dist/bounds/support/with-few-handles.js', import.meta.url).href
const clients = 100
const rounds = sized(2, 60)
const partBytes = 5 * 2 ** 20

const limited = (promise: string, keeps: () => Promise<void>) => measured(promise, keeps, unlimitable)

/** What may be answered for want of a handle. */
const refusals = new Set(['503 SlowDown'])

describe(`a process with ${handlesMax} handles`, () => {
  limited('refuses uploads beyond them, and stores the rest', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'varve-handles-'))
    const { output } = await measure('more at once than there are handles', directory, 200, preload)
    expect(output).toEqual({ refused: true, lost: 0, state: 'open', some: true })
    await rm(directory, { recursive: true })
  })
})

describe(`a server with ${handlesMax} handles`, () => {
  let scene: Scene
  const outcomes = new Map<string, number>()
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  /** What was acknowledged: the number of the body, and its size. */
  const acknowledged = new Map<string, { readonly seed: number; readonly size: number }>()
  const doubtful = new Set<string>()

  beforeAll(async () => {
    if (unlimitable === undefined) scene = await servedScene({ preload, connections: clients })
  })
  afterAll(() => scene?.close())

  /** The answer; `undefined` when the connection was not taken or was cut. */
  async function ask(line: string, options: Parameters<TestService['send']>[1] = {}): Promise<Reply | undefined> {
    try {
      const reply = await scene.service.send(line, options)
      const outcome = reply.status < 300 && reply.code === undefined ? 'done' : `${reply.status} ${reply.code ?? ''}`
      count(outcome)
      return outcome === 'done' ? reply : undefined
    } catch (error) {
      count((error as NodeJS.ErrnoException).code ?? String(error))
      return undefined
    }
  }

  async function put(key: string, seed: number, size: number): Promise<void> {
    doubtful.add(key)
    const reply = await ask(`PUT /${bucket}/${key}`, { body: [...noise(size, seed)] })
    if (reply === undefined) return
    doubtful.delete(key)
    acknowledged.set(key, { seed, size })
  }

  async function multipart(key: string, seed: number): Promise<void> {
    const target = `/${bucket}/${key}`
    const created = await ask(`POST ${target}?uploads=`)
    const id = /<UploadId>(.*?)<\/UploadId>/.exec(created?.body.toString() ?? '')?.[1]
    if (id === undefined) return
    const part = await ask(`PUT ${target}?partNumber=1&uploadId=${id}`, { body: [...noise(partBytes, seed)] })
    const tag = part?.headers['etag']
    if (tag === undefined) return void (await ask(`DELETE ${target}?uploadId=${id}`))
    doubtful.add(key)
    const document = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${String(tag)}</ETag></Part></CompleteMultipartUpload>`
    const done = await ask(`POST ${target}?uploadId=${id}`, { body: [Buffer.from(document)] })
    if (done === undefined) return
    doubtful.delete(key)
    acknowledged.set(key, { seed, size: partBytes })
  }

  async function client(id: number, round: number): Promise<void> {
    const seed = id * 1000 + round
    await put(`small/${id}`, seed, 2000)
    await put(`large/${id}`, seed, 200_000)
    await ask(`GET /${bucket}/large/${(id + 1) % clients}`)
    await ask(`GET /${bucket}?list-type=2`)
    await ask(`PUT /${bucket}/copy/${id}`, { headers: { 'x-amz-copy-source': `/${bucket}/large/${id}` } })
    await ask(`DELETE /${bucket}/copy/${id}`)
    if (id % 25 === 0) await multipart(`parts/${id}`, seed)
  }

  limited('refuses some, loses nothing, and never stops', async () => {
    for (let round = 0; round < rounds; round++) {
      await Promise.all(Array.from({ length: clients }, (_, id) => client(id, round)))
    }
    report(
      `${clients} clients on ${handlesMax} handles: ${[...outcomes].map(([what, times]) => `${what} ${times}`).join(', ')}`,
    )
    const coded = [...outcomes.keys()].filter((outcome) => /^\d/.test(outcome) && !outcome.startsWith('404'))
    expect(coded.filter((outcome) => !refusals.has(outcome))).toEqual([])
    expect(outcomes.get('done') ?? 0).toBeGreaterThan(clients)
    expect(scene.served.failures(), 'the store never failed').toBe(0)
  })

  limited('has all it acknowledged when the rush is over', async () => {
    scene.service.close()
    const service = new TestService(scene.served, { connections: 4 })
    // The handles of the connections just dropped come back a little later.
    await expect
      .poll(() => service.send(`HEAD /${bucket}`).then(({ status }) => status, String), { timeout: 10_000 })
      .toBe(200)
    let compared = 0
    for (const [key, { seed, size }] of acknowledged) {
      if (doubtful.has(key)) continue
      const check = noiseCheck(size, seed)
      await service.expect(`GET /${bucket}/${key}`, { onChunk: check.take })
      expect(check.isRight(), key).toBe(true)
      compared++
    }
    expect(compared).toBeGreaterThan(0)
    await service.expect(`PUT /${bucket}/after`, { body: [...noise(100_000)] })
    expect((await scene.files()).tmp).toBe(0)
    expect(await scene.openBlobs()).toEqual([])
    service.close()
  })
})
