/** Clients that go away in the middle: a second later nothing of theirs is left, and nothing they read is kept. */
import type { ClientRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { measured, mib, sized, report } from './support/forms.ts'
import { noise, noiseStream } from './support/noise.ts'
import { unmeasurable } from './support/process-figures.ts'
import { bucket, type Scene, servedScene, within } from './support/served-scene.ts'

const clients = sized(20, 200)
/** More than the buffers of two sockets hold, so that a client that stops reading holds up the server. */
const size = 24 * mib
/** Enough that it rides in no journal, and that some of it is on disk already. */
const halfBytes = 600 * 1024
const leftWithinMs = 1000
const underWayWithinMs = 20_000

/** How a client can go away. */
const ways: Readonly<Record<string, (sent: ClientRequest) => void>> = {
  'closes its connection': (sent) => void sent.destroy(),
  'resets its connection': (sent) => void sent.socket?.resetAndDestroy(),
  'closes its half of it': (sent) => void sent.socket?.end(),
}

/** Half a body, and then nothing more: neither bytes nor an end. */
async function* half(): AsyncGenerator<Buffer> {
  yield* noise(halfBytes)
  await new Promise(() => undefined)
}

interface Started {
  readonly sent: ClientRequest
  /** Reads on, if it was reading. */
  go(): void
  readonly over: Promise<unknown>
}

describe('a client that goes away', () => {
  let scene: Scene
  let uploadId: string
  beforeAll(async () => {
    if (unmeasurable !== undefined) return
    scene = await servedScene({ connections: clients })
    await scene.service.expect(`PUT /${bucket}/read`, { body: noiseStream(size), length: size })
    const upload = await scene.service.expect(`POST /${bucket}/parts?uploads=`)
    uploadId = /<UploadId>(.*?)<\/UploadId>/.exec(upload.body.toString())?.[1] ?? ''
  })
  afterAll(() => scene?.close())

  /** Begins something that does not come to its end by itself. */
  function start(line: string): Started {
    let sent: ClientRequest | undefined
    let go: () => void = () => undefined
    const reported = new Promise<void>((resolve) => {
      go = resolve
    })
    const writes = line.startsWith('PUT')
    const over = scene.service.send(line, {
      ...(writes && { body: half(), length: size }),
      onSent: (request) => (sent = request),
      onChunk: () => reported,
    })
    return { sent: sent as unknown as ClientRequest, go, over: over.catch(() => undefined) }
  }

  const things = {
    'a put': () => `PUT /${bucket}/written`,
    'a part': () => `PUT /${bucket}/parts?partNumber=1&uploadId=${uploadId}`,
    'a get': () => `GET /${bucket}/read`,
  }

  for (const [thing, line] of Object.entries(things)) {
    for (const [way, leave] of Object.entries(ways)) {
      measured(`in the middle of ${thing}, and ${way}, leaves nothing behind`, async () => {
        const before = (await scene.files()).blobs
        const started = Array.from({ length: clients }, () => start(line()))
        const areUnderWay = async () => (await scene.openBlobs()).length === clients
        expect(await within(underWayWithinMs, areUnderWay), 'all are under way').toBe(true)
        const began = Date.now()
        for (const { sent, go } of started) {
          leave(sent)
          go()
        }
        await Promise.all(started.map(({ over }) => over))
        const isClean = async () => {
          const [{ blobs, tmp }, open] = [await scene.files(), await scene.openBlobs()]
          return tmp === 0 && open.length === 0 && blobs === before
        }
        const clean = await within(leftWithinMs, isClean)
        report(`${clients} clients left ${thing} (${way}): clean after ${Date.now() - began} ms`)
        expect(clean, JSON.stringify([await scene.files(), await scene.openBlobs()])).toBe(true)
        expect((await scene.service.send(`HEAD /${bucket}/written`)).status).toBe(404)
      })
    }
  }

  measured('before its answer has begun leaves nothing behind', async () => {
    const leaving = Array.from({ length: clients }, () =>
      scene.service
        .send(`GET /${bucket}/read`, {
          onSent: (sent) => void sent.once('socket', () => setImmediate(() => sent.destroy())),
        })
        .catch(() => undefined),
    )
    await Promise.all(leaving)
    expect(await within(leftWithinMs, async () => (await scene.openBlobs()).length === 0)).toBe(true)
  })

  measured('has let go of what it read: it is erased once it is deleted', async () => {
    expect((await scene.files()).blobs).toBe(1)
    await scene.service.expect(`DELETE /${bucket}/read`)
    // What is freed is swept; what was still read just then waits for the sweep after that.
    const isErased = async () => {
      await scene.service.expect(`PUT /${bucket}/nudge`, { body: [Buffer.from('x')] })
      await scene.service.expect(`DELETE /${bucket}/nudge`)
      return (await scene.files()).blobs === 0
    }
    expect(await within(leftWithinMs, isErased)).toBe(true)
  })
})
