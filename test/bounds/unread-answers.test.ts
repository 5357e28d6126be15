/** Answers of the control API that one identity opens and does not read: they hold little memory, and there are not many of them. */
import { createHash } from 'node:crypto'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { signRequest } from 'varve/http'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { measured, mib, report, sized } from './support/forms.ts'
import { processorSecondsOf, unmeasurable } from './support/process-figures.ts'
import { bucket, type Scene, servedScene, within } from './support/served-scene.ts'

const opened = 300
/** Half of the budget of answers, 64 MiB, is for one identity: 256 KiB for each answer of lines. */
const answeredMax = 128
const grownMax = 192
const eventsOfRequest = 1000
const requests = sized(20, 100)

interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

describe('answers that are opened and not read', () => {
  let scene: Scene
  let reader: Keys
  beforeAll(async () => {
    if (unmeasurable !== undefined) return
    scene = await servedScene()
    reader = await fill(scene)
  }, 90_000)
  afterAll(() => scene?.close())

  /** Opens an answer, and reads nothing of it. */
  async function open(path: string, more: Readonly<Record<string, string>>): Promise<[ClientRequest, IncomingMessage]> {
    const [rawPath = '', rawQuery = ''] = path.split('?')
    const { port } = scene.served
    const headers = [['host', `127.0.0.1:${port}`]] as const
    const options = { ...reader, region: 'eu', now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' }
    const signed = signRequest({ method: 'GET', rawPath, rawQuery, headers }, options)
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      headers: { ...Object.fromEntries(signed.headers), ...more },
      agent: false,
    })
    sent.on('error', () => undefined)
    sent.end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.on('error', () => undefined)
    return [sent, answer]
  }

  /** The server has done what it does without readers. */
  async function isIdle(): Promise<boolean> {
    const before = await processorSecondsOf(scene.served.pid)
    await delay(300)
    return (await processorSecondsOf(scene.served.pid)) - before <= 0.02
  }

  const forms: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ['of the log', '/-/v1/log', {}],
    ['of server-sent events', '/-/v1/log', { accept: 'text/event-stream' }],
  ]

  for (const [form, path, headers] of forms) {
    measured(`hold little memory: ${form}`, async () => {
      const answers: [ClientRequest, IncomingMessage][] = []
      const grown = await scene.grown(async () => {
        answers.push(...(await Promise.all(Array.from({ length: opened }, () => open(path, headers)))))
        await within(30_000, isIdle)
      })
      const statuses = answers.map(([, { statusCode }]) => statusCode)
      const given = statuses.filter((status) => status === 200).length
      report(
        `${given} of ${opened} answers ${form}, not read: RSS +${(grown / mib).toFixed(0)} MiB, of ${grownMax} allowed`,
      )
      expect(new Set(statuses)).toEqual(new Set([200, 503]))
      expect(given).toBeLessThanOrEqual(answeredMax)
      expect(grown / mib).toBeLessThanOrEqual(grownMax)
      for (const [sent] of answers) sent.destroy()
      // What they held is free again.
      const isGiven = async () => {
        const [sent, { statusCode }] = await open(path, headers)
        sent.destroy()
        return statusCode === 200
      }
      expect(await within(30_000, isGiven)).toBe(true)
    })
  }
})

/** Writes a long log, and makes an identity that may only read it. */
async function fill({ service }: Scene): Promise<Keys> {
  const send = (line: string, text: string) =>
    service.expect(line, {
      body: [Buffer.from(text)],
      headers: { 'content-md5': createHash('md5').update(text).digest('base64') },
    })
  await send(`PUT /${bucket}?versioning`, '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>')
  for (let i = 0; i < requests; i++) {
    // Each key gets a delete marker, so each is an event.
    const keys = Array.from(
      { length: eventsOfRequest },
      (_, j) => `<Object><Key>${`${i}-${j}-`.padEnd(900, 'k')}</Key></Object>`,
    )
    await send(`POST /${bucket}?delete`, `<Delete><Quiet>true</Quiet>${keys.join('')}</Delete>`)
  }
  const statement = { Effect: 'Allow', Action: 'varve:ReadLog', Resource: '*' }
  const policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
  const { body } = await send('POST /-/v1/identities', JSON.stringify({ name: 'reader', policy }))
  return (JSON.parse(body.toString()) as { readonly key: Keys }).key
}
