/** The control API of `varve serve --workers`: each worker answers it, whichever of them has the connection. */
import { Agent, request } from 'node:http'
import { attachStore } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, signedHeaders } from './support/call.ts'
import { startWorkers, type WorkersServer } from './support/workers.ts'

let server: WorkersServer

beforeAll(async () => {
  server = await startWorkers(2, {
    policies: { auditor: [{ Effect: 'Allow', Action: 'varve:Read*', Resource: '*' }] },
  })
})
afterAll(() => server.stop())

/** Each on a connection of its own, so that both workers get some. */
const ask = (line: string, more: Parameters<typeof call>[2] = {}) =>
  call(server, line, { ...more, agent: new Agent({ keepAlive: false }) })
const post = (path: string, body: object, more = {}) => ask(`POST ${path}`, { body: JSON.stringify(body), ...more })

/** The first line of a subscription, which goes on until its end. */
function take(name: string): Promise<{ readonly line: string; readonly end: () => void }> {
  const [line, body] = ['POST /-/v1/subscriptions/take', JSON.stringify({ name })]
  const headers = Object.fromEntries(signedHeaders(server, line, { body }))
  return new Promise((resolve, reject) => {
    const { port } = server
    const sent = request({ port, method: 'POST', path: '/-/v1/subscriptions/take', headers }, (response) => {
      let text = ''
      const end = () => void response.destroy()
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        const found = text.split('\n').find((one) => one.startsWith('{'))
        if (found !== undefined && text.includes('}\n')) resolve({ line: found, end })
      })
    })
    sent.on('error', reject).end(body)
  })
}

describe('the control API of several workers', () => {
  it('answers as the owner, with the changes of identities under their names', async () => {
    await post('/-/v1/buckets', { bucket: 'photos' })
    const bytes = new Uint8Array(3 * 1024 * 1024).fill(7)
    for (let i = 0; i < 6; i++) {
      const put = await ask(`PUT /-/v1/content?bucket=photos&key=k${i}`, { body: bytes })
      expect(put.status).toBe(200)
    }
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => ask(`GET /-/v1/content?bucket=photos&key=k${i}`)),
    )
    for (const { body } of answers) expect(body.equals(bytes)).toBe(true)
    const log = await ask('GET /-/v1/log?bucket=photos')
    const actors = log.text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as Event).by.name]))
    expect(new Set(actors)).toEqual(new Set(['root']))
  })

  it('shows to other identities what their policy allows', async () => {
    expect((await ask('GET /-/v1/status', { as: 'auditor' })).status).toBe(200)
    const refused = await ask('GET /-/v1/objects?bucket=photos', { as: 'auditor' })
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([403, { error: { code: 'AccessDenied' } }])
    expect((await ask('GET /-/v1/status', { as: 'nobody' })).status).toBe(403)
    const absent = await ask('GET /-/v1/objects?bucket=absent')
    expect([absent.status, JSON.parse(absent.text)]).toMatchObject([404, { error: { code: 'NoSuchBucket' } }])
  })

  it('takes the acknowledgement of a batch from any of them', async () => {
    for (let i = 0; i < 4; i++) {
      const { line, end } = await take(`reader-${i}`)
      const { batch } = JSON.parse(line) as { readonly batch: string }
      expect((await post('/-/v1/subscriptions/acknowledge', { batch })).status).toBe(200)
      end()
    }
    const { text } = await ask('GET /-/v1/subscriptions')
    expect(text.split('\n').filter((line) => line.includes('"name":"reader-'))).toHaveLength(4)
  })

  it('is there for an attached store too, beside the workers', async () => {
    const attached = await attachStore(server.dir)
    await attached.transaction(async ({ objects }) => {
      await objects.put('photos', 'one', '1')
      await objects.put('photos', 'two', '2')
    })
    expect((await ask('GET /photos/two')).text).toBe('2')
    await attached.close()
  })
})

interface Event {
  readonly by: { readonly name: string }
}
