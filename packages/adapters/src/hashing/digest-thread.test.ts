import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { CryptographicAlgorithm, DigestsBeside } from '@varve/core'
import { afterEach, describe, expect, it } from 'vitest'
import { slotBytes } from './digest-ring.ts'
import { digestThreadSource } from './digest-thread-source.ts'
import { DigestThread } from './digest-thread.ts'

const all = ['SHA256', 'MD5', 'SHA512', 'SHA1'] as const
const mib = 1024 * 1024
/** A second's work for a thread, and soon given: pages that were never written. */
const endless = Buffer.alloc(512 * mib)

/** Node's digests of the same bytes. */
const expected = (bytes: Uint8Array, algorithms: readonly CryptographicAlgorithm[]) =>
  new Map(algorithms.map((name) => [name, createHash(name).update(bytes).digest('hex')]))
const inHex = (digests: ReadonlyMap<CryptographicAlgorithm, Uint8Array>) =>
  new Map([...digests].map(([name, digest]) => [name, Buffer.from(digest).toString('hex')]))

/** Cuts it at chance places, at odd addresses, in a buffer that is filled anew for each chunk. */
async function feed(stream: DigestsBeside, bytes: Uint8Array, chunkMax: number): Promise<void> {
  const buffer = new Uint8Array(chunkMax + 8)
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + Math.floor(Math.random() * (chunkMax + 1)))
    const chunk = buffer.subarray(at % 8, (at % 8) + piece.length)
    chunk.set(piece)
    await stream.update(chunk)
    buffer.fill(0)
    at += piece.length
  }
}

const threads: DigestThread[] = []
const nothing = () => undefined

async function startThread(): Promise<DigestThread> {
  let ready: () => void
  const started = new Promise<void>((resolve) => (ready = resolve))
  const thread = new DigestThread({ onReady: () => ready(), onIdle: nothing, onEnd: nothing })
  threads.push(thread)
  // An idle thread does not keep the process running.
  const alive = setInterval(nothing, 1000)
  await started
  clearInterval(alive)
  return thread
}

afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.end()
})

describe('a digest thread', () => {
  it('makes the digests Node makes, however the bytes are cut', async () => {
    const thread = await startThread()
    for (const algorithms of [all, ['MD5'], ['SHA1', 'SHA256']] as const) {
      for (const size of [0, 1, 1000, slotBytes, 3 * mib + 7]) {
        const bytes = randomBytes(size)
        const stream = thread.open(algorithms)
        await feed(stream, bytes, 2 * slotBytes)
        expect(inHex(await stream.finish())).toEqual(expected(bytes, algorithms))
      }
    }
    expect(thread.load).toBe(0)
  })

  it('takes a chunk that is longer than all its room', async () => {
    const thread = await startThread()
    const bytes = randomBytes(5 * mib)
    const streams = Array.from({ length: 3 }, () => thread.open(['MD5']))
    await Promise.all(streams.map(async (stream) => stream.update(bytes)))
    for (const stream of streams) expect(inHex(await stream.finish())).toEqual(expected(bytes, ['MD5']))
  })

  it('keeps many streams apart that all want room at once', async () => {
    const thread = await startThread()
    const bodies = Array.from({ length: 200 }, (_, i) => randomBytes(i * 997))
    const digests = bodies.map(async (bytes, i) => {
      const stream = thread.open([all[i % all.length] as CryptographicAlgorithm])
      await feed(stream, bytes, slotBytes)
      return inHex(await stream.finish())
    })
    expect(await Promise.all(digests)).toEqual(
      bodies.map((bytes, i) => expected(bytes, [all[i % all.length] as 'MD5'])),
    )
    expect([thread.load, thread.crowded]).toEqual([0, false])
  })

  it('goes on for others when a stream is abandoned, wherever it was', async () => {
    const thread = await startThread()
    const bytes = randomBytes(3 * mib)
    const [idle, waiting, finishing, kept] = [1, 2, 3, 4].map(() => thread.open(['MD5'])) as [
      DigestsBeside,
      DigestsBeside,
      DigestsBeside,
      DigestsBeside,
    ]
    const given = [waiting.update(endless), finishing.finish()].map((outcome) =>
      expect(outcome).rejects.toMatchObject({ code: 'InternalError' }),
    )
    const late = kept.update(bytes)
    for (const stream of [idle, waiting, finishing, waiting]) stream.abandon()
    expect(thread.load).toBe(1)
    await Promise.all(given)
    await late
    expect(inHex(await kept.finish())).toEqual(expected(bytes, ['MD5']))
    expect([thread.load, thread.crowded]).toEqual([0, false])
  })

  it('that ends fails digests that are open, waiting or requested later', async () => {
    const thread = await startThread()
    const [idle, waiting] = [thread.open(['MD5']), thread.open(['MD5'])]
    const failure = { name: 'StorageError', code: 'InternalError', message: expect.stringContaining('has ended') }
    const failed = expect(waiting.update(endless)).rejects.toMatchObject(failure)
    await thread.end()
    await failed
    await expect(waiting.finish()).rejects.toMatchObject(failure)
    await expect(idle.update(new Uint8Array(1))).rejects.toMatchObject(failure)
    await expect(idle.finish()).rejects.toMatchObject(failure)
    idle.abandon()
    expect([thread.load, thread.crowded]).toEqual([0, false])
  })
})

describe('a process', () => {
  it('ends by itself though a digest thread of it sleeps', async () => {
    const workerData = `{ shared: new SharedArrayBuffer(1024), slots: 32, slotStride: 8, dataAt: 528, names: [] }`
    const code = `const { Worker } = require('node:worker_threads')
      const options = { eval: true, workerData: ${workerData}, execArgv: [], env: {} }
      const worker = new Worker(${JSON.stringify(digestThreadSource)}, options)
      worker.once('message', () => { worker.unref(); process.exitCode = 7 })`
    const child = spawn(process.execPath, ['--eval', code], { stdio: ['ignore', 'inherit', 'inherit'] })
    expect(await once(child, 'exit')).toEqual([7, null])
  })
})
