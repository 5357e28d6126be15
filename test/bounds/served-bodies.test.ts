/** Bodies of 1 GiB through the S3 server, however they are vouched for: they pass through, and are not held. */
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Payload } from './support/test-service.ts'
import { measured, mib, sized, report } from './support/forms.ts'
import { noise, noiseCheck, noiseStream } from './support/noise.ts'
import { unmeasurable } from './support/process-figures.ts'
import { bucket, type Scene, servedScene } from './support/served-scene.ts'

const size = sized(96, 1024) * mib
const grownMax = 64

describe('a body of 1 GiB over HTTP', () => {
  let scene: Scene
  beforeAll(async () => {
    if (unmeasurable === undefined) scene = await servedScene()
  })
  afterAll(() => scene?.close())

  const notHeld = async (what: string, work: () => Promise<void>) => {
    const began = performance.now()
    const grown = (await scene.grown(work)) / mib
    const seconds = (performance.now() - began) / 1000
    report(
      `${what} of ${size / mib} MiB: RSS +${grown.toFixed(0)} MiB, of ${grownMax} allowed; ${seconds.toFixed(1)} s`,
    )
    expect(grown, `${what}: MiB more than before`).toBeLessThanOrEqual(grownMax)
  }

  const digest = (): string => {
    const sha256 = createHash('sha256')
    for (const chunk of noise(size)) sha256.update(chunk)
    return sha256.digest('hex')
  }

  for (const payload of ['unsigned', 'signed', 'chunked', 'signed-chunks'] as const satisfies readonly Payload[]) {
    measured(`is put and not held: payload ${payload}`, async () => {
      const sha256 = payload === 'signed' ? { sha256: digest() } : {}
      await notHeld(`put, ${payload}`, async () => {
        await scene.service.expect(`PUT /${bucket}/large`, {
          body: noiseStream(size),
          length: size,
          payload,
          ...sha256,
        })
      })
      await expectLarge()
    })
  }

  measured('is got and not held', () => notHeld('get', () => expectLarge()))

  measured('is got by a slow reader and not held', () => notHeld('slow get', () => expectLarge(64)))

  async function expectLarge(pauseEvery = Number.POSITIVE_INFINITY): Promise<void> {
    const check = noiseCheck(size)
    let pieces = 0
    await scene.service.expect(`GET /${bucket}/large`, {
      async onChunk(chunk) {
        check.take(chunk)
        if (++pieces % pauseEvery === 0) await delay(2)
      },
    })
    expect(check.isRight()).toBe(true)
  }
})
