/** Very many uploads at once through the S3 server, whole and in parts: bounded memory, and every byte of each. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { measured, mib, sized, report } from './support/forms.ts'
import { noise, noiseCheck } from './support/noise.ts'
import { unmeasurable } from './support/process-figures.ts'
import { bucket, type Scene, servedScene } from './support/served-scene.ts'

const uploads = sized(100, 1000)
const size = mib
/** Two buffers of 256 KiB for each upload, what its connection takes, and what is garbage for a moment. */
const grownMax = 64 + uploads * 0.75

/** Waits in the middle until all others are there too, and their files are. */
async function* halved(seed: number, halfway: () => Promise<void>): AsyncGenerator<Buffer> {
  let sent = 0
  for (const chunk of noise(size, seed)) {
    const before = sent
    yield chunk
    sent += chunk.length
    if (before < size / 2 && sent >= size / 2) await halfway()
  }
}

describe(`${uploads} uploads at once over HTTP`, () => {
  let scene: Scene
  beforeAll(async () => {
    if (unmeasurable === undefined) scene = await servedScene({ connections: uploads })
  })
  afterAll(() => scene?.close())

  async function upload(seed: number, halfway: () => Promise<void>): Promise<void> {
    const target = `/${bucket}/k${seed}`
    const body = { body: halved(seed, halfway), length: size }
    if (seed % 2 === 0) return void (await scene.service.expect(`PUT ${target}`, body))
    const created = await scene.service.expect(`POST ${target}?uploads=`)
    const id = /<UploadId>(.*?)<\/UploadId>/.exec(created.body.toString())?.[1] ?? ''
    const part = await scene.service.expect(`PUT ${target}?partNumber=1&uploadId=${id}`, body)
    const tag = String(part.headers['etag'])
    const document = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${tag}</ETag></Part></CompleteMultipartUpload>`
    await scene.service.expect(`POST ${target}?uploadId=${id}`, { body: [Buffer.from(document)] })
  }

  const allFiles = async (): Promise<void> => {
    while ((await scene.files()).tmp < uploads) await delay(20)
  }

  measured('take two buffers each, and every byte of each arrives', async () => {
    const began = performance.now()
    let waiting = 0
    let goOn = (): void => undefined
    const together = new Promise<void>((resolve) => (goOn = resolve))
    const halfway = (): Promise<void> => {
      if (++waiting === uploads) void allFiles().then(goOn)
      return together
    }
    const grown = await scene.grown(async () => {
      await Promise.all(Array.from({ length: uploads }, (_, seed) => upload(seed, halfway)))
    })
    const seconds = (performance.now() - began) / 1000
    report(
      `${uploads} uploads at once: RSS +${(grown / mib).toFixed(0)} MiB, of ${grownMax} allowed; ${seconds.toFixed(1)} s`,
    )
    expect(grown / mib).toBeLessThanOrEqual(grownMax)
    for (let seed = 0; seed < uploads; seed++) {
      const check = noiseCheck(size, seed)
      await scene.service.expect(`GET /${bucket}/k${seed}`, { onChunk: check.take })
      expect(check.isRight(), `k${seed}`).toBe(true)
    }
    expect(await scene.files()).toEqual({ blobs: uploads, tmp: 0 })
  })
})
