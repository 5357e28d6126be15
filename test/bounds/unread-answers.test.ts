/** Very many answers that are opened and not read, of each kind that streams: one client holds a bounded share of memory. */
import type { ClientRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { measured, mib, report, sized } from './support/forms.ts'
import { unmeasurable } from './support/process-figures.ts'
import { bucket, type Scene, servedScene } from './support/served-scene.ts'

const objects = sized(4000, 40_000)
const streams = 300
/** A client's half of the budget for answers is 32 MiB. As much again is in buffers of connections, and is garbage for a moment. */
const grownMax = 160

/** Each is longer than what the system holds for a connection. */
const kinds = [
  ['the log', 'GET /-/v1/log', {}],
  ['the followed log', 'GET /-/v1/log?follow=true', {}],
  ['the log as events', 'GET /-/v1/log', { accept: 'text/event-stream' }],
  ['the objects', `GET /-/v1/objects?bucket=${bucket}`, {}],
  ['the versions', `GET /-/v1/versions?bucket=${bucket}`, {}],
  ['what differs', `GET /-/v1/diff?bucket=${bucket}&from=1`, {}],
  ['the history of a key', `GET /-/v1/history?bucket=${bucket}&key=again`, {}],
] as const

const name = 'n'.repeat(700)

describe(`${streams} answers that are not read`, () => {
  let scene: Scene
  beforeAll(async () => {
    if (unmeasurable !== undefined) return
    scene = await servedScene({ connections: 2 * streams })
    const headers = { 'x-amz-meta-a': 'x'.repeat(1500) }
    for (let from = 0; from < objects; from += 100) {
      const puts = Array.from({ length: 100 }, (_, i) => [
        scene.service.expect(`PUT /${bucket}/${name}${from + i}`, { headers }),
        scene.service.expect(`PUT /${bucket}/again`, { headers }),
      ])
      await Promise.all(puts.flat())
    }
  }, 300_000)
  afterAll(() => scene?.close())

  for (const [kind, line, headers] of kinds) {
    measured(`hold a bounded share of memory: ${kind}`, async () => {
      const sent: ClientRequest[] = []
      let open = 0
      let refused = 0
      const grown = await scene.grown(async () => {
        for (let i = 0; i < streams; i++) {
          const onSent = (request: ClientRequest): void => {
            sent.push(request)
            request.on('response', (response) => {
              response.pause()
              if (response.statusCode === 200) open++
              else refused++
            })
          }
          // It ends when the test leaves.
          void scene.service
            .send(line, { headers, onSent, onChunk: () => new Promise(() => undefined) })
            .catch(() => undefined)
        }
        while (open + refused < streams) await delay(50)
        await delay(1000)
      })
      report(`${kind}: ${open} of ${streams} open, ${(grown / mib).toFixed(0)} MiB more, of ${grownMax} allowed`)
      // Others write meanwhile.
      await scene.service.expect(`PUT /${bucket}/between`)
      for (const request of sent) request.destroy()
      await delay(500)
      expect(open).toBeGreaterThan(0)
      expect(open).toBeLessThanOrEqual(128)
      expect(grown / mib).toBeLessThanOrEqual(grownMax)
    })
  }
})
